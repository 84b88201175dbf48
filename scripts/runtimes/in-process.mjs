// Runs bundled files of tests in this process, of Node, Bun or Deno: `in-process.mjs FOLDER REPORT [--list]`, with the files on standard
// input, one a line. The report gets a line of JSON for each file.

import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { withoutIn } from "./left-out.mjs";

const [folder, report, mode] = process.argv.slice(2);
const runtime = "Bun" in globalThis ? "bun" : "Deno" in globalThis ? "deno" : "node";
// The process stays until its files are done, as with every runner of tests: some waits do not keep it.
setInterval(() => undefined, 1000);
const { runFile } = await import(pathToFileURL(join(folder, "run-file.js")).href);
for (const file of readFileSync(0, "utf8").split("\n").filter(Boolean))
  appendFileSync(
    report,
    `${JSON.stringify(await runFile(file, { isList: mode === "--list", without: withoutIn(runtime, file) }))}\n`,
  );
// A test may have left something that waits.
process.exit(0);
