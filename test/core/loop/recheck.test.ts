import { describe, expect, test } from "vitest";
import type { Check } from "../../../src/core/index.js";
import type { RecordBody } from "../../../src/core/internal.js";
import { isGreen, recheck } from "../../../src/core/loop/recheck.js";
import { drain } from "../drain.js";
import { checked, input, iteration, reply, result } from "../journal.js";
import { openRun } from "../open-run.js";

/** A list of checks that says which of them were asked. */
function checks(verdicts: Readonly<Record<string, boolean>>, every: readonly string[] = ["tests"]) {
  const asked: string[] = [];
  const list = Object.entries(verdicts).map(([name, passed]): Check => {
    const verify = () => {
      asked.push(name);
      return { passed, output: `${name} ran` };
    };
    return { name, verify, ...(every.includes(name) && { every: "iteration" }) };
  });
  return { asked, list };
}

const edited: readonly RecordBody[] = [input(1, "go"), reply(1, ["a"]), { type: "intent", callId: "a" }, result("a")];
const at = (name: string, passed: boolean): RecordBody =>
  checked(passed, { when: "iteration" }, { check: name, output: `${name} ran` });

describe("after a change", () => {
  test("the checks for every iteration are run, and the model is told of the one that does not pass", async () => {
    const { asked, list } = checks({ tests: false, lint: true });
    const { run, types, added } = openRun({ checks: list }, edited);
    await drain(recheck(run));
    expect(asked).toEqual(["tests"]);
    expect(types()).toEqual(["check", "notice"]);
    expect(added().at(-1)).toMatchObject({ about: "check", text: expect.stringContaining("tests ran") });
  });

  test("the other checks are run as well once those pass", async () => {
    const { asked, list } = checks({ lint: false, tests: true });
    const { run, types } = openRun({ checks: list }, edited);
    await drain(recheck(run));
    expect(asked).toEqual(["tests", "lint"]);
    expect(types()).toEqual(["check", "check", "notice"]);
  });

  test("whose iteration was closed without its checks, they are run after the next, also if that is a mistake of form", async () => {
    const { asked, list } = checks({ tests: false });
    const { run, types } = openRun({ checks: list }, [...edited, iteration(1), reply(2, [])]);
    await drain(recheck(run));
    expect(asked).toEqual(["tests"]);
    expect(types()).toEqual(["check", "notice"]);
  });

  test("the model is not told the same again", async () => {
    const { list } = checks({ tests: false });
    const told: RecordBody = { type: "notice", about: "check", text: "It does not pass." };
    const { run, types } = openRun({ checks: list }, [...edited, at("tests", false), told, ...edited.slice(1)]);
    await drain(recheck(run));
    expect(types()).toEqual(["check"]);
  });
});

describe("no check is run", () => {
  test.each<[string, readonly RecordBody[], readonly string[]]>([
    ["if nothing was changed in the run", [input(1, "go"), reply(1, ["a"]), result("a")], ["tests"]],
    ["if none is for every iteration", edited, []],
    ["if it failed and nothing was changed since", [...edited, at("tests", false)], ["tests"]],
    [
      "if all of them passed and nothing was changed since",
      [...edited, at("tests", true), at("lint", true)],
      ["tests"],
    ],
    [
      "in the closing iteration",
      [
        ...edited.slice(0, 1),
        { type: "notice", about: "closing", reason: "timeout", message: "up", text: "The run has to end." },
        ...edited.slice(1),
      ],
      ["tests"],
    ],
    [
      "after an accepted claim",
      [...edited, { type: "claim", callId: "b", by: "it", ending: "waiting", value: 1, receipts: [] }],
      ["tests"],
    ],
  ])("%s", async (_when, records, every) => {
    const { asked, list } = checks({ tests: false, lint: false }, every);
    const { run, types } = openRun({ checks: list }, records);
    await drain(recheck(run));
    expect([asked, types()]).toEqual([[], []]);
  });

  test("twice for one change: a check that stands is passed over", async () => {
    const { asked, list } = checks({ tests: true, lint: true });
    const { run } = openRun({ checks: list }, [...edited, at("tests", true)]);
    await drain(recheck(run));
    expect(asked).toEqual(["lint"]);
  });
});

test("the goal is reached if all checks pass after a change, and not all of them passed all the time", async () => {
  const { list } = checks({ tests: true, lint: true });
  const green = [at("tests", true), at("lint", true)];
  const stateAfter = (records: readonly RecordBody[]) => openRun({}, records).run.state;
  const red = checked(false, { when: "baseline" }, { check: "tests" });
  expect(isGreen(stateAfter([edited[0]!, red, ...edited.slice(1), ...green]), list)).toBe(true);
  expect(isGreen(stateAfter([edited[0]!, red, ...green]), list)).toBe(false);
  expect(isGreen(stateAfter([edited[0]!, red, ...edited.slice(1), at("tests", true)]), list)).toBe(false);
  const always = ["tests", "lint"].map((check) => checked(true, { when: "baseline" }, { check }));
  expect(isGreen(stateAfter([edited[0]!, ...always, ...edited.slice(1), ...green]), list)).toBe(false);
});

describe("rules", () => {
  const rule = (name: string, passed: boolean, kind: "rule" | "advice" = "rule"): Check => ({
    name,
    kind,
    every: "iteration",
    verify: () => ({ passed, output: `${name} ran` }),
  });
  const ruled = (name: string, passed: boolean): RecordBody =>
    checked(passed, { when: "iteration" }, { check: name, kind: "rule", output: `${name} ran` });

  test("are all run after a change, and the model is told of all that fail in one notice", async () => {
    const { list, asked } = checks({ slow: true }, []);
    const all = [...list, rule("a", false), rule("b", true), rule("c", false, "advice")];
    const { run, types, added } = openRun({ checks: all }, edited);
    await drain(recheck(run));
    expect(asked).toEqual([]);
    expect(types()).toEqual(["check", "check", "check", "notice"]);
    expect(added().at(-1)).toMatchObject({
      text: [
        'The rule "a" is broken since then, so no completion is accepted. It says:\na ran',
        'The rule "c" is broken since then. Nothing is refused for it. It says:\nc ran',
      ].join("\n\n"),
    });
  });

  test("are told beside the goal that fails", async () => {
    const { list } = checks({ tests: false });
    const { run, types, added } = openRun({ checks: [rule("a", false), ...list] }, edited);
    await drain(recheck(run));
    expect(types()).toEqual(["check", "check", "notice"]);
    expect(added().at(-1)).toMatchObject({ text: expect.stringContaining('a ran\n\nThe check "tests"') });
  });

  test("that failed before the process died are told by the next, once", async () => {
    const { run, types } = openRun({ checks: [rule("a", false)] }, [...edited, ruled("a", false)]);
    await drain(recheck(run));
    expect(types()).toEqual(["check", "notice"]);
    await drain(recheck(run));
    expect(types()).toEqual(["check", "notice"]);
  });

  test("that the model knows are not told again after a claim that something else refused", async () => {
    const told: RecordBody = { type: "notice", about: "check", text: "It is broken." };
    const refused = checked(false, { claim: "b" }, { check: "tests", output: "tests ran" });
    const { list } = checks({ tests: false }, []);
    const records = [...edited, ruled("a", false), told, iteration(1), reply(2, ["b"]), refused];
    const { run, types } = openRun({ checks: [...list, rule("a", false)] }, [...records, result("b")]);
    await drain(recheck(run));
    expect(types()).toEqual([]);
  });

  test("are needed for the goal, advice is not, and neither makes a goal", () => {
    const { list } = checks({ tests: true });
    const red = checked(false, { when: "baseline" }, { check: "tests" });
    const green = [edited[0]!, red, ...edited.slice(1), at("tests", true)];
    const { state } = openRun({}, green).run;
    expect(isGreen(state, [...list, rule("a", true, "advice")])).toBe(true);
    expect(isGreen(state, [...list, rule("a", true)])).toBe(false);
    expect(isGreen(openRun({}, [...green, ruled("a", true)]).run.state, [...list, rule("a", true)])).toBe(true);
    const { state: broken } = openRun({}, [...green, ruled("a", false), ruled("a", true)]).run;
    expect(isGreen(broken, [rule("a", true)])).toBe(false);
  });
});
