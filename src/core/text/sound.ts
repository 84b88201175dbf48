// Sound texts: a provider that reads strictly refuses half a character and U+0000, and a text of white space alone.

/** The sign that stands where something was that is no character. */
const replacement = "\uFFFD";

/**
 * The text with U+FFFD in place of each half character (a surrogate without its other half) and of each U+0000. A sound text is returned
 * as it is. Other control characters stay: JSON has an escape for each, and providers take them.
 */
export function sound(text: string): string {
  const whole = wellFormed(text);
  return whole.includes("\0") ? whole.replaceAll("\0", replacement) : whole;
}

/** The text with U+FFFD in place of each half character alone. A well-formed text is returned as it is. */
export function wellFormed(text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed();
}

/** True if a text says nothing: it is empty, or of white space and control characters alone. */
export function isBlank(text: string): boolean {
  return !/[^\s\p{Cc}]/u.test(text);
}
