const DAY = 86_400_000

export const shifted = (today: Date, days: number) => new Date(today.getTime() + days * DAY)

/** The day that is this many days from today, such as 2026-03-01. */
export const dayOf = (today: Date, days: number) => shifted(today, days).toISOString().slice(0, 10)
