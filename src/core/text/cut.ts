// Cuts of a text between its characters: half a character is no text that a provider takes.

/** An index at which the text can be cut: the given index, or the index before it if it would split a surrogate pair. */
export function wholeAt(text: string, index: number): number {
  const code = text.charCodeAt(index);
  const isSecondHalf = code >= 0xdc00 && code <= 0xdfff;
  return isSecondHalf && index > 0 && isFirstHalf(text.charCodeAt(index - 1)) ? index - 1 : index;
}

/** The start of a text, at most so many UTF-16 units long. */
export function headOf(text: string, most: number): string {
  return text.length <= most ? text : text.slice(0, wholeAt(text, Math.max(0, Math.floor(most))));
}

/** The end of a text, at most so many UTF-16 units long. */
export function tailOf(text: string, most: number): string {
  if (text.length <= most) return text;
  const index = text.length - Math.max(0, Math.floor(most));
  return text.slice(wholeAt(text, index) === index ? index : index + 1);
}

/** The text, at most so many UTF-16 units long; a cut ends with `…`. */
export function cutTo(text: string, most: number): string {
  return text.length <= most ? text : `${headOf(text, most - 1)}…`;
}

function isFirstHalf(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
