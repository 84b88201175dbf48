import { describe, expect, test } from "vitest";
import { preview } from "../../../src/cli/person/approver.js";
import { describeEnding, exitCode, faultCode } from "../../../src/cli/show/ending.js";
import { humanLog } from "../../../src/cli/show/human-log.js";
import { oneLine, visible, visibleWords } from "../../../src/cli/display/visible.js";
import { plain, seconds, tokens } from "../../../src/cli/display/quantities.js";
import { createAgent, LastcallError, noUsage, type Event, type Outcome } from "../../../src/index.js";
import { call, scriptedModel } from "../../../src/testing/index.js";
import { taskCompletion } from "../../../src/tools/index.js";

/** The lines of the events, each 50 ms after the previous one. */
function linesOf(events: readonly Event[], isVerbose = false): readonly string[] {
  const log = humanLog({ style: plain, isVerbose });
  return events.flatMap((event, index) => log(event, 1000 + index * 50));
}

test("the log is a pure function of the events and their times", async () => {
  const model = scriptedModel([
    { text: "Hm.\nLet me see.", calls: [call("look", { file: "a\nb" })] },
    { text: "words" },
    [call("task_completion", { result: "x".repeat(300) })],
  ]);
  const events: Event[] = [];
  await createAgent({ model, tools: [taskCompletion()] }).run("go", { onEvent: (event) => void events.push(event) });
  const some: readonly Event["type"][] = ["run-start", "reply-end", "call-start", "call-end", "run-end"];
  const few = events.filter(({ type }) => some.includes(type) || /^(?:iteration|reply|claim)-/.test(type));
  const once = linesOf(few);
  expect(once).toEqual([
    "[1]  Hm.\\nLet me see.",
    "[1]  look a\\nb",
    '      unknown_tool There is no tool named "look". (50 ms)',
    "[2]  words",
    "[2]  no call (50 ms)",
    "      no_tool_call Your reply had words and no tool call; nobody acts on words.",
    `[3]  task_completion ${"x".repeat(79)}…`,
    "      accepted (50 ms)",
    "completed, unchecked · 3 iterations · tokens not reported · 0.8 s",
  ]);
  expect(linesOf(few)).toEqual(once);
});

test("the number of an iteration stands apart from the line, whatever its length", () => {
  const at = (iteration: number): readonly string[] =>
    linesOf([
      { type: "iteration-start", iteration },
      { type: "call-start", call: { type: "call", id: "c", name: "look", input: {} } },
    ]);
  expect([at(9), at(10), at(100), at(1000)].flat()).toEqual(["[9]  look", "[10] look", "[100] look", "[1000] look"]);
});

test("the time of thinking is one line, followed by the thoughts if the log is verbose", () => {
  const events: readonly Event[] = [
    { type: "iteration-start", iteration: 2 },
    { type: "reasoning-delta", text: "Is it a\nprime" },
    { type: "reasoning-delta", text: "?" },
    { type: "call-delta", index: 0, name: "look", text: "{" },
    { type: "call-delta", index: 0, name: "look", text: "}" },
  ];
  expect(linesOf(events)).toEqual(["[2]  thought for 0.1 s"]);
  expect(linesOf(events, true)).toEqual(["[2]  thought for 0.1 s", "      | Is it a", "      | prime?"]);
});

test("the usage of several runs is added up: a run that asked and the run after the answer are one task", () => {
  const session = { version: 1, id: "s", records: [] } as const;
  const usage = { ...noUsage, inputTokens: 10, outputTokens: 1 };
  const ended = { session, inputs: [], usage, iterations: 1, cost: 0.5 } as const;
  const partial = { text: "" };
  const lines = linesOf([
    { type: "run-start", session: "s", run: 1, input: "go" },
    { type: "run-end", outcome: { ...ended, status: "aborted", message: "m", partial } },
    { type: "run-start", session: "s", run: 2, input: "on" },
    { type: "run-end", outcome: { ...ended, status: "aborted", message: "m", partial } },
  ]);
  expect(lines).toEqual([
    "interrupted · 1 iteration · 10 tokens in, 1 out · cost 0.5 · 50 ms",
    "interrupted · 2 iterations · 20 tokens in, 2 out · cost 1 · 0.1 s",
  ]);
});

test("a call that was approved later has no number: it runs before the first iteration of its run", () => {
  const call = { type: "call", id: "c", name: "touch", input: {} } as const;
  const why = "it needs the network";
  const before = linesOf([
    { type: "iteration-start", iteration: 2 },
    { type: "call-start", call },
    { type: "call-parked", callId: "c", name: "touch", why, digest: "d" },
  ]);
  expect(before).toEqual(["[2]  touch", "      waits for an approval: it needs the network"]);
  expect(linesOf([{ type: "call-start", call }])).toEqual(["     touch"]);
});

test("repaired calls and notices of the harness are one line each", () => {
  const dimmed = { ...plain, dim: (text: string) => `<${text}>` };
  const log = humanLog({ style: dimmed, isVerbose: false });
  const lines = (event: Event): readonly string[] => log(event, 0);
  lines({ type: "iteration-start", iteration: 4 });
  const repairs = ["a trailing comma", "quotes\nround the keys"];
  expect(lines({ type: "call-healed", call: 0, name: "look", repairs })).toEqual([
    "<[4]  ><mended look: a trailing comma; quotes\\nround the keys>",
  ]);
  expect(lines({ type: "notice", about: "stall", text: "You repeat yourself.\nStop." })).toEqual([
    "      You repeat yourself.",
  ]);
  const text = "8 iterations of at most 10 are used.";
  expect(lines({ type: "notice", about: "limit", reason: "max_iterations", text })).toEqual([
    "<[4]  >limit near: 8 iterations of at most 10 are used.",
  ]);
  const closing = { about: "closing", reason: "max_iterations", message: "10 iterations, as many as allowed" } as const;
  expect(lines({ type: "notice", ...closing, text: "The run has to end." })).toEqual([
    "<[4]  >closing (max_iterations): 10 iterations, as many as allowed",
  ]);
  expect(lines({ type: "notice", about: "baseline", text: "It does not pass yet." })).toEqual([]);
});

test("checks are logged at their end, with their time and the changed files that they depend on", () => {
  const log = humanLog({ style: plain, isVerbose: false });
  const lines = (event: Event): readonly string[] => log(event, 0);
  const end = { type: "check-end", check: "npm test", output: "ok", duration: 1200 } as const;
  expect(lines({ type: "check-start", check: "npm test", when: "claim" })).toEqual([]);
  expect(lines({ ...end, when: "baseline", passed: false, changed: [] })).toEqual([
    "      check npm test: failed before anything was done (1.2 s)",
  ]);
  const changed = ["test/a.js", "b", "c", "d", "e", "f"];
  expect(lines({ ...end, when: "claim", passed: true, changed })).toEqual([
    "      check npm test: passed (1.2 s)",
    "      changed since the start, and part of what the check goes by: test/a.js, b, c, d, e and 1 more",
  ]);
});

test("the time until a person allowed a call counted as the call's own", () => {
  const log = humanLog({ style: plain, isVerbose: false, condensed: true });
  const result = { callId: "c", name: "touch", ok: true, text: "done" } as const;
  log({ type: "iteration-start", iteration: 1 }, 0);
  log({ type: "call-start", call: { type: "call", id: "c", name: "touch", input: {} } }, 0);
  log({ type: "call-decision", callId: "c", allowed: true, reason: "the user said yes" }, 60_000);
  expect(log({ type: "call-end", result }, 60_020)).toEqual(["[1]  touch → ok done (20 ms)"]);
});

test("words keep the joiners of scripts and emoji, and no others", () => {
  const joined = ["👩\u200d👩\u200d👧\u200d👦", "👩🏽\u200d🚀", "🏳\ufe0f\u200d🌈", "می\u200cخواهم", "क्\u200dष"];
  for (const text of joined) expect(visibleWords(text)).toBe(text);
  expect(visibleWords("\u200dpay\u200cpal\u200b 1\u200d2 a\u200dب\n")).toBe(
    "\\u{200d}pay\\u{200c}pal\\u{200b} 1\\u{200d}2 a\\u{200d}ب\\n",
  );
});

test("invisible characters are shown, long texts are cut", () => {
  expect(visible("a\u0007b\u009b1m\u200b\u2028c\u00ad")).toBe("a\\u{7}b\\u{9b}1m\\u{200b}\\u{2028}c\\u{ad}");
  expect(visible("a\n\tb", { multiline: true })).toBe("a\n\tb");
  expect(visible("👩\u200d👧")).toBe("👩\\u{200d}👧");
  expect(oneLine("  a\nb  ", 10)).toBe("a\\nb");
  expect(oneLine("y".repeat(1_000_000), 10)).toBe(`${"y".repeat(9)}…`);
});

test("an approval shows the whole call, line by line", () => {
  const input = { path: "a\u202etxt", content: "one\ntwo\u001b[2J" };
  expect(preview({ id: "1", name: "write_file", effect: "write", input })).toBe(
    ["write_file wants to write:", "  path: a\\u{202e}txt", "  content:", "  | one", "  | two\\u{1b}[2J"].join("\n"),
  );
});

test("only a completion and passed checks exit with 0", () => {
  const ended = { session: { version: 1, id: "s", records: [] }, inputs: [], usage: noUsage, iterations: 1 } as const;
  const partial = { text: "" };
  const stopped = { ...ended, status: "stopped", message: "m", partial, receipts: [] } as const;
  const failed = (code: "provider_rejected" | "configuration" | "authentication"): Outcome => ({
    ...ended,
    status: "failed",
    message: "m",
    fault: new LastcallError(code, "m"),
    partial,
  });
  const claimed = { ...ended, status: "completed", by: "t", value: 1, verified: "unchecked" } as const;
  const completed = { ...claimed, unverified: [], receipts: [] } as const;
  const table: readonly (readonly [Outcome, number, string])[] = [
    [{ ...completed, by: "task_completion" }, 0, "completed, unchecked"],
    [{ ...completed, by: "task_completion", verified: "checked" }, 0, "completed, checked"],
    [{ ...completed, verified: "checked" }, 0, "completed by t, checked"],
    [{ ...completed, verified: "held" }, 5, "completed by t, held"],
    [{ ...ended, status: "waiting", by: "converse", value: 1, id: "c" }, 3, "waiting for an answer"],
    [{ ...ended, status: "waiting", by: "t", value: 1, id: "c" }, 3, "waiting for an answer to t"],
    [{ ...stopped, reason: "circuit_open" }, 2, "stopped (circuit_open): m"],
    [{ ...stopped, reason: "check_passed" }, 0, "stopped (check_passed): m"],
    [{ ...stopped, reason: "veto" }, 2, "stopped (veto): m"],
    [{ ...stopped, reason: "stalled" }, 2, "stopped (stalled): m"],
    [{ ...stopped, reason: "checks_failed" }, 2, "stopped (checks_failed): m"],
    [{ ...stopped, reason: "gave_up" }, 2, "stopped (gave_up): m"],
    [{ ...stopped, reason: "refused" }, 2, "stopped (refused): m"],
    [{ ...stopped, reason: "max_iterations" }, 2, "stopped (max_iterations): m"],
    [{ ...stopped, reason: "timeout" }, 124, "stopped (timeout): m"],
    [{ ...ended, status: "aborted", message: "m", partial }, 130, "interrupted"],
    [failed("provider_rejected"), 1, "failed"],
    [failed("configuration"), 4, "failed"],
    [failed("authentication"), 4, "failed"],
  ];
  for (const [outcome, code, words] of table) {
    expect([exitCode(outcome, { requireVerified: false }), describeEnding(outcome)]).toEqual([code, words]);
  }
  expect(faultCode(new LastcallError("bug", "m"))).toBe(1);
  for (const verified of ["checked", "judged", "held"] as const)
    expect(exitCode({ ...completed, verified }, { requireVerified: true })).toBe(verified === "held" ? 5 : 0);
  expect(exitCode(completed, { requireVerified: true })).toBe(6);
});

test("times and tokens are worded", () => {
  expect([seconds(99), seconds(100), seconds(61_000)]).toEqual(["99 ms", "0.1 s", "61.0 s"]);
  expect(tokens(noUsage)).toBe("tokens not reported");
  expect(tokens({ inputTokens: 10, cachedInputTokens: 4, outputTokens: 3, reasoningTokens: 0 })).toBe(
    "10 tokens in (4 cached), 3 out",
  );
});

test("the stack of an error in a tool is shown below its result if the log is verbose, with its causes", () => {
  const failure = { kind: "tool_error", tool: "t", message: "fetch failed", advice: "", signature: "" } as const;
  const result = { callId: "a", name: "t", ok: false, text: "fetch failed", failure };
  const error = {
    message: "fetch failed",
    stack: "TypeError: fetch failed\n    at t.ts:1",
    cause: { message: "refused" },
  };
  const events: readonly Event[] = [{ type: "call-end", result, error }];
  expect(linesOf(events)).toEqual(["      tool_error fetch failed (0 ms)"]);
  expect(linesOf(events, true).slice(2)).toEqual([
    "      | TypeError: fetch failed",
    "      |     at t.ts:1",
    "      | caused by refused",
  ]);
});

describe("the diff of a change", () => {
  const edit = (id: string, replace: string): Event => ({
    type: "call-start",
    call: { type: "call", id, name: "edit_file", input: { path: "a.go", edits: [{ search: "old", replace }] } },
  });
  const ended = (callId: string, ok = true): Event => ({
    type: "call-end",
    result: {
      callId,
      name: "edit_file",
      ok,
      text: "Edited a.go (1 edit), now on line 1",
      ...(!ok && { failure: { kind: "tool_error", message: "no", advice: "", signature: "" } }),
    },
  });

  test("is shown below an edit that was made, and not below an edit that failed", () => {
    expect(linesOf([edit("1", "\tnew"), ended("1")])).toEqual([
      "     edit_file a.go",
      "      ok 1 edit, +1 −1 (50 ms)",
      "      -old",
      "      +\tnew",
    ]);
    expect(linesOf([edit("1", "new"), ended("1", false)])).toHaveLength(2);
  });

  test("is folded with the number of the lines left out, and whole if the log is verbose", () => {
    const long = Array.from({ length: 40 }, (_, at) => `line ${String(at)}`).join("\n");
    const few = linesOf([edit("1", long), ended("1")]);
    expect(few.slice(-2)).toEqual(["      +line 18", "      [... 21 more lines]"]);
    expect(linesOf([edit("1", long), ended("1")], true)).toContain("      +line 39");
  });

  test("is not shown again after a question that has shown it", () => {
    const asking: Event = { type: "call-asking", callId: "1", name: "edit_file", why: "every write is asked about" };
    expect(linesOf([edit("1", "new"), asking, ended("1")])).toEqual([
      "     edit_file a.go",
      "      ok 1 edit, +1 −1 (0.1 s)",
    ]);
  });

  test("is coloured at a terminal, and can't move its cursor", () => {
    const style = { ...plain, good: (text: string) => `<good>${text}`, bad: (text: string) => `<bad>${text}` };
    const log = humanLog({ style, isVerbose: false });
    const lines = [edit("1", "\u001b[2Jnew"), ended("1")].flatMap((event) => log(event, 0));
    expect(lines.slice(-2)).toEqual(["      <bad>-old", "      <good>+\\u{1b}[2Jnew"]);
  });
});
