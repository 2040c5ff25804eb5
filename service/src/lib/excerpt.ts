/** The beginning of a text that may be long, for messages. Cutting within a character would leave a half that cannot be stored. */
export const excerpt = (text: string, length = 100): string => text.slice(0, length).toWellFormed()
