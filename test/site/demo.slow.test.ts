// The demo on the landing page, compared with a run of it. UPDATE_SCREENS=1 writes it to the site.

import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { bin } from "../dist.js";

const file = resolve(import.meta.dirname, "../../site/src/demo.txt");

/** The run without parts that differ from run to run or from machine to machine: times, the folder, the sandbox, the lines of the test runner. */
function shown(output: string): string {
  const begin = output.indexOf("Task: ");
  const end = output.indexOf("\nThe folder is left");
  expect(begin).toBeGreaterThan(-1);
  expect(end).toBeGreaterThan(begin);
  return `${output
    .slice(begin, end)
    .replace(/^(?:Folder:|Commands run|There is no sandbox).*\n/gm, "")
    .replace(/ \(\d+(?:\.\d+)? m?s\)/g, "")
    .replace(/ · \d+(?:\.\d+)? s$/gm, "")
    .replace(/(exit 1), \d+ lines$/gm, "$1")
    .replace(/ It said:.*$/gm, "")
    .trimEnd()}\n`;
}

test("the demo on the landing page is the demo as it ran", () => {
  const run = spawnSync(process.execPath, [bin], { encoding: "utf8", env: { PATH: process.env["PATH"] } });
  const output = `${run.stdout}${run.stderr}`;
  const [, folder] = /^Folder: (.*)$/m.exec(output) ?? [];
  if (folder?.includes("lastcall-demo")) rmSync(folder, { recursive: true, force: true });
  // Progress is on standard error and the answer on standard output, so they are put in the order of a terminal.
  const screen = shown(run.stderr.replace(/^(?=completed)/m, run.stdout));
  if (process.env["UPDATE_SCREENS"] === "1") writeFileSync(file, screen);
  else expect(screen).toBe(readFileSync(file, "utf8"));
}, 120_000);
