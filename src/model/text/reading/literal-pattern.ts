// A text as the source of a regular expression.

/** The source of a regular expression that matches exactly this. */
export function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}
