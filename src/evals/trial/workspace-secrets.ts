// The secret values in the files of a workspace, so that no report shows them.

import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { isSecretFile } from "../../files/index.js";

/** The largest file that is read. */
const mostBytes = 64 * 1024;
/** The fewest characters of a value: shorter values occur in other texts. */
const fewest = 8;

/** The values in files such as `.env`: the text behind the first `=` or `:` of each line, without quotes. */
export async function secretValuesIn(root: string): Promise<readonly string[]> {
  const names = await readdir(root, { recursive: true }).catch(() => []);
  const values = await Promise.all(
    names
      .filter((name) => isSecretFile(name) && !/(?:^|\/)(?:node_modules|\.git)\//.test(name))
      .map((name) => valuesIn(join(root, name))),
  );
  return [...new Set(values.flat())];
}

async function valuesIn(path: string): Promise<readonly string[]> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() !== true || found.size > mostBytes) return [];
  const text = await readFile(path, "utf8").catch(() => "");
  return text.split("\n").flatMap((line) => {
    const [, value = ""] = /[=:]\s*(.+)$/.exec(line.trim()) ?? [];
    const bare = value.replaceAll(/^["']|["'],?$/g, "").trim();
    return bare.length >= fewest ? [bare] : [];
  });
}
