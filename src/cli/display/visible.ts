// Makes text of a model or a tool safe to show: it can't move the cursor, and can't hide or reorder text.

import { headOf } from "../../core/internal.js";

/** Characters that are not escaped. */
interface Exceptions {
  /** True: tabs and newlines stay. Default false. */
  readonly multiline?: boolean;
}

/** Characters that show nothing: control and format characters, separators of lines, fillers, selectors of variants, and blank letters. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** Escapes control and invisible characters. */
export function visible(text: string, { multiline = false }: Exceptions = {}): string {
  return text.replace(unseen, (char) => {
    if (multiline && (char === "\n" || char === "\t")) return char;
    if (char === "\n") return "\\n";
    if (char === "\t") return "\\t";
    return `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
  });
}

/** Letters of scripts that use joiners, such as the letters of Persian and of the languages of India. */
const joining =
  "[\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Mongolian}\\p{Script=Devanagari}\\p{Script=Bengali}\\p{Script=Gurmukhi}\\p{Script=Gujarati}" +
  "\\p{Script=Oriya}\\p{Script=Tamil}\\p{Script=Telugu}\\p{Script=Kannada}\\p{Script=Malayalam}\\p{Script=Sinhala}\\p{Script=Khmer}]";

/**
 * A joiner within such a script or within an emoji, and a selector after an emoji, a digit or a letter that has variants. Between other
 * characters they are only invisible characters.
 */
const joiner = new RegExp(
  `((?<=${joining})[\\u200c\\u200d](?=${joining})|(?<=\\p{Script=Mongolian})[\\u180b-\\u180d]|(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f])\\u200d(?=\\p{Extended_Pictographic})|(?<=[\\p{Extended_Pictographic}\\d#*\\p{Script=Han}])[\\ufe00-\\ufe0f])`,
  "u",
);

/** `visible` for prose: keeps the joiners that words and emoji need. Not for commands and names, where they could hide a difference. */
export function visibleWords(text: string, exceptions: Exceptions = {}): string {
  const parts = text.split(joiner);
  return parts.map((part, index) => (index % 2 === 1 ? part : visible(part, exceptions))).join("");
}

/** One line of at most `maxLength` characters. */
export function oneLine(text: string, maxLength: number): string {
  const line = visible(headOf(text, maxLength * 2).trim());
  return line.length <= maxLength && text.length <= maxLength * 2 ? line : `${headOf(line, maxLength - 1)}…`;
}

/** A model's text without its thinking, which some models write as closed blocks at the beginning. */
export function withoutThinking(text: string): string {
  return text.replace(/^(?:\s*<(think|thinking|reasoning)>[^]*?<\/\1>)+\s*/i, "");
}
