// The help and the version of the command. The command loads nothing else for them.

import { readFile } from "node:fs/promises";
import { help } from "./args/help.js";

/** Returns the text to print. The path of package.json is the same from src/cli and from dist/cli. */
export async function about(what: "help" | "version"): Promise<string> {
  if (what === "help") return help();
  const text = await readFile(new URL("../../package.json", import.meta.url), "utf8");
  return `${(JSON.parse(text) as { readonly version: string }).version}\n`;
}

/** Returns the one that a command line asks for; undefined if the line has anything else. */
export function asksAbout(argv: readonly string[]): "help" | "version" | undefined {
  const [word, ...others] = argv;
  if (others.length > 0) return undefined;
  return word === "--help" || word === "-h" ? "help" : word === "--version" ? "version" : undefined;
}
