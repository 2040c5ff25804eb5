/** Formats timestamps as ISO 8601 and caches the last one: under load many in a row are of the same millisecond. */
export function createInstants(): (at: number) => string {
  let last = Number.NaN
  let text = ''
  return at => {
    if (at !== last) {
      last = at
      text = new Date(at).toISOString()
    }
    return text
  }
}
