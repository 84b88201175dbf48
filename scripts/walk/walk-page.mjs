// A page that builds one program, walked block by block: lines are run, files are written and changed, outputs are compared.

import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { blocksOf, change } from "./pages.mjs";

/**
 * Walks the page from an empty folder. `run(folder, lines)` runs lines as a shell. If `runsTypeScript`, the program is also run as it is.
 * Returns what is not as the page says, and the folder in which the walk ended.
 */
export async function walkPage(page, { folder: empty, run, runsTypeScript }) {
  const problems = [];
  let folder = empty;
  let said = "";
  const expect = (is, wanted, block) => {
    if (is !== wanted) problems.push(`line ${block.line}, expected:\n${wanted}\nprinted:\n${is}`);
  };
  const blocks = blocksOf(page);
  for (const [index, block] of blocks.entries()) {
    const { kind, text, file } = block;
    if (kind === "sh") {
      const { stdout, stderr } = await run(folder, text);
      const errors = stderr.split("\n").filter((line) => /\berr/i.test(line));
      if (errors.length > 0) problems.push(`line ${block.line}: ${errors.join("\n")}`);
      if (/^npx tsc/m.test(text) && blocks[index + 1]?.kind !== "text") expect(stdout, "", block);
      for (const [, to] of text.matchAll(/^cd (.*)$/gm)) folder = resolve(folder, to);
      said = stdout;
      if (runsTypeScript && text.endsWith("\nnode out/triage.js\n"))
        expect((await run(folder, "node triage.ts\n")).stdout, stdout, block);
    } else if (kind === "text") expect(said, text, block);
    else if (kind === "diff")
      await writeFile(join(folder, file), change(await readFile(join(folder, file), "utf8"), text));
    else await writeFile(join(folder, file), text);
  }
  return { problems, folder };
}
