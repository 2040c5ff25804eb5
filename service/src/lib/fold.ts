/**
 * Folds case and normalizes Unicode. Converts to upper case, so that letters with a full folding match (ß and SS), and to
 * lower case before that, because the capital ẞ is its own upper case.
 */
export function fold(text: string): string {
  return text.normalize('NFKC').trim().toLowerCase().toUpperCase().toLowerCase().normalize('NFKC')
}

/** Letters that Unicode does not decompose into a base letter and an accent. */
const BASE_LETTERS: Record<string, string> = {
  ł: 'l', ø: 'o', đ: 'd', ð: 'd', æ: 'ae', œ: 'oe', þ: 'th', ı: 'i', ħ: 'h', ŧ: 't', ŋ: 'n', ĸ: 'k', ƒ: 'f', ƀ: 'b',
  ɓ: 'b', ƈ: 'c', ɖ: 'd', ɗ: 'd', ɠ: 'g', ǥ: 'g', ɨ: 'i', ƙ: 'k', ƚ: 'l', ɲ: 'n', ƥ: 'p', ɍ: 'r', ƭ: 't', ʉ: 'u', ƴ: 'y',
  ƶ: 'z', ə: 'e', ǝ: 'e',
} // biome-ignore format: a table reads better than a column

/**
 * Normalizes a name or a passport number for comparison: without case, accents, spaces, hyphens, apostrophes and other
 * punctuation. Text of punctuation only is kept.
 */
export function foldSpelling(text: string): string {
  const folded = fold(text)
  const letters = folded
    .normalize('NFD')
    .replace(/[\p{M}\p{P}\p{S}\p{Z}\p{C}]/gu, '')
    // Modifier letters serve as apostrophes: Oʼbrien, Qurʾan, Hawaiʻi.
    .replace(/[ʹ-ˁ]/gu, '')
    .replace(/[^\0-\x7f]/gu, letter => BASE_LETTERS[letter] ?? letter)
  return letters || folded
}
