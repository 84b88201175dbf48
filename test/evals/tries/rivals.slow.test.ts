// Rivals with scripted models, in worktrees and in copies: the truth decides, and the disk is clean afterwards.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { command } from "../../../src/checks/index.js";
import { rivals, type RivalsOptions } from "../../../src/evals/index.js";
import type { LimitOptions } from "../../../src/index.js";
import { memoryStore } from "../../../src/memory/index.js";
import type { Step } from "../../../src/testing/index.js";
import { newFolder } from "../world.js";
import { agentIn, claim, drained, modelBy, sumFolder, sumTest, write, type Request } from "./tries-world.js";

const git = (root: string, ...args: string[]): string =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: root, encoding: "utf8" });

function repository(root: string): string {
  sumFolder(root);
  git(root, "init", "--quiet");
  git(root, "add", ".");
  git(root, "commit", "--quiet", "-m", "first");
  return root;
}

/** Four rivals: a long way, a short way, no way, and a way around the test. */
const four: readonly (readonly Step[])[] = [
  [write("sum", "5\n"), write("notes.txt", "one\ntwo\nthree\n"), claim],
  [write("sum", "5\n"), claim],
  [write("sum", "7\n"), claim],
  [write("test/sum.sh", "exit 0\n"), claim],
];

function contest(
  root: string,
  steps: readonly (readonly Step[])[],
  more: Partial<RivalsOptions> & { requests?: Request[]; limits?: LimitOptions } = {},
) {
  const { requests, limits, ...options } = more;
  const folder = newFolder();
  const store = memoryStore();
  const run = (input: string | undefined) =>
    rivals(
      (at, number) =>
        agentIn(at, {
          model: modelBy(() => steps[number - 1]!, requests),
          checks: [command(sumTest, { cwd: at })],
          ...(limits && { limits }),
        }),
      input,
      { store, id: "r", root, folder, most: steps.length, ...options },
    );
  return { folder, store, run };
}

test.for(["git", "none"])("of two rivals that are right the smaller change is kept (%s)", async (kind) => {
  const root = kind === "git" ? repository(newFolder()) : sumFolder(newFolder());
  writeFileSync(join(root, "dirty"), "not committed\n");
  const { folder, store, run } = contest(root, four);
  const { end } = await drained(run("Mend the sum."));
  expect(end).toMatchObject({ status: "completed", number: 2 });
  expect(end.tries.map(({ isRight }) => isRight)).toEqual([true, true, false, false]);
  expect(end.tries[3]).toMatchObject({ outcome: { status: "completed" }, putBack: ["test/sum.sh"] });
  expect(end.tries[3]?.why).toContain("the sum is 4");
  expect(readFileSync(join(root, "sum"), "utf8")).toBe("5\n");
  expect(readFileSync(join(root, "dirty"), "utf8")).toBe("not committed\n");
  expect(existsSync(join(root, "notes.txt"))).toBe(false);
  expect((await store.list()).map(({ id }) => id).sort()).toEqual(["r", "r.2", "r.3", "r.4"]);
  expect(readdirSync(folder).filter((name) => !name.endsWith(".lock"))).toEqual(["r.jsonl"]);
  if (kind === "git") {
    expect(git(root, "worktree", "list").trim().split("\n")).toHaveLength(1);
    expect(git(root, "status", "--porcelain")).toBe(" M sum\n?? dirty\n");
  }
  writeFileSync(join(root, "sum"), "6\n");
  const again = await drained(run(undefined));
  expect(again.end).toMatchObject({ status: "completed", number: 2 });
  expect(readFileSync(join(root, "sum"), "utf8")).toBe("6\n");
});

test("by decides among rivals that are right", async () => {
  const root = sumFolder(newFolder());
  const { run } = contest(root, four, {
    by: (at) => (existsSync(join(at, "notes.txt")) ? 9 : 3),
  });
  const { end } = await drained(run("Mend the sum."));
  expect(end).toMatchObject({ status: "completed", number: 1 });
  expect(end.tries[1]).toMatchObject({ rating: 3 });
  expect(existsSync(join(root, "notes.txt"))).toBe(true);
});

test("without a rival that is right nothing changes, and the folders go", async () => {
  const root = repository(newFolder());
  const { folder, run } = contest(root, [four[2]!, four[3]!]);
  const { end } = await drained(run("Mend the sum."));
  expect(end).toMatchObject({ status: "stopped", message: "no rival of 2 is right" });
  expect(git(root, "status", "--porcelain")).toBe("");
  expect(git(root, "worktree", "list").trim().split("\n")).toHaveLength(1);
  expect(existsSync(join(folder, "r"))).toBe(false);
});

test("files that git ignores count as no change, and a file that somebody changed meanwhile stays", async () => {
  const root = repository(newFolder());
  writeFileSync(join(root, ".gitignore"), "*.log\n");
  const { run } = contest(root, [[write("sum", "5\n"), write("big.log", "1\n2\n3\n"), claim]]);
  const running = run("Mend the sum.");
  const first = await running.next();
  expect(first.value).toMatchObject({ type: "try-start" });
  for (let next = await running.next(); next.done !== true; next = await running.next())
    if (next.value.type === "try-end") {
      expect(next.value.tried.lines).toBe(2);
      writeFileSync(join(root, "sum"), "mine\n");
    }
  expect(readFileSync(join(root, "sum"), "utf8")).toBe("mine\n");
  writeFileSync(join(root, "sum"), "4\n");
  const { end } = await drained(run(undefined));
  expect(end).toMatchObject({ status: "completed", number: 1 });
  expect(readFileSync(join(root, "sum"), "utf8")).toBe("5\n");
  expect(existsSync(join(root, "big.log"))).toBe(false);
});

test("one limit holds for all rivals", async () => {
  const requests: Request[] = [];
  const idle = [write("a", "1"), write("a", "2"), write("a", "3"), write("a", "4"), write("a", "5")];
  const { run } = contest(sumFolder(newFolder()), [idle, idle, idle], { requests, limits: { maxIterations: 7 } });
  const { end } = await drained(run("Mend the sum."));
  expect(end.status).toBe("stopped");
  expect(requests.length).toBeLessThanOrEqual(8);
});

test("a folder for copies inside of the work folder is refused", async () => {
  const root = sumFolder(newFolder());
  const { run } = contest(root, four, { folder: join(root, "copies") });
  await expect(drained(run("Mend the sum."))).rejects.toThrow("Give a folder elsewhere");
});

test("what a killed process left before its first session began goes with the next call", async () => {
  const root = repository(newFolder());
  const { folder, run } = contest(root, [four[1]!]);
  mkdirSync(join(folder, "old/base.new"), { recursive: true });
  git(root, "worktree", "add", "--quiet", "--detach", join(realpathSync(folder), "older/1/work"));
  rmSync(join(folder, "older/1"), { recursive: true });
  writeFileSync(join(folder, "older.jsonl"), `${JSON.stringify({ type: "base", root })}\n`);
  const { end } = await drained(run("Mend the sum."));
  expect(end.status).toBe("completed");
  expect(readdirSync(folder).filter((name) => name.startsWith("old"))).toEqual([]);
  expect(git(root, "worktree", "list").trim().split("\n")).toHaveLength(1);
});

test("two processes do not work on the same rivals", async () => {
  const { run } = contest(sumFolder(newFolder()), four);
  const running = run("Mend the sum.");
  await running.next();
  await expect(run(undefined).next()).rejects.toThrow("Wait for its end");
  const { end } = await drained(running);
  expect(end.status).toBe("completed");
});
