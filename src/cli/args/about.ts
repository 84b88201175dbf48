// What the command says of itself: its help and its version. Nothing else is loaded for it.

import { readFile } from "node:fs/promises";
import { help } from "./help.js";

/** The words for one of these two. */
export async function about(what: "help" | "version"): Promise<string> {
  if (what === "help") return help();
  const text = await readFile(new URL("../../../package.json", import.meta.url), "utf8");
  return `${(JSON.parse(text) as { readonly version: string }).version}\n`;
}

/** Which of the two a command line asks for, where it says nothing else. */
export function asksAbout(argv: readonly string[]): "help" | "version" | undefined {
  const [word, ...others] = argv;
  if (others.length > 0) return undefined;
  return word === "--help" || word === "-h" ? "help" : word === "--version" ? "version" : undefined;
}
