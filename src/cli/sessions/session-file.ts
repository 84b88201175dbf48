// A session in one file: written as a page, and read from a page or from JSON.

import { readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { LastcallError } from "../../core/index.js";
import { explain } from "../../core/internal.js";
import { importSession, type ImportedSession, type Store } from "../../memory/index.js";
import { packedElement } from "../../memory/stores.js";
import { sessionPage } from "../../server/index.js";
import { secretsIn, type Surroundings } from "../person/surface.js";

/**
 * Writes a session as one page, which only its owner can read. Returns the path of the page.
 * @throws LastcallError `configuration` if the file is another file than such a page, or can't be written.
 */
export async function writePage(
  store: Store,
  id: string,
  { file, env }: { readonly file: string; readonly env: Surroundings["env"] },
): Promise<string> {
  const path = resolve(file);
  await expectReplaceable(path, file);
  const page = await sessionPage({ store, id, secrets: { values: secretsIn(env, undefined) } });
  const fresh = `${path}.${crypto.randomUUID().slice(0, 8)}`;
  try {
    await writeFile(fresh, page, { mode: 0o600, flag: "wx" });
    await rename(fresh, path);
  } catch (thrown) {
    await rm(fresh, { force: true });
    throw new LastcallError("configuration", `--html ${file} can't be written: ${explain(thrown)}.`, { cause: thrown });
  }
  return path;
}

/** @throws LastcallError `configuration` for a file that is there and is no page of a session. */
async function expectReplaceable(path: string, file: string): Promise<void> {
  let before: string;
  try {
    before = await readFile(path, "utf8");
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return;
    throw new LastcallError("configuration", `--html ${file} can't be written: ${explain(thrown)}.`, { cause: thrown });
  }
  if (before === "" || before.includes(packedElement[0])) return;
  throw new LastcallError(
    "configuration",
    `--html ${file} is there, and is no page of a session: nothing was written. Name another file, or move this one away.`,
  );
}

/** The most bytes of a file that is read. */
const mostBytes = 512 * 1024 * 1024;

/**
 * Imports the session of a file.
 * @throws LastcallError `configuration` if the file can't be read, or has no sound session; `store` if it can't be written.
 */
export async function readSessionFile(store: Store, file: string): Promise<ImportedSession> {
  let text: string;
  try {
    const { size } = await stat(file);
    if (size > mostBytes) throw new Error(`it has more than ${String(mostBytes / 1024 / 1024)} MB`);
    text = await readFile(file, "utf8");
  } catch (thrown) {
    throw new LastcallError("configuration", `${file} can't be read: ${explain(thrown)}.`, { cause: thrown });
  }
  return importSession({ store, text });
}
