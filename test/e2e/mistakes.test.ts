import { describe, expect, test } from "vitest";
import { z } from "zod";
import { tool, type Tool } from "../../src/index.js";
import { call, type Step } from "../../src/testing/index.js";
import { taskCompletion } from "../../src/tools/index.js";
import { agentOn, assertPaired, lookup, prompt } from "./agent-on.js";

const done = call("task_completion", { result: "all done" });

describe("a mistake of form costs an iteration, is told to the model, and is gone once it recovers:", () => {
  test.each<[string, Step, string]>([
    ["a text reply is a failure, not an end", "I am done!", "ERROR no_tool_call: Your reply had words"],
    ["an empty reply", "", "ERROR no_tool_call: Your reply was empty"],
    [
      "an unknown tool",
      [call("look_up", { key: "a" })],
      'ERROR unknown_tool (look_up): There is no tool named "look_up"',
    ],
    ["a tool named like a property of every object", [call("toString")], "ERROR unknown_tool (toString)"],
    ["invalid arguments", [call("lookup", { ky: "a" })], "ERROR invalid_arguments (lookup)"],
    [
      "invalid arguments of a claim",
      [call("task_completion", { result: 7 })],
      "ERROR invalid_arguments (task_completion)",
    ],
    ["arguments that are no JSON", [call("lookup", '{"key" "a"}')], "ERROR malformed_call (lookup)"],
    ["arguments that end too early", [call("lookup", '{"key": "a')], "ERROR truncated (lookup)"],
    [
      "a reply cut by length",
      { calls: [call("lookup", { key: "a" })], finishReason: "length" },
      "ERROR truncated (lookup)",
    ],
    ["a text cut by length", { text: "I think", finishReason: "length" }, "ERROR truncated: Your reply was cut off"],
  ])("%s", async (_what, mistake, words) => {
    await using stage = await agentOn([mistake, [call("lookup", { key: "b" })], [done]]);
    const outcome = await stage.agent.run("go", { onEvent: stage.onEvent });
    expect(outcome).toMatchObject({ status: "completed", iterations: 3 });
    expect(prompt(stage.provider, 2).at(-1)).toContain(words);
    expect(prompt(stage.provider, 2).at(-1)).toContain("What to do:");
    expect(prompt(stage.provider, 3).slice(1)).toEqual(["user: go", "assistant: lookup", "tool: value of b"]);
    expect(stage.events).toContainEqual({ type: "prompt-rewrite", reason: "recovered" });
    expect(JSON.stringify(outcome.session.records)).toContain(JSON.stringify(words).slice(7, -1).split(":")[0]);
    assertPaired(stage.provider);
  });
});

test("a cut reply runs nothing, even a call that parses and a claim that is whole", async () => {
  const ran: string[] = [];
  const note = tool({
    name: "note",
    description: "Notes",
    input: z.object({ text: z.string() }),
    run: ({ text }) => {
      ran.push(text);
    },
  });
  await using stage = await agentOn(
    [{ calls: [call("note", { text: "cut" }), done], finishReason: "length" }, [call("note", { text: "whole" }), done]],
    { tools: [note, taskCompletion()] },
  );
  expect(await stage.agent.run("go")).toMatchObject({ status: "completed", iterations: 2 });
  expect(ran).toEqual(["whole"]);
});

test("a tool that throws is a fact: its result stays in the prompt", async () => {
  await using stage = await agentOn([[call("lookup", { key: "none" })], [call("lookup", { key: "a" })], [done]]);
  await stage.agent.run("go");
  expect(prompt(stage.provider, 3).slice(1)).toEqual([
    "user: go",
    "assistant: lookup",
    expect.stringContaining("ERROR tool_error (lookup): There is nothing under none"),
    "assistant: lookup",
    "tool: value of a",
  ]);
});

test("where one call ran and another was a mistake of form, the reply and all its results stay", async () => {
  await using stage = await agentOn([
    [call("lookup", { key: "a" }), call("lookup", { ky: "b" })],
    [call("lookup", { key: "b" })],
    [done],
  ]);
  await stage.agent.run("go");
  const texts = prompt(stage.provider, 3);
  expect(texts).toHaveLength(7);
  expect(texts[2]).toBe("assistant: lookup + lookup");
  expect(texts[3]).toBe("tool: value of a");
  expect(texts[4]).toContain("ERROR invalid_arguments");
  assertPaired(stage.provider);
});

test("a failed streak stands in order at the tail while it lasts", async () => {
  await using stage = await agentOn(["one", [call("nope")], "two", [done]]);
  await stage.agent.run("go");
  expect(prompt(stage.provider, 4).slice(1)).toEqual([
    "user: go",
    "assistant: one",
    expect.stringContaining("no_tool_call"),
    "assistant: nope",
    expect.stringContaining("unknown_tool"),
    "assistant: two",
    expect.stringContaining("no_tool_call"),
  ]);
});

test("a denied call is told with its reason and stays; without a permission nothing gated runs", async () => {
  let ran = false;
  const wipe = tool({
    name: "wipe",
    description: "Wipes",
    input: z.object({}),
    effect: "write",
    run: () => {
      ran = true;
    },
  });
  await using stage = await agentOn([[call("wipe")], [done]], { tools: [wipe, taskCompletion()] });
  const outcome = await stage.agent.run("go");
  expect(prompt(stage.provider, 2).at(-1)).toContain(
    "ERROR denied (wipe): This call was not allowed: nobody is there to approve",
  );
  expect(outcome.session.records).toContainEqual(expect.objectContaining({ type: "decision", allowed: false }));
  expect(ran).toBe(false);
});

describe("the circuit", () => {
  const fillers = Array.from({ length: 29 }, (_, index) =>
    tool({ name: `tool_${String(index)}`, description: "Works", input: z.object({}), run: () => "ok" }),
  );

  test.each([1, 9, 30])(
    "opens on exactly the fifth identical failure with %d tools in shuffled order",
    async (count) => {
      const all: readonly Tool[] = [taskCompletion(), ...fillers.slice(0, count - 1)];
      for (let round = 0; round < 3; round += 1) {
        const shuffled = all.map((each) => [Math.random(), each] as const).sort(([a], [b]) => a - b);
        await using stage = await agentOn(() => [call("missing_tool", { x: 1 })], {
          tools: shuffled.map(([, each]) => each),
        });
        const outcome = await stage.agent.run("go", { onEvent: stage.onEvent });
        expect(outcome).toMatchObject({ status: "stopped", reason: "circuit_open", iterations: 5 });
        expect(stage.events.filter(({ type }) => type === "circuit-failure")).toHaveLength(5);
        expect(stage.events.filter(({ type }) => type === "circuit-open")).toHaveLength(1);
      }
    },
  );

  test("counts failures as the same when only numbers, paths and times in them differ", async () => {
    let time = 0;
    const slow = tool({
      name: "slow",
      description: "Is slow",
      input: z.object({}),
      run: () => {
        time += 13;
        throw new Error(`no answer after ${String(time)} ms in /tmp/job-${String(time)}/out`);
      },
    });
    await using stage = await agentOn(() => [call("slow")], { tools: [slow, taskCompletion()] });
    expect(await stage.agent.run("go")).toMatchObject({ reason: "circuit_open", iterations: 5 });
  });

  test("does not count different failures together, and only a clean iteration resets", async () => {
    const bad = [call("missing_tool")];
    const otherBad = [call("other_missing_tool")];
    const good = [call("lookup", { key: "a" })];
    const mixed = [call("lookup", { key: "a" }), call("missing_tool")];
    await using stage = await agentOn([
      bad,
      bad,
      bad,
      bad,
      otherBad,
      bad,
      bad,
      bad,
      bad,
      good,
      bad,
      mixed,
      bad,
      bad,
      mixed,
    ]);
    expect(await stage.agent.run("go")).toMatchObject({ reason: "circuit_open", iterations: 15 });
  });

  test("takes another number", async () => {
    await using stage = await agentOn(() => "words", { circuit: { identical: 2 } });
    expect(await stage.agent.run("go")).toMatchObject({
      reason: "circuit_open",
      iterations: 2,
      partial: { text: "words" },
    });
  });

  test("is closed by a new input, with its count at zero", async () => {
    const bad = [call("missing_tool")];
    await using stage = await agentOn([bad, bad, bad, bad, bad, bad, bad, bad, bad, [done]]);
    const open = await stage.agent.run("go");
    expect(open).toMatchObject({ reason: "circuit_open" });
    const outcome = await stage.agent.run("try again", { session: open.session, onEvent: stage.onEvent });
    expect(outcome).toMatchObject({ status: "completed", iterations: 5 });
    expect(stage.types()).toContain("circuit-close");
  });
});

test("a reply with the same provider id twice is still paired one to one", async () => {
  await using stage = await agentOn([
    [call("lookup", { key: "a" }, "same"), call("lookup", { key: "b" }, "same2")],
    [call("lookup", { key: "c" }, "same")],
    [call("lookup", { key: "d" }, "")],
    [done],
  ]);
  expect(await stage.agent.run("go")).toMatchObject({ status: "completed", iterations: 4 });
  assertPaired(stage.provider);
  const ids = stage.provider.requests
    .at(-1)!
    .body.messages.flatMap(({ tool_call_id: id }) => (id === undefined ? [] : [String(id)]));
  expect(ids.slice(0, 2)).toEqual(["same", "same2"]);
  expect(ids[2]).toMatch(/^[A-Za-z0-9]{9}$/);
  expect(ids[3]).toMatch(/^[A-Za-z0-9]{9}$/);
  expect(lookup.name).toBe("lookup");
});
