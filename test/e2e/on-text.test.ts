// A reply of words alone, where an agent takes it as a call (`onText`); and calls that were mended on the way.

import { describe, expect, test } from "vitest";
import { createAgent, noUsage, type Event, type Hook, type Model, type ModelRequest } from "../../src/index.js";
import { assertWellFormed, call, scriptedModel } from "../../src/testing/index.js";
import { converse, taskCompletion } from "../../src/tools/index.js";
import { agentOn, assertPaired, failingFor, lookup, prompt } from "./agent-on.js";

const done = call("task_completion", { result: "all done" });
const tools = [lookup, converse(), taskCompletion()] as const;

describe("with onText, a reply of words alone", () => {
  test("is a call of that tool: the run waits with the words, and the next input answers it", async () => {
    await using stage = await agentOn([{ text: "Hello, what is it?", piece: 4 }, "And then?", [done]], {
      tools,
      onText: "converse",
    });
    const first = await stage.agent.run("hi", { onEvent: stage.onEvent });
    expect(first).toMatchObject({
      status: "waiting",
      by: "converse",
      value: { message: "Hello, what is it?" },
      iterations: 1,
    });
    expect(stage.types()).not.toContain("reply-failure");
    const second = await stage.agent.run("my roof leaks", { session: first.session });
    expect(second).toMatchObject({ status: "waiting", value: { message: "And then?" } });
    const third = await stage.agent.run("thanks", { session: second.session });
    expect(third.status).toBe("completed");
    expect(prompt(stage.provider, 3).slice(1)).toEqual([
      "user: hi",
      "assistant: converse",
      "tool: my roof leaks",
      "assistant: converse",
      "tool: thanks",
    ]);
    expect(stage.provider.requests.map(({ body }) => body.tool_choice)).toEqual(["auto", "auto", "auto"]);
    assertPaired(stage.provider);
    assertWellFormed(third.session.records, { tools });
  });

  test("is told to the model as what it is", async () => {
    const model = scriptedModel(["Hello."]);
    await createAgent({ model, tools, onText: "converse" }).run("hi");
    const [request] = model.requests as readonly ModelRequest[];
    expect(request?.needsCall).toBe(false);
    expect(request?.system).toContain("A reply of words alone, without a tool call, is taken as a call of converse.");
    expect(request?.system).not.toContain("Every reply must call");
  });

  test("goes through checks as any claim does", async () => {
    const options = { tools, onText: "task_completion", checks: [failingFor(1)] };
    await using stage = await agentOn(["Done!", "Done now!"], options);
    expect(await stage.agent.run("go")).toMatchObject({
      status: "completed",
      value: { result: "Done now!" },
      verified: "checked",
      iterations: 2,
    });
    expect(prompt(stage.provider, 2).at(-1)).toContain("ERROR check_failed (task_completion)");
  });

  test.each(["", "  \n"])("is still no call where it says nothing (%j)", async (silence) => {
    await using stage = await agentOn([silence, [done]], { tools, onText: "converse" });
    expect(await stage.agent.run("go")).toMatchObject({ status: "completed", iterations: 2 });
    expect(prompt(stage.provider, 2).at(-1)).toContain("ERROR no_tool_call");
  });

  test("is no call where it was cut, refused, or has a call beside it", async () => {
    await using cut = await agentOn([{ text: "I thi", finishReason: "length" }, [done]], { tools, onText: "converse" });
    expect(await cut.agent.run("go")).toMatchObject({ status: "completed", iterations: 2 });
    await using refused = await agentOn([{ text: "No.", finishReason: "content_filter" }], {
      tools,
      onText: "converse",
    });
    expect(await refused.agent.run("go")).toMatchObject({ status: "stopped", reason: "refused" });
    await using beside = await agentOn([{ text: "Looking.", calls: [call("lookup", { key: "a" })] }, [done]], {
      tools,
      onText: "converse",
    });
    expect(await beside.agent.run("go")).toMatchObject({ status: "completed", iterations: 2 });
  });
});

test.each([
  [
    "with onText, the words of a reply that was cut are withdrawn",
    "converse",
    "I thi",
    ["reply-retracted", "reply-failure"],
  ],
  ["with onText, nothing is withdrawn where nothing was said", "converse", " \n", ["reply-failure"]],
  ["without onText, words are no answer, and stand", undefined, "I thi", ["reply-failure"]],
])("%s", async (_what, onText, text, events) => {
  await using stage = await agentOn([{ text, finishReason: "length" }, [done]], {
    tools,
    onText,
  });
  expect(await stage.agent.run("go", { onEvent: stage.onEvent })).toMatchObject({ status: "completed", iterations: 2 });
  expect(stage.types().filter((type) => type.startsWith("reply-") && type !== "reply-end")).toEqual(events);
  expect(stage.types().indexOf("reply-end")).toBeLessThan(stage.types().indexOf(events[0]!));
});

test("with onText, a call that a server left in the text was shown and taken for the words of a conversation", async () => {
  const leaked = '<tool_call>{"name": "lookup", "arguments": {"key": "a"}}</tool_call>';
  await using stage = await agentOn([{ text: leaked, piece: 5 }, "It is there."], { tools, onText: "converse" });
  const outcome = await stage.agent.run("Is it there?", { onEvent: stage.onEvent });
  expect(outcome).toMatchObject({ status: "waiting", value: { message: "It is there." }, iterations: 2 });
  const shown = stage.events.flatMap((event) => (event.type === "text-delta" ? [event.text] : []));
  expect(shown.join("")).toBe("It is there.");
  expect(prompt(stage.provider, 2).at(-1)).toContain("value of a");
});

test("without onText a request needs a call, and words are the failure they always were", async () => {
  await using stage = await agentOn(["Hello.", [done]], { tools });
  expect(await stage.agent.run("hi")).toMatchObject({ status: "completed", iterations: 2 });
  expect(stage.provider.requests[0]?.body.tool_choice).toBe("required");
  expect(prompt(stage.provider, 2).at(-1)).toContain("ERROR no_tool_call");
});

describe("a call that was mended", () => {
  /** Says one call with such repairs, and then ends. */
  function mending(repairs: readonly string[] | undefined): Model {
    let asked = 0;
    return {
      name: "mending",
      provider: "mending:",
      async *respond() {
        asked += 1;
        const { name, input } = asked > 1 ? done : call("lookup", { key: "a" });
        const mended = asked > 1 || repairs === undefined ? {} : { repairs };
        const calls = [
          { type: "call" as const, name: "lookup", input: { key: "b" } },
          { type: "call" as const, name, input: input as { key: string }, ...mended },
        ];
        return { text: "", calls, finish: "complete", usage: noUsage };
      },
    };
  }

  test("is one event before the end of its reply, and the journal keeps it", async () => {
    const events: Event[] = [];
    const repairs = ["a trailing comma was left out", "the name had a prefix"];
    const agent = createAgent({ model: mending(repairs), tools });
    const { session, status } = await agent.run("go", { onEvent: (event) => void events.push(event) });
    expect(status).toBe("completed");
    const healed = events.findIndex(({ type }) => type === "call-healed");
    expect(events[healed]).toEqual({ type: "call-healed", call: 1, name: "lookup", repairs });
    expect(events[healed + 1]?.type).toBe("reply-end");
    expect(events.filter(({ type }) => type === "call-healed")).toHaveLength(1);
    expect(session.records.find(({ type }) => type === "reply")).toMatchObject({ reply: { calls: [{}, { repairs }] } });
  });

  test.each([[undefined], [[]]])("in nothing (%j) is no event", async (repairs) => {
    const events: Event[] = [];
    const agent = createAgent({ model: mending(repairs), tools });
    await agent.run("go", { onEvent: (event) => void events.push(event) });
    expect(events.map(({ type }) => type)).not.toContain("call-healed");
  });

  test("by a hook is sent back as it was mended", async () => {
    const mend: Hook = {
      async *request(request, next) {
        const reply = yield* next(request);
        const calls = reply.calls.map((written) =>
          written.type === "call"
            ? written
            : {
                type: "call" as const,
                name: "lookup",
                input: { key: "a" },
                source: written.source,
                repairs: ["closed"],
              },
        );
        return { ...reply, calls };
      },
    };
    await using stage = await agentOn([[call("lookup", '{"key": "a"')], [done]], { tools, hooks: [mend] });
    expect(await stage.agent.run("go")).toMatchObject({ status: "completed", iterations: 2 });
    const echoed = stage.provider.requests[1]!.body.messages[2] as {
      readonly tool_calls: readonly { readonly function: { readonly arguments: string } }[];
    };
    expect(echoed.tool_calls[0]?.function.arguments).toBe('{"key":"a"}');
  });
});
