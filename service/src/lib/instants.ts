/** Writes moments out. Under load many in a row are of the same millisecond, and working one out costs more than most of what it is for. */
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
