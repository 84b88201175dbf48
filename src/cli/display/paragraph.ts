// Paragraphs of plain letters, for the help. The log has text of all scripts and styles, and `folded` for it.

/** The columns of a terminal: `COLUMNS`, else the columns of the stream, else 80. */
export function columnsOf(
  { columns = 0 }: { readonly columns?: number },
  env: Readonly<Record<string, string | undefined>>,
): number {
  const told = Number(env["COLUMNS"]);
  if (Number.isInteger(told) && told > 0) return told;
  return columns > 0 ? columns : 80;
}

/** The text in lines of at most `columns`. A word that is longer than a line has its own line. */
export function paragraph(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > columns) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** The widest term that has its explanation beside it. */
const widestTerm = 30;

/** Terms with their explanations, in two columns; below a long term, and in a narrow terminal, the explanation has its own lines. */
export function twoColumns(
  rows: readonly (readonly [term: string, text: string])[],
  columns: number,
): readonly string[] {
  const beside = Math.max(...rows.map(([term]) => (term.length > widestTerm ? 0 : term.length))) + 4;
  const indent = columns < beside + 24 ? 6 : beside;
  return rows.flatMap(([term, text]) => {
    const lines = text === "" ? [] : paragraph(text, columns - indent).map((line) => " ".repeat(indent) + line);
    const head = `  ${term}`;
    if (head.length > indent - 2) return [head, ...lines];
    return [head.padEnd(indent) + (lines[0] ?? "").slice(indent), ...lines.slice(1)].map((line) => line.trimEnd());
  });
}
