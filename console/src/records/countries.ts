// All countries that the browser knows by name, for selects.
/** Groups of countries, reserved codes and parts of other countries, which are none of ISO 3166. */
const NO_COUNTRIES = new Set([
  'AC',
  'CP',
  'CQ',
  'DG',
  'EA',
  'EU',
  'EZ',
  'IC',
  'QO',
  'TA',
  'UN',
  'XA',
  'XB',
  'ZZ',
])
const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']

const cache = new Map<string, { value: string; label: string }[]>()

export function countryOptions(language: string): { value: string; label: string }[] {
  const known = cache.get(language)
  if (known) return known
  const names = new Intl.DisplayNames(language, { type: 'region', fallback: 'none' })
  const options = LETTERS.flatMap(first => LETTERS.map(second => first + second)).flatMap(code => {
    const label = NO_COUNTRIES.has(code) ? undefined : names.of(code)
    // Former codes have the name of the country that followed.
    const isCurrent = new Intl.Locale(`und-${code}`).region === code
    return label && isCurrent ? [{ value: code, label }] : []
  })
  const sorted = options.sort((a, b) => a.label.localeCompare(b.label, language))
  cache.set(language, sorted)
  return sorted
}

/** With the value that is stored, whatever it is. */
export function countryOptionsWith(language: string, value: string | null | undefined) {
  const options = countryOptions(language)
  return !value || options.some(option => option.value === value)
    ? options
    : [{ value, label: value }, ...options]
}
