/** Spreadsheets run text that begins with these as a formula; the apostrophe keeps it text. */
const FORMULA = /^[=+\-@\t\r]/

/** Spreadsheets in languages with a decimal comma expect semicolons. */
export const separatorOf = (language: string): ',' | ';' =>
  new Intl.NumberFormat(language).format(0.5).includes(',') ? ';' : ','

export function csvLine(
  values: readonly (string | number | null | undefined)[],
  separator: ',' | ';' = ',',
): string {
  const cells = values.map(value => {
    const text = value === null || value === undefined ? '' : String(value)
    const safe = typeof value === 'string' && FORMULA.test(text) ? `'${text}` : text
    return /[",\r\n;]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
  })
  return `${cells.join(separator)}\r\n`
}
