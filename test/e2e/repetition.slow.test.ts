// What repeats itself: failures in a row, hints that escalate, and calls that succeed without getting anywhere.

import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent, tool, type Event, type Hook, type JournalRecord } from "../../src/index.js";
import type { RecordBody } from "../../src/core/internal.js";
import { replay } from "../../src/core/journal/step.js";
import {
  assertPrefixStable,
  assertWellFormed,
  call,
  scriptedModel,
  type Script,
  type Step,
} from "../../src/testing/index.js";
import { taskCompletion } from "../../src/tools/index.js";
import { agentOn, assertPaired, failingFor, lookup, prompt, tools } from "./agent-on.js";

const done = [call("task_completion", { result: "all done" })];
const read = [call("lookup", { key: "a" })];
const other = [call("lookup", { key: "b" })];
const unknown = [call("missing_tool", { x: 1 })];

/** Says the steps again and again. */
function round(...steps: readonly Step[]): Script {
  return ({ number }) => steps[(number - 1) % steps.length]!;
}

function ofType<Type extends Event["type"]>(
  events: readonly Event[],
  type: Type,
): readonly Extract<Event, { type: Type }>[] {
  return events.filter((event): event is Extract<Event, { type: Type }> => event.type === type);
}

describe("failures in a row open the circuit", () => {
  test("also where two take turns, at the tenth", async () => {
    await using stage = await agentOn(round(unknown, "words"));
    const outcome = await stage.agent.run("go", { onEvent: stage.onEvent });
    expect(outcome).toMatchObject({
      status: "stopped",
      reason: "circuit_open",
      iterations: 10,
      message: "10 times in a row some failure, the last one: no_tool_call",
    });
    expect(ofType(stage.events, "circuit-failure").map(({ count, inARow }) => [count, inARow])).toEqual(
      Array.from({ length: 10 }, (_none, index) => [1, index + 1]),
    );
    expect(ofType(stage.events, "circuit-open")).toMatchObject([{ count: 1, inARow: 10 }]);
    expect(prompt(stage.provider, 10).at(-1)).toMatch(/If the next reply fails in any way, the run is stopped\.$/);
    assertWellFormed(outcome.session.records, { tools });
  });

  test("also where every one is another, and the message of none can be folded", async () => {
    await using stage = await agentOn(({ number }) => [call(`tool_${"abcdefghijklmnop".charAt(number)}`)]);
    expect(await stage.agent.run("go")).toMatchObject({ reason: "circuit_open", iterations: 10 });
  });

  test("at another number, which a clean iteration starts again", async () => {
    const script = [unknown, "words", read, unknown, "words", unknown];
    await using stage = await agentOn(script, { circuit: { inARow: 3 } });
    expect(await stage.agent.run("go")).toMatchObject({ reason: "circuit_open", iterations: 6 });
  });

  test("and a new input closes it, so that one such failure more goes on", async () => {
    await using stage = await agentOn([unknown, "words", unknown, unknown, done], { circuit: { inARow: 3 } });
    const open = await stage.agent.run("go");
    expect(open).toMatchObject({ reason: "circuit_open", iterations: 3 });
    const outcome = await stage.agent.run("on", { session: open.session, onEvent: stage.onEvent });
    expect(outcome).toMatchObject({ status: "completed", iterations: 2 });
    expect(ofType(stage.events, "circuit-close")).toHaveLength(1);
    expect(ofType(stage.events, "circuit-failure")).toMatchObject([{ count: 1, inARow: 1 }]);
  });

  test("and a failed check is none of them", async () => {
    await using stage = await agentOn([unknown, done, "words", done, done, done], {
      checks: [failingFor(3)],
      circuit: { inARow: 3 },
    });
    expect(await stage.agent.run("go")).toMatchObject({ status: "completed", iterations: 6 });
  });
});

describe("the words for a failure that repeats itself say more each time", () => {
  const badInput = [call("lookup", { ky: "a" })];

  test.each<[string, Step, string]>([
    ["a call's failure", badInput, "The arguments of lookup must fit this schema: {"],
    ["an unknown tool", unknown, "These are the tools:\n- ask_question: Asks the user"],
    ["a reply without a call", "words", 'A complete call, for example: submit_report with the arguments {"findings"'],
    ["a tool that throws", [call("lookup", { key: "none" })], "Go another way, or end by calling "],
  ])("%s", async (_what, mistake, third) => {
    await using stage = await agentOn([mistake, mistake, mistake, mistake, read, done]);
    const outcome = await stage.agent.run("go");
    expect(outcome.status).toBe("completed");
    const [one, two, three, four] = [2, 3, 4, 5].map((number) => prompt(stage.provider, number).at(-1)!);
    expect(one).not.toContain("in a row");
    expect(two).toContain("This is the second time in a row");
    expect(two).not.toContain(third);
    expect(three).toContain("This is the third time in a row");
    expect(three).toContain(third);
    expect(three).not.toContain("the run is stopped");
    expect(four).toContain("This is the fourth time in a row");
    expect(four).toMatch(/If the next reply fails the same way, the run is stopped\.$/);
    assertPaired(stage.provider);
  });

  test("hints leave the prompt with the streak, and stay in the journal", async () => {
    await using stage = await agentOn([badInput, badInput, badInput, badInput, read, done]);
    const { session } = await stage.agent.run("go");
    expect(prompt(stage.provider, 6).join("\n")).not.toMatch(/in a row/);
    const hints = session.records.flatMap((record) => (record.type === "result" ? [record.result.failure?.hint] : []));
    expect(hints.slice(0, 4).map((hint) => hint?.split("\n").length)).toEqual([undefined, 1, 2, 3]);
    assertWellFormed(session.records, { tools });
  });

  test("a failure among others that change is told how often it came, and not that the run is about to stop", async () => {
    const mixed: Step = [...unknown, ...badInput];
    await using stage = await agentOn([unknown, mixed, unknown, mixed, done]);
    await stage.agent.run("go");
    const texts = prompt(stage.provider, 5).slice(-2);
    expect(texts[0]).toContain("This is the fourth time in a row");
    expect(texts.join("\n")).not.toContain("the run is stopped");
  });

  test("the last words follow the number of the circuit", async () => {
    await using stage = await agentOn([badInput, done], { circuit: { identical: 2 } });
    await stage.agent.run("go");
    expect(prompt(stage.provider, 2).at(-1)).toMatch(/If the next reply fails the same way, the run is stopped\.$/);
  });

  test("a failed check has a bound of its own and no such words", async () => {
    const check = { name: "tests", verify: () => ({ passed: false, output: "no" }) };
    await using stage = await agentOn(() => done, { checks: [check] });
    expect(await stage.agent.run("go")).toMatchObject({ reason: "checks_failed" });
    expect(prompt(stage.provider, 5).join("\n")).not.toMatch(/in a row|the run is stopped/);
  });
});

describe("calls that succeed and get nowhere", () => {
  test("are told so at the third time, and stopped at the sixth", async () => {
    await using stage = await agentOn(() => read);
    const outcome = await stage.agent.run("go", { onEvent: stage.onEvent });
    expect(outcome).toMatchObject({
      status: "stopped",
      reason: "stalled",
      iterations: 6,
      message: "6 times in a row the same calls with the same results",
    });
    const text = expect.stringContaining("with the same results 3 times in a row") as string;
    expect(ofType(stage.events, "notice")).toEqual([{ type: "notice", about: "stall", text }]);
    expect(prompt(stage.provider, 3).at(-1)).toBe("tool: value of a");
    expect(prompt(stage.provider, 4).slice(-2)).toEqual([
      "tool: value of a",
      expect.stringContaining("user: You have made the same calls with the same results 3 times in a row."),
    ]);
    assertPaired(stage.provider);
    assertWellFormed(outcome.session.records, { tools });
    assertPrefixStable(stage.provider.requests, stage.events);
  });

  test("may go on where the nudge helps, and a new input starts the count again", async () => {
    await using stage = await agentOn([read, read, read, read, read, done, read, read, done]);
    const first = await stage.agent.run("go");
    expect(first).toMatchObject({ status: "completed", iterations: 6 });
    const second = await stage.agent.run("on", { session: first.session, onEvent: stage.onEvent });
    expect(second).toMatchObject({ status: "completed", iterations: 3 });
    expect(ofType(stage.events, "notice")).toEqual([]);
  });

  test.each<[number, readonly Step[]]>([
    [2, [read, other]],
    [3, [read, other, [...read, ...other]]],
    [4, [read, read, other, other]],
  ])("are seen as well where they go round in %d iterations", async (period, steps) => {
    await using stage = await agentOn(round(...steps));
    const outcome = await stage.agent.run("go", { onEvent: stage.onEvent });
    expect(outcome).toMatchObject({ reason: "stalled", iterations: 6 * period });
    expect(ofType(stage.events, "notice")).toHaveLength(1);
  });

  test("are seen as well where only times in the results differ", async () => {
    let time = 0;
    const clock = tool({
      name: "clock",
      description: "Tells the time",
      input: z.object({}),
      effect: "read",
      run: () => `${String((time += 17))} ms`,
    });
    await using stage = await agentOn(() => [call("clock")], { tools: [clock, taskCompletion()] });
    expect(await stage.agent.run("go")).toMatchObject({ reason: "stalled", iterations: 6 });
  });

  test("have other numbers, each for itself, or none", async () => {
    await using early = await agentOn(() => read, { circuit: { stall: { nudge: 2, stop: 4 } } });
    const outcome = await early.agent.run("go", { onEvent: early.onEvent });
    expect(outcome).toMatchObject({ reason: "stalled", iterations: 4 });
    expect(ofType(early.events, "notice")).toMatchObject([
      { about: "stall", text: expect.stringContaining("2 times in a row. ") as string },
    ]);
    const ending: Script = ({ number }) => (number > 30 ? done : read);
    await using never = await agentOn(ending, { circuit: { stall: false } });
    expect(await never.agent.run("go", { onEvent: never.onEvent })).toMatchObject({
      status: "completed",
      iterations: 31,
    });
    expect(ofType(never.events, "notice")).toEqual([]);
  });

  test("are free to be made again where the tool is pollable, and hide no other repetition", async () => {
    const poll = tool({
      name: "poll",
      description: "Looks whether it is done",
      input: z.object({}),
      effect: "read",
      pollable: true,
      run: () => "not yet",
    });
    const options = { tools: [poll, lookup, taskCompletion()] };
    await using patient = await agentOn(({ number }) => (number > 30 ? done : [call("poll")]), options);
    const waited = await patient.agent.run("go", { onEvent: patient.onEvent });
    expect(waited).toMatchObject({ status: "completed", iterations: 31 });
    expect(ofType(patient.events, "notice")).toEqual([]);
    await using stuck = await agentOn(round(read, [call("poll")]), options);
    expect(await stuck.agent.run("go")).toMatchObject({ reason: "stalled", iterations: 11 });
    await using beside = await agentOn(() => [call("poll"), ...read], options);
    expect(await beside.agent.run("go")).toMatchObject({ reason: "stalled", iterations: 6 });
  });

  describe("and change something", () => {
    const edit = tool({ name: "edit", description: "Edits", input: z.object({ text: z.string() }), run: () => "ok" });
    const check = tool({ name: "check", description: "Tests", input: z.object({}), run: () => "pass" });
    const options = { tools: [edit, check, taskCompletion()] };

    test("are progress as long as the changes differ: 20 edits and tests with terse results go on", async () => {
      const script: Script = ({ number }) => {
        if (number > 40) return done;
        return number % 2 === 0 ? [call("check")] : [call("edit", { text: `line ${String(number)}` })];
      };
      await using stage = await agentOn(script, options);
      const outcome = await stage.agent.run("go", { onEvent: stage.onEvent });
      expect(outcome).toMatchObject({ status: "completed", iterations: 41 });
      expect(ofType(stage.events, "notice")).toEqual([]);
    });

    test("are progress beside a call that repeats itself", async () => {
      const script: Script = ({ number }) =>
        number > 20 ? done : [call("check"), call("edit", { text: String(number) })];
      await using stage = await agentOn(script, options);
      expect(await stage.agent.run("go")).toMatchObject({ status: "completed", iterations: 21 });
    });

    test("are none where the same change is made again with the same result", async () => {
      await using stage = await agentOn(() => [call("edit", { text: "same" })], options);
      expect(await stage.agent.run("go")).toMatchObject({ reason: "stalled", iterations: 6 });
    });
  });

  test("are counted anew after a failure", async () => {
    await using stage = await agentOn([read, read, unknown, read, read, done]);
    expect(await stage.agent.run("go", { onEvent: stage.onEvent })).toMatchObject({ status: "completed" });
    expect(ofType(stage.events, "notice")).toEqual([]);
  });

  test("are not counted in the iteration of an accepted claim", async () => {
    await using stage = await agentOn([read, read, [...read, ...done]]);
    expect(await stage.agent.run("go", { onEvent: stage.onEvent })).toMatchObject({ status: "completed" });
    expect(ofType(stage.events, "notice")).toEqual([]);
  });
});

test("what is counted follows from the records alone, also after they were written and read as JSON", async () => {
  const counts: unknown[] = [];
  const watch: Hook = {
    veto({ seq, circuit, stall }) {
      counts.push({ seq, circuit, stall });
      return undefined;
    },
  };
  const script = [
    read,
    read,
    read,
    read,
    unknown,
    "words",
    "words",
    "words",
    [...unknown, ...read],
    other,
    other,
    done,
  ];
  const agent = createAgent({ model: scriptedModel(script), tools, hooks: [watch] });
  const { session } = await agent.run("go");
  const records = JSON.parse(JSON.stringify(session.records)) as readonly JournalRecord[];
  expect(counts).toHaveLength(script.length - 1);
  for (const count of counts as readonly { readonly seq: number }[]) {
    expect(replay(records.slice(0, count.seq))).toMatchObject(count);
  }
  const types = records.map(({ type }): RecordBody["type"] => type);
  expect(types[types.indexOf("notice") - 1]).toBe("iteration");
});
