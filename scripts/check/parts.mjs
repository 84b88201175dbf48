// The parts of a check that take turns. The commit's hash chooses them, so that each comes up about every fifth time, and the same commit gets the same.

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The parts that the chaos suite is divided into. A check runs one of them. */
const chaosParts = 5;

/** The parts that the planted faults are divided into. */
const plantParts = 16;

const shells = ["dash", "bash", "bash-as-sh", "zsh"];

/** Folders of fast tests that ran on the bare machine. Without a program in the test they have nothing new to show on another machine. */
const alike = [
  ...[
    "ai-sdk",
    "approval",
    "checks",
    "core",
    "e2e",
    "host",
    "mcp",
    "memory",
    "model",
    "otel",
    "permission",
    "scenarios",
  ],
  ...["schema", "server", "studio", "testing"],
];

/** A slow test file that has its turn with the commands under strace. */
export const slowInTurn = "test/permission/planted-commands.slow.test.ts";

/** The commit that is checked, in hexadecimal digits; zero without a repository. A bare machine has no git. */
export function commitOf(root) {
  const { stdout } = spawnSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8" });
  const text = stdout?.trim() || headIn(join(root, ".git"));
  return /^[0-9a-f]{40,64}$/.test(text) ? text : "0".repeat(40);
}

function headIn(folder) {
  const read = (name) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), "utf8").trim() : "");
  try {
    const head = read("HEAD");
    const [, ref] = /^ref: (.*)$/.exec(head) ?? [];
    if (ref === undefined) return head;
    return (
      read(ref) ||
      (
        read("packed-refs")
          .split("\n")
          .find((line) => line.endsWith(` ${ref}`)) ?? ""
      ).split(" ")[0]
    );
  } catch {
    // Without a readable repository every check has the same parts.
    return "";
  }
}

/**
 * The parts for the commit: `chaos`, as in "2/5", and `other`, the steps of one more part: each a command, a slow test file or
 * fast ones, or the tests over fetch. `alike` are the fast test files that
 * run on this machine if the part has them.
 */
export function partsFor(commit, alike) {
  const number = Number.parseInt(commit.slice(0, 12), 16);
  /** The digits of the number, with a base of one's own for each. */
  const digit = (before, base) => Math.floor(number / before) % base;
  const [chaos, turn, more] = [digit(1, chaosParts) + 1, digit(5, 5), Math.floor(number / 25)];
  const others = [
    [
      { name: "tests over fetch" },
      { name: "recordings", command: ["npm", "run", "recordings", "--", "test/recordings/sample.jsonl"] },
      { name: "a real model", command: ["npm", "run", "real", "--", "--short", "--minutes", "2"] },
    ],
    [{ name: "fast tests that need no program", files: alike }],
    [
      {
        name: "simulation",
        command: ["npm", "run", "simulate", "--", "--from", String((more % 1_000_000) + 1), "--seeds", "1500"],
      },
    ],
    [
      {
        name: "commands under strace",
        command: [
          ...["npm", "run", "attacks:real", "--", "--count", "800"],
          ...["--seed", String(more % 1_000_000), "--shells", shells[more % shells.length]],
        ],
      },
      { name: "planted commands", slow: slowInTurn },
    ],
    [
      {
        name: "planted faults",
        command: ["npm", "run", "plant", "--", "--part", `${(more % plantParts) + 1}/${plantParts}`],
      },
    ],
  ];
  return { chaos: `${chaos}/${chaosParts}`, other: others[turn] };
}

/** The fast test files that have the same to show on every machine. */
export function filesAlike(root) {
  const found = alike.flatMap((folder) => {
    const names = readdirSync(join(root, "test", folder), { recursive: true });
    return names.map((name) => `test/${folder}/${name}`);
  });
  const usesPrograms = /programs\.js|sandboxes\.js|noPostgres|hasSqlite|left out/;
  return [...found, "test/unknown-options.test.ts"]
    .filter((file) => file.endsWith(".test.ts") && !file.endsWith(".slow.test.ts"))
    .filter((file) => !usesPrograms.test(readFileSync(join(root, file), "utf8")))
    .sort();
}
