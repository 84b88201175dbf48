// The work of one decision: hostile lengths are asked about, and nobody waits for them.

import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { gate, type GateOptions } from "../../../src/permission/index.js";
import type { Approver } from "../../../src/index.js";
import { without } from "../../programs.js";
import { processorTime } from "../../processor-time.js";

let root = "";

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "lastcall-work-")));
  for (let index = 0; index < 200; index += 1)
    await mkdir(join(root, "dirs", `d${String(index)}`, "x"), { recursive: true });
  await mkdir(join(root, "src"));
  for (let index = 0; index < 300; index += 1) await writeFile(join(root, "src", `f${String(index)}.ts`), "");
  await symlink("..", join(root, "src/up"));
});

afterAll(() => rm(root, { recursive: true, force: true }));

const walls = ["files", "protected", "network", "home", "secrets"] as const;
const many = Array.from({ length: 30 }, (_one, index) => [
  `read(secret${String(index)}/**)`,
  `run_command(rm${String(index)} *)`,
]);
const laws: readonly (readonly [string, Partial<GateOptions>])[] = [
  ["no rules", {}],
  ["a rule on files", { deny: ["read(secret/**)"] }],
  ["sixty rules", { deny: many.flat() }],
];

type Answer = "yes" | "no" | "asks" | "insists";

async function decided(command: string, options: Partial<GateOptions>, isWalled = false): Promise<Answer> {
  const approver = vi.fn<Approver>(() => false);
  const reach = { command, folder: ".", ...(isWalled && { walls, needs: [] }) };
  const call = { id: "1", name: "run_command", effect: "execute" as const, input: { command }, reach };
  const deciding = { signal: new AbortController().signal, session: "s", preview: () => Promise.resolve(undefined) };
  const { allowed } = await gate({ approver, ...options, root }).decide(call, deciding);
  const [question] = approver.mock.calls;
  return allowed ? "yes" : question === undefined ? "no" : question[1].insists ? "insists" : "asks";
}

/** So much text of the piece. */
const rep = (piece: string, length = 100_000): string => piece.repeat(length / piece.length);
const paths = (length: number): string => Array.from({ length }, (_one, index) => `p${String(index)}/q`).join(" ");

const hostile: readonly string[] = [
  ...[
    "ls;",
    "a && ",
    "$(",
    "(",
    "`",
    "'a' ",
    "<<'E'\n",
    "$a",
    "*",
    "[a]",
    "a{b",
    "A=b ",
    "\u200b",
    "2>&1 ",
    "{a}<b ",
  ].map((one) => rep(one)),
  ...["for a in b;do ", "if a;", "case a in b) c;; ", "cat src/*; ", "cd src; ", "rg x;", "cp a b;", "A=b c;"].map(
    (one) => rep(one),
  ),
  ...[
    "grep -i",
    "ls --color=never",
    "cat ~/x",
    "cat missing",
    "rm a",
    "mv a",
    "test a -a",
    "sudo sudo",
    "timeout -k 1s",
  ].map((one) => `${one} ${rep(`${one.split(" ").slice(1).join(" ")} `)}`),
  `cat ${paths(12_000)}`,
  `cat ${rep(`${rep("a/", 4000)}b `)}`,
  `cat ${rep(`${rep("src/../", 4000)}b `)}`,
  `cat ${rep(`${rep("a/", 2000)}${rep("../", 1900)}b `)}`,
  `cat src/${rep("*f", 2000)}`,
  `cat ${rep("dirs/*/*/../* ")}`,
  `for a in ${rep("a ", 50_000)}; do ${rep("wc $a; ", 50_000)}done`,
  `ssh ${rep("rm1 -a ")}`,
  `ssh ${rep("'a b' ")}`,
  `cat "${rep("x$HOME")}"`,
  `${rep("cd dirs/d1; cd ../..; ")}cat a`,
  `awk '${rep("{print}")}' src/f1.ts`,
  `find . ${rep("-name a -o ")}-true`,
];

describe.each(laws)("with %s, 100 KB", (_name, options) => {
  it("are decided or asked about in less than 50 ms", { timeout: 120_000 }, async () => {
    for (const command of hostile) {
      // A machine that compiles the code or collects garbage meanwhile gets another try.
      const times: number[] = [];
      while (times.length < 3 && !times.some((one) => one < 50)) {
        const spent = processorTime();
        expect(["insists", "asks", "yes"], command.slice(0, 60)).toContain(await decided(command, options));
        times.push(spent());
      }
      expect(Math.min(...times), command.slice(0, 60)).toBeLessThan(50);
    }
  });
});

it("what can't be looked through is asked about by every mode, and inside walls", async () => {
  const command = `cat ${paths(5000)}`;
  const options: Partial<GateOptions> = { deny: ["read(secret/**)"], mode: "allow-all" };
  expect(await decided(command, options)).toBe("insists");
  expect(await decided(command, options, true)).toBe("insists");
  expect(await decided(command, { ...options, tier: "full-access" })).toBe("insists");
  expect(await decided(command, { tier: "read-only" })).toBe("no");
});

it("eight hundred characters with many folders do not take seconds", async () => {
  const spent = processorTime();
  expect(await decided(`${"cd src; ".repeat(100)}ls`, { deny: ["read(secret/**)"] })).toBe("insists");
  expect(spent()).toBeLessThan(100);
});

it.skipIf(without("wc", "cat") !== "")(
  `what agents write every day is far from the bound${without("wc", "cat")}`,
  async () => {
    const words = Array.from({ length: 300 }, (_one, index) => `src/f${String(index)}.ts`).join(" ");
    const usual = [
      "wc -l src/*.ts",
      `cat ${words}`,
      "for f in src/f1*.ts; do wc -l $f; done",
      `cat <<'E'\n${rep("a line of a file\n")}E`,
      `echo '${rep("words of a text ")}'`,
    ];
    for (const command of usual)
      expect(await decided(command, { tier: "read-only" }), command.slice(0, 40)).toBe("yes");
  },
);

it("a long decision lets other sessions go on", async () => {
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 0);
  await decided(`cat ${paths(5000)}`, { deny: ["read(secret/**)"] });
  clearInterval(timer);
  expect(turns).toBeGreaterThan(0);
});
