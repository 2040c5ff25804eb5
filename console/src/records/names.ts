// How records are named on screen.
interface Named {
  firstName?: string | null
  lastName?: string | null
  employeeNumber?: string | null
}

/** "Anna Schmidt"; the employee number where there is no name. */
export const nameOf = ({ firstName, lastName, employeeNumber }: Named): string =>
  [firstName, lastName].filter(Boolean).join(' ') || employeeNumber || '–'
