// How records are named on screen.
interface Named {
  firstName?: string | null
  lastName?: string | null
  employeeNumber?: string | null
}

/** "Anna Schmidt"; the employee number where there is no name. */
export const nameOf = ({ firstName, lastName, employeeNumber }: Named): string =>
  [firstName, lastName].filter(Boolean).join(' ') || employeeNumber || '–'

/** Arabic, Hebrew and their like, and the characters that turn the direction of text. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u202a-\u202e\u2066-\u2069]/

/** A text within another one, for places that take no elements: its direction leaves what is beside it alone. */
export const isolated = (text: string): string => (RIGHT_TO_LEFT.test(text) ? `\u2068${text}\u2069` : text)
