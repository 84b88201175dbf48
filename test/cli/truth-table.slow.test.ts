// Every end of a run, with its outcome, its exit code and its output.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { StopReason } from "../../src/index.js";
import { call, scriptedProvider, type Script, type ScriptedCall } from "../../src/testing/index.js";
import { run, runHere, start, temporary, type Ended } from "./command.js";

const claim = [call("task_completion", { result: "It works." })];
const make = [call("write_file", { path: "made", content: "x" })];
const ask = [call("ask_question", { question: "Which one?" })];
let key = 0;
const look = (): readonly ScriptedCall[] => [call("list_files", { path: `.${"/.".repeat((key += 1))}` })];
/** A script that works until the harness asks for the last reply. */
const until =
  (last: readonly ScriptedCall[], before: () => readonly ScriptedCall[] = look): Script =>
  ({ lastText }) =>
    /has to end|goal is reached/.test(lastText) ? last : before();
const large = { inputTokens: 1000, outputTokens: 100 };

interface Row {
  readonly script: Script;
  readonly args?: readonly string[];
  /** Interrupts the command when its output contains these words. */
  readonly interruptAt?: string;
  readonly code: number;
  /** The answer; empty if there is none. */
  readonly stdout?: string;
  /** The beginning of the closing line. */
  readonly closing: string;
  /** Other words on standard error. */
  readonly says?: string;
  /** The outcome that `--json` prints. */
  readonly outcome: Readonly<Record<string, unknown>>;
}

const partial = { text: "", claim: { by: "task_completion", value: { result: "It works." } } };

/** Rows by their reason: a new reason without a row does not compile. */
const stops: Readonly<Record<Exclude<StopReason, "veto">, Row>> = {
  circuit_open: {
    script: () => [call("read_file", { path: "none" })],
    code: 2,
    closing: "stopped (circuit_open): 5 times in a row the same failure: tool_error (read_file)",
    outcome: { reason: "circuit_open", partial: { text: "" } },
  },
  context_full: {
    script: () => ({ status: 400, code: "context_length_exceeded", message: "Too long." }),
    code: 2,
    closing: "stopped (context_full): The provider at ",
    outcome: { reason: "context_full", partial: { text: "" } },
  },
  stalled: {
    script: () => [call("list_files", {})],
    code: 2,
    closing: "stopped (stalled): 6 times in a row the same calls with the same results",
    outcome: { reason: "stalled" },
  },
  checks_failed: {
    script: () => claim,
    args: ["--until", "false", "--attempts", "2"],
    code: 2,
    closing: "stopped (checks_failed): the checks failed 2 times",
    outcome: { reason: "checks_failed", receipts: [{ check: "false", passed: false, exitCode: 1 }] },
  },
  check_passed: {
    script: ({ number }) => (number === 1 ? make : look()),
    args: ["--until-every", "test -f made"],
    code: 0,
    closing: "stopped (check_passed): every check passes: test -f made",
    outcome: { reason: "check_passed", receipts: [{ check: "test -f made", passed: true, exitCode: 0 }] },
  },
  gave_up: {
    script: [[call("give_up", { reason: "There is no such file." })]],
    code: 2,
    closing: "stopped (gave_up): the model gave up by give_up",
    says: "Not finished. It said (give_up): There is no such file.",
    outcome: { reason: "gave_up", partial: { claim: { by: "give_up" } } },
  },
  refused: {
    script: [{ text: "I can't help with that.", finishReason: "content_filter" }],
    code: 2,
    closing: "stopped (refused): the provider refused to answer",
    says: "Not finished. It said last: I can't help with that.",
    outcome: { reason: "refused", partial: { text: "I can't help with that." } },
  },
  max_iterations: {
    script: until(claim),
    args: ["--max-iterations", "2"],
    code: 2,
    closing: "stopped (max_iterations): 2 iterations, as many as allowed",
    says: "Not finished. It said (task_completion): It works.",
    outcome: { reason: "max_iterations", partial, iterations: 3 },
  },
  timeout: {
    script: () => ({ calls: look(), delay: 60_000 }),
    args: ["--timeout", "400ms"],
    code: 124,
    closing: "stopped (timeout): the time is up: 400 ms for the run",
    says: "Not finished.",
    outcome: { reason: "timeout", partial: { text: "" }, iterations: 0 },
  },
  token_budget: {
    script: ({ lastText }) => ({ calls: lastText.includes("has to end") ? claim : look(), usage: large }),
    args: ["--max-tokens", "5000"],
    code: 2,
    closing: "stopped (token_budget): ",
    says: "Not finished. It said (task_completion): It works.",
    outcome: { reason: "token_budget", partial: partial },
  },
  cost_budget: {
    script: ({ lastText }) => ({ calls: lastText.includes("has to end") ? claim : look(), usage: large }),
    args: ["--max-cost", "0.01", "--prices", "prices.json"],
    code: 2,
    closing: "stopped (cost_budget): ",
    says: "cost 0.0",
    outcome: { reason: "cost_budget", partial: partial },
  },
};

const others: Readonly<Record<string, Row>> = {
  "a completion that nobody asked to check": {
    script: [claim],
    code: 0,
    stdout: "It works.\n",
    closing: "completed, unchecked ·",
    outcome: { status: "completed", verified: "unchecked", receipts: [] },
  },
  "a completion that nobody asked to check, though one is required": {
    script: [claim],
    args: ["--require-verified"],
    code: 6,
    stdout: "It works.\n",
    closing: "completed, unchecked ·",
    says: "No check verified this completion. Give one with --until COMMAND.",
    outcome: { status: "completed", verified: "unchecked", receipts: [] },
  },
  "a completion with parts that the model did not verify": {
    script: [[call("task_completion", { result: "It works.", unverified: ["The docs are true."] })]],
    code: 0,
    stdout: "It works.\n",
    closing: "completed, unchecked ·",
    says: "Not verified, says the model: The docs are true.",
    outcome: { status: "completed", verified: "unchecked", unverified: ["The docs are true."] },
  },
  "a completion that a check confirmed": {
    script: [claim, make, claim],
    args: ["--until", "test -f made"],
    code: 0,
    stdout: "It works.\n",
    closing: "completed, checked ·",
    outcome: { status: "completed", verified: "checked", receipts: [{ failedBefore: 1, passedAtBaseline: false }] },
  },
  "a completion whose check passed before anything was done": {
    script: [claim],
    args: ["--until", "true"],
    code: 5,
    stdout: "It works.\n",
    closing: "completed, held ·",
    says: "Give --until a command that fails until the task is done, for example a new test.",
    outcome: { status: "completed", verified: "held", receipts: [{ passedAtBaseline: true }] },
  },
  "a completion claimed once the goal was seen to be reached": {
    script: until(claim, () => make),
    args: ["--until-every", "test -f made"],
    code: 0,
    stdout: "It works.\n",
    closing: "completed, checked ·",
    outcome: { status: "completed", verified: "checked", iterations: 2 },
  },
  "a completion claimed in the last iteration, and confirmed": {
    script: until(claim, () => make),
    args: ["--max-iterations", "1", "--until", "test -f made"],
    code: 0,
    stdout: "It works.\n",
    closing: "completed, checked ·",
    outcome: { status: "completed", verified: "checked", iterations: 2 },
  },
  "a completion claimed in the last iteration, and not confirmed": {
    script: until(claim),
    args: ["--max-iterations", "1", "--until", "test -f made"],
    code: 2,
    closing: "stopped (max_iterations): 1 iteration, as many as allowed",
    says: "Not finished. It said last: It works.",
    outcome: { status: "stopped", partial: { text: "It works." } },
  },
  "a question": {
    script: [ask],
    code: 3,
    closing: "waiting for an answer",
    says: "Which one?",
    outcome: { status: "waiting", by: "ask_question" },
  },
  "an interrupt": {
    script: [{ calls: look(), delay: 60_000 }],
    args: ["--verbose"],
    interruptAt: "asking, with",
    code: 130,
    closing: "interrupted",
    outcome: { status: "aborted", partial: { text: "" } },
  },
  "a provider that says no": {
    script: [{ status: 404, message: "no such model" }],
    code: 1,
    closing: "failed",
    says: "no such model",
    outcome: { status: "failed", partial: { text: "" } },
  },
  "a key that is not taken": {
    script: [{ status: 401, message: "bad key" }],
    code: 4,
    closing: "failed",
    says: "bad key",
    outcome: { status: "failed" },
  },
};

const rows = [...Object.entries(stops), ...Object.entries(others)];

/** The rows that the built command runs. The others are run by its sources, in this process: it takes a tenth of the time. */
const asProcess = new Set(["a completion that a check confirmed", "a question"]);
const seen: { readonly name: string; readonly code: number | null; readonly outcome: Record<string, unknown> }[] = [];

async function runRow(
  { script, args = [], interruptAt }: Row,
  running: typeof run,
  ...more: readonly string[]
): Promise<Ended> {
  await using provider = await scriptedProvider(script);
  await using folder = await temporary();
  await writeFile(join(folder.path, "prices.json"), JSON.stringify({ m: { input: 2, output: 4 } }));
  const placed = args.map((word) => (word === "prices.json" ? join(folder.path, word) : word));
  const reach = ["--base-url", provider.url, "--model", "m", "--workdir", folder.path, "--yes"];
  if (interruptAt === undefined) return await running(["do it", ...reach, ...placed, ...more]);
  const { child, ended, seen: sees } = start(["do it", ...reach, ...placed, ...more]);
  await sees(interruptAt);
  child.kill("SIGINT");
  await sees("Once more to stop at once");
  child.kill("SIGINT");
  return await ended;
}

test.each(rows)("%s", { timeout: 30_000 }, async (name, row) => {
  const { code, stdout = "", closing, says = "", outcome } = row;
  const [plain, json] = await Promise.all([
    runRow(row, asProcess.has(name) ? run : runHere),
    runRow(row, runHere, "--json"),
  ]);
  expect({ code: plain.code, stdout: plain.stdout }).toEqual({ code, stdout });
  const lines = plain.stderr.trimEnd().split("\n");
  expect(lines.at(-1)).toMatch(/ · \d+ iterations? · /);
  expect(lines.at(-1)?.startsWith(closing)).toBe(true);
  expect(plain.stderr).toContain(says);

  expect(json.code).toBe(code);
  const printed = JSON.parse(json.stdout) as Record<string, unknown>;
  expect(printed).toMatchObject({ status: name in stops ? "stopped" : printed["status"], ...outcome });
  expect(printed).toHaveProperty("session.records");
  seen.push({ name, code, outcome: printed });
});

test("a command line that can't be read exits 4 and runs nothing", async () => {
  const { code, stdout, stderr } = await run(["do it", "--max-cost", "1"]);
  expect({ code, stdout }).toEqual({ code: 4, stdout: "" });
  expect(stderr).toBe(
    "lastcall: --max-cost needs to know what the model costs; add --prices FILE. See lastcall --help.\n",
  );
});

afterAll(() => {
  // Only an accepted completion and passed checks of --until-every exit 0.
  expect(seen).toHaveLength(rows.length);
  for (const { name, code, outcome } of seen.filter((row) => row.code === 0)) {
    const asked = rows.find(([other]) => other === name)?.[1].args?.some((word) => word.startsWith("--until")) ?? false;
    const isDone = outcome["status"] === "completed" && (!asked || outcome["verified"] === "checked");
    expect([name, code, isDone || outcome["reason"] === "check_passed"]).toEqual([name, 0, true]);
  }
});
