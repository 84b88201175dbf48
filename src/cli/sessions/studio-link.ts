// The link to a session in a studio that is up. The studio leaves its address beside the sessions, without its token.

import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isPlainObject } from "../../core/internal.js";

const name = "studio.json";

/** Leaves the address of a studio in the folder of its sessions. Returns a function that takes it away. */
export async function leaveAddress(folder: string | undefined, url: string): Promise<() => Promise<void>> {
  if (folder === undefined) return async () => undefined;
  const file = join(folder, name);
  const text = JSON.stringify({ url, pid: process.pid });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(file, text, { mode: 0o600 });
  return async () => {
    // Another studio may have come since.
    if ((await readFile(file, "utf8").catch(() => "")) === text) await rm(file, { force: true });
  };
}

/** The link to a session, if a studio over this folder is up. The page has the token if it was opened in this browser before. */
export async function studioLink(folder: string | undefined, session: string): Promise<string | undefined> {
  if (folder === undefined) return undefined;
  try {
    const left: unknown = JSON.parse(await readFile(join(folder, name), "utf8"));
    if (!isPlainObject(left) || typeof left["url"] !== "string" || typeof left["pid"] !== "number") return undefined;
    process.kill(left["pid"], 0);
    return `${left["url"]}#/s/${encodeURIComponent(session)}`;
  } catch {
    // There is no studio, or its process is gone.
    return undefined;
  }
}
