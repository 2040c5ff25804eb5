/**
 * Case-folded and Unicode-normalised. By way of upper case, so that letters which only fold in full, as ß and SS, meet;
 * lower case before that, because the capital ẞ is its own upper case.
 */
export function fold(text: string): string {
  return text.normalize('NFKC').trim().toLowerCase().toUpperCase().toLowerCase().normalize('NFKC')
}
