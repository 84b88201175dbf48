// A page of the docs as a reader takes it: its blocks, the packages that it says to install, the files that it says to write or change.

/**
 * The fenced blocks of a page, in order: the word behind the fence (`kind`) and the words behind that (`rest`), the text, the file that the
 * words before the block name, the line, and the block of text right behind it (`prints`).
 */
export function blocksOf(page) {
  let from = 0;
  let file = "";
  return [...page.matchAll(/^```(\w+)([^\n]*)\n([^]*?)^```$(?=(?:\n+```text\n([^]*?)^```$)?)/gm)].map((match) => {
    const [whole, kind = "", rest = "", text = "", prints] = match;
    file = /(?:Write|Change) `([^`]+)`/.exec(page.slice(from, match.index))?.[1] ?? file;
    from = match.index + whole.length;
    const line = page.slice(0, match.index).split("\n").length;
    return { kind, rest: rest.trim(), text, file, line, prints };
  });
}

/** The lines with which a page installs packages into the folder, in blocks and in sentences. */
export function installsOf(page) {
  const lines = [...page.matchAll(/npm install ([^`\n#]*)/g)].map((match) => (match[1] ?? "").trim());
  return lines.filter((line) => line !== "" && !/^(?:-g|--global)\b/.test(line));
}

/** Applies a diff by hand, as a reader does: each hunk is found by its lines, which must be there once. */
export function change(source, diff) {
  return diff.split(/^@@\n/m).reduce((text, hunk) => {
    const lines = hunk.replace(/\n$/, "").split("\n");
    const side = (mark) =>
      lines
        .filter((line) => line === "" || line.startsWith(mark) || line.startsWith(" "))
        .map((line) => `${line.slice(1)}\n`)
        .join("");
    const parts = text.split(side("-"));
    if (parts.length !== 2)
      throw new Error(`These lines stand ${String(parts.length - 1)} times in the file:\n${hunk}`);
    return parts.join(side("+"));
  }, source);
}
