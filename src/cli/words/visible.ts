// Text of a model or a tool made safe to show: nothing in it can move the cursor, hide or reorder what a person reads.

/** What stays as it is. */
interface Staying {
  /** True: tabs and newlines do. Default false. */
  readonly multiline?: boolean;
}

/** Escapes control and invisible characters. */
export function visible(text: string, { multiline = false }: Staying = {}): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (char) => {
    if (multiline && (char === "\n" || char === "\t")) return char;
    if (char === "\n") return "\\n";
    if (char === "\t") return "\\t";
    return `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
  });
}

/** Letters of scripts that are written with joiners: Persian is, and the languages of India are. */
const joining =
  "[\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Mongolian}\\p{Script=Devanagari}\\p{Script=Bengali}\\p{Script=Gurmukhi}\\p{Script=Gujarati}" +
  "\\p{Script=Oriya}\\p{Script=Tamil}\\p{Script=Telugu}\\p{Script=Kannada}\\p{Script=Malayalam}\\p{Script=Sinhala}\\p{Script=Khmer}]";

/** A joiner where a script or an emoji of several is written with it. Between other characters it would only hide. */
const joiner = new RegExp(
  `((?<=${joining})[\\u200c\\u200d](?=${joining})|(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f])\\u200d(?=\\p{Extended_Pictographic}))`,
  "u",
);

/** `visible` for what somebody says: with the joiners that words and emoji need. Not for what runs, where two things must not look alike. */
export function visibleWords(text: string, staying: Staying = {}): string {
  const parts = text.split(joiner);
  return parts.map((part, index) => (index % 2 === 1 ? part : visible(part, staying))).join("");
}

/** One line of at most `most` characters. */
export function oneLine(text: string, most: number): string {
  const line = visible(text.slice(0, most * 2).trim());
  return line.length <= most && text.length <= most * 2 ? line : `${line.slice(0, most - 1)}…`;
}

/** A model's words without the thinking that some models write into them: blocks that are closed, at the top. */
export function withoutThinking(text: string): string {
  return text.replace(/^(?:\s*<(think|thinking|reasoning)>[^]*?<\/\1>)+\s*/i, "");
}
