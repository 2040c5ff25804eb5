/** Case-folded and Unicode-normalised. Upper case first, so that letters which only fold in full, as ß and SS, meet. */
export function fold(text: string): string {
  return text.normalize('NFKC').trim().toUpperCase().toLowerCase().normalize('NFKC')
}
