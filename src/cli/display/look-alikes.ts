// Look-alikes: letters that a person takes for other letters, such as a Cyrillic letter within a Latin word.

/** Letters that look like Latin letters: of other scripts, and variants of Latin letters. */
const others: readonly (readonly [name: string, letter: RegExp])[] = [
  ["Cyrillic", /\p{Script=Cyrillic}/u],
  ["Greek", /\p{Script=Greek}/u],
  ["Armenian", /\p{Script=Armenian}/u],
  ["Cherokee", /\p{Script=Cherokee}/u],
  ["a fullwidth letter", /[\uff21-\uff3a\uff41-\uff5a]/u],
  ["a mathematical letter", /[\u{1d400}-\u{1d7ff}]/u],
];

/** The number of words that are named. */
const most = 3;

/**
 * A sentence for each word of the text that has a look-alike among Latin letters, at most three. A word of one script alone, such as a
 * Russian word, is what it looks like.
 */
export function lookAlikes(text: string): readonly string[] {
  const found = new Map<string, string>();
  for (const [word] of text.matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
    if (found.size === most) break;
    const latin = /[A-Za-z]/.test(word);
    const [name, letter] = others.find(([, one]) => one.test(word)) ?? [];
    if (!latin || name === undefined || letter === undefined || found.has(word)) continue;
    const code = letter.exec(word)?.[0].codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0") ?? "";
    found.set(word, `Look out: in "${word}" one letter is not what it looks like (U+${code}, ${name}).`);
  }
  return [...found.values()];
}
