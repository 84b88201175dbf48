// The pages for people who come from another library: their programs, their tables, and what both programs print.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Peer } from "../bench/peers/index.mjs";

const docs = join(import.meta.dirname, "../docs");

/** The text of a library's page. */
export function pageFor({ name }: Peer): string {
  return readFileSync(join(docs, `coming-from-${name}.md`), "utf8");
}

/** The library's program on its page. */
export function theirProgram(peer: Peer): string {
  return new RegExp(`^\`\`\`ts ${peer.name}\n([^]*?)^\`\`\`$`, "m").exec(pageFor(peer))?.[1] ?? "";
}

/** The words that both programs of a page print. test/docs.slow.test.ts runs ours. */
export function printedOn(peer: Peer): string {
  return /^```text\n([^]*?)^```$/m.exec(pageFor(peer))?.[1] ?? "";
}

/** The rows of the table with words of theirs and of ours, without its head. */
export function rowsOf(peer: Peer): readonly { readonly there: string; readonly here: string }[] {
  const table = /^## There and here\n\n([^]*?)\n\n/m.exec(pageFor(peer))?.[1] ?? "";
  return table
    .split("\n")
    .slice(2)
    .map((row) => row.split("|"))
    .map(([, there = "", here = ""]) => ({ there: there.trim(), here: here.trim() }));
}

/** The names of theirs in the table: the words in backticks. */
export function namesOf(peer: Peer): readonly string[] {
  return namesIn(rowsOf(peer).map(({ there }) => there));
}

/** The names of ours in the table. */
export function ownNamesOf(peer: Peer): readonly string[] {
  return namesIn(rowsOf(peer).map(({ here }) => here));
}

function namesIn(cells: readonly string[]): readonly string[] {
  const code = cells.flatMap((cell) => [...cell.matchAll(/`([^`]*)`/g)].map(([, text = ""]) => text));
  // An agent, a session and a store are variables here and there.
  const names = code.flatMap((text) => text.replace(/^[a-z]+\./, "").match(/@?[A-Za-z][\w/-]{3,}/g) ?? []);
  return [...new Set(names)];
}
