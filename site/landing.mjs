// The parts of the repository that the landing page shows: code that the tests run, figures that a page has, and the demo as it ran.

import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

// Astro bundles this file elsewhere, and runs in the folder of the site. Tests run in the folder above.
const site = existsSync("structure.mjs") ? resolve(".") : resolve("site");
const root = resolve(site, "..");
const read = (file) => readFileSync(join(root, file), "utf8");

/** The first program of the README. A test compiles it, and runs it. */
export function firstProgram() {
  const [, code] = /^```ts\n([^]*?)^```$/m.exec(read("README.md")) ?? [];
  if (code === undefined) throw new Error("The README has no program in TypeScript.");
  return code.trimEnd();
}

/** The rows of false completions, by library: [liar, hasty, cheat]. */
export function falseCompletions() {
  const page = read("docs/how-often-is-done-not-done.md");
  const table = page.slice(page.indexOf("**False completions**"), page.indexOf("**Right ends**"));
  const rows = [...table.matchAll(/^\| ([^|]*[^| ]) +\| +(\d+) \| +(\d+) \| +(\d+) \| +\d+ \| +\d+ \|$/gm)];
  if (rows.length < 6) throw new Error("docs/how-often-is-done-not-done.md has no rows of false completions.");
  const [, tasks] = /^(\d+) tasks for each cell/m.exec(page) ?? [];
  return { tasks, rows: rows.map(([, name, ...figures]) => ({ name: name.replaceAll("`", ""), figures })) };
}

/** The rows of the table of kills: what was broken, and how many times. */
export function kills() {
  const page = read("docs/what-was-tried.md");
  const table = page.slice(page.indexOf("## Kills"), page.indexOf("## Planted bugs"));
  const rows = [...table.matchAll(/^\| ([^|]*[^| ]) +\| +([\d,]+) \|$/gm)];
  if (rows.length < 6) throw new Error("docs/what-was-tried.md has no rows of kills.");
  return rows.map(([, broken, times]) => ({ broken: broken.replaceAll("`", ""), times }));
}

/** The demo as it ran, line by line, each with the kind of its words. A test writes and checks the file. */
export function demo() {
  const lines = readFileSync(join(site, "src/demo.txt"), "utf8").trimEnd().split("\n");
  const kindOf = (line) => {
    if (/claim_refused|check_failed|invalid_arguments|tool_error|: failed|exit 1/.test(line)) return "bad";
    if (/accepted|: passed|^completed/.test(line)) return "good";
    if (/^\[\d+\]/.test(line)) return "call";
    return /^ {6}\+/.test(line) ? "new" : "plain";
  };
  return lines.map((line) => ({ line, kind: kindOf(line) }));
}

/** The claims of the demo, each with what became of it. */
export function claims() {
  return demo().flatMap(({ line }, index, lines) => {
    const [, iteration] = /^\[(\d+)\] {2}task_completion/.exec(line) ?? [];
    if (iteration === undefined) return [];
    const end = lines.slice(index + 1).find((each) => /claim_refused|check_failed|accepted/.test(each.line));
    const words = end.line
      .trim()
      .replace(/^\w+ (?=Not accepted)/, "")
      .replace(/ It said:.*/, "");
    return [{ iteration, words: words.charAt(0).toUpperCase() + words.slice(1), kind: end.kind }];
  });
}
