// Opens a page in the browser of this machine.

import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const programs: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""],
};

/**
 * Opens an address that has a secret. Other users of the machine see the words of every program, so the browser gets the name of a file
 * that only this user can read, and the file leads to the address. `failed` is called if there is no program that opens it. Returns a
 * function that takes the file away.
 */
export async function openPage(url: string, failed: () => void): Promise<() => Promise<void>> {
  // Nobody else can enter the folder.
  const folder = await mkdtemp(join(tmpdir(), "lastcall-studio-"));
  const file = join(folder, "open.html");
  await writeFile(file, leadingTo(url), { mode: 0o600 });
  const [program = "xdg-open", ...args] = programs[process.platform] ?? [];
  const child = spawn(program, [...args, file], { stdio: "ignore", detached: true });
  child.on("error", failed);
  child.unref();
  return () => rm(folder, { recursive: true, force: true });
}

/** A page that leads to the address at once. */
function leadingTo(url: string): string {
  const address = url.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
  return `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0; url=${address}"><title>lastcall studio</title><a href="${address}">Open the studio</a>\n`;
}
