// Opens a page in the browser of this machine.

import { spawn } from "node:child_process";

const programs: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""],
};

/** Opens the address. `failed` is called if there is no program that does. */
export function openPage(url: string, failed: () => void): void {
  const [program = "xdg-open", ...args] = programs[process.platform] ?? [];
  const child = spawn(program, [...args, url], { stdio: "ignore", detached: true });
  child.on("error", failed);
  child.unref();
}
