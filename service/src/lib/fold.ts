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

/** Marks that may be left out: accents, and the vowel points of Arabic and Hebrew. Elsewhere marks are vowels and letters. */
const ACCENTS =
  /[[\p{M}&&[\p{Script=Inherited}\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}]]--[\u3099\u309a]]/gv

/**
 * Normalizes a name or a passport number for search: without case, accents and other marks, spaces, hyphens, apostrophes
 * and other punctuation. Text of punctuation only is kept.
 */
export const foldSpelling = (text: string) => withoutMarks(text, /\p{M}/gu)

/** The same for names that decide who a person is: in Devanagari, Thai or kana a mark tells one name from another. */
export const foldName = (text: string) => withoutMarks(text, ACCENTS)

function withoutMarks(text: string, marks: RegExp): string {
  const folded = fold(text)
  const letters = folded
    .normalize('NFD')
    .replace(marks, '')
    .replace(/[\p{P}\p{S}\p{Z}\p{C}]/gu, '')
    // Modifier letters serve as apostrophes: Oʼbrien, Qurʾan, Hawaiʻi.
    .replace(/[ʹ-ˁ]/gu, '')
    .replace(/[^\0-\x7f]/gu, letter => BASE_LETTERS[letter] ?? letter)
  return letters || folded
}
