// Text of a model or a tool made safe to show: nothing in it can move the cursor, hide or reorder what a person reads.

/** Escapes control and invisible characters; tabs and newlines stay where `multiline`. */
export function visible(text: string, { multiline = false }: { readonly multiline?: boolean } = {}): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (char) => {
    if (multiline && (char === "\n" || char === "\t")) return char;
    if (char === "\n") return "\\n";
    if (char === "\t") return "\\t";
    return `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
  });
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
