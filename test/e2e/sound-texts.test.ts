// Half a character, or a text of white space alone, was sent with every later request of its session, and strict servers refused each.

import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  createAgent,
  fromMessages,
  redactor,
  tool,
  verifyReceipt,
  type AgentOptions,
  type Check,
  type JournalRecord,
  type Session,
  type Tool,
} from "../../src/index.js";
import { judge } from "../../src/checks/index.js";
import { memoryStore, openSession, windowed } from "../../src/memory/index.js";
import { openai } from "../../src/model/index.js";
import { call, scriptedModel } from "../../src/testing/index.js";
import { askQuestion, taskCompletion } from "../../src/tools/index.js";
import { calling, chunk, done, loopback, type Loopback } from "../model/loopback.js";

const half = "cut here \ud83d";
const nul = "a\0b";

/** The texts in the data that a strict provider refuses: with half a character or U+0000. */
function unsound(data: unknown): readonly string[] {
  if (typeof data === "string") return data.isWellFormed() && !data.includes("\0") ? [] : [data];
  if (typeof data !== "object" || data === null) return [];
  return Object.entries(data).flatMap(([key, value]) => [...unsound(key), ...unsound(value)]);
}

/** Expects that a strict provider refuses none of the requests. */
function expectSound({ requests }: Loopback): void {
  for (const { text, messages } of requests) {
    expect(unsound(JSON.parse(text))).toEqual([]);
    for (const { content } of messages) if (typeof content === "string") expect(content).toMatch(/\S/);
  }
}

const look = (run: Tool["run"]): Tool =>
  tool({ name: "look", description: "Looks.", input: z.object({}), effect: "none", run });

type Options = Partial<AgentOptions<readonly Tool[]>>;

/** Runs an agent that looks and then ends, against a server that keeps the requests. */
async function ran(
  options: Options,
  session?: Session,
): Promise<{ server: Loopback; records: readonly JournalRecord[] }> {
  const server = await loopback((number) => ({ body: number === 1 ? calling("look", {}) : done }));
  const model = openai({ baseURL: server.url, steady: false, api: "chat" });
  const agent = createAgent({ model, tools: [look(() => "seen"), taskCompletion()], ...options });
  const outcome = await agent.run("go", { session });
  expect(outcome.status).toBe("completed");
  return { server, records: outcome.session.records };
}

describe("half a character and U+0000 are never sent and never recorded, whoever brings them:", () => {
  const check = (output: string): Check => ({ name: "c", verify: () => ({ passed: false, output }) });
  const failing = (message: string): Tool => look(() => Promise.reject(new Error(message)));
  const withTools = (own: Tool): Options => ({ tools: [own, taskCompletion()] });

  describe.each([half, nul])("%j", (text) => {
    test.each<[string, Options]>([
      ["the result of a tool", withTools(look(() => text))],
      ["the names of fields in a result", withTools(look(() => ({ [text]: [text] })))],
      ["the error of a tool", withTools(failing(text))],
      ["the description of a tool", withTools({ ...look(() => "seen"), description: text })],
      ["the instructions", { instructions: text }],
      [
        "a hook that adds a message",
        {
          hooks: [
            {
              request: (request, next) => next({ ...request, messages: [...request.messages, { role: "user", text }] }),
            },
          ],
        },
      ],
      [
        "a hook that changes the system prompt",
        { hooks: [{ request: (request, next) => next({ ...request, system: text }) }] },
      ],
    ])("%s", async (_who, options) => {
      const { server, records } = await ran(options);
      await using _ = server;
      expectSound(server);
      expect(unsound(records)).toEqual([]);
    });

    test("the model, in its words, its reasoning, and the id and the name of a call", async () => {
      const strange = {
        index: 0,
        id: `id${text}`,
        type: "function",
        function: { name: `look${text}`, arguments: "{}" },
      };
      const first = [
        chunk({ content: text, reasoning_content: text }),
        chunk({ tool_calls: [strange] }),
        chunk({}, "tool_calls"),
      ];
      await using server = await loopback((number) => ({ body: number === 1 ? first : done }));
      const model = openai({ baseURL: server.url, steady: false });
      const { status, session } = await createAgent({ model, tools: [taskCompletion()] }).run("go");
      expect(status).toBe("completed");
      expectSound(server);
      expect(unsound(session.records)).toEqual([]);
    });

    test("the user, in the input, in an answer and in words to a run at work", async () => {
      await using server = await loopback((number) => ({
        body: number === 1 ? calling("ask_question", { question: "?" }) : done,
      }));
      const session = openSession({ store: memoryStore(), id: "s" });
      const model = openai({ baseURL: server.url, steady: false });
      const agent = createAgent({ model, tools: [askQuestion(), taskCompletion()] });
      await agent.run(text, { session });
      await session.send({ text: `by the way ${text}` });
      const { status } = await agent.run(text, { session });
      expect(status).toBe("completed");
      expect(server.requests).toHaveLength(2);
      expectSound(server);
      expect(unsound((await session.toJSON()).records)).toEqual([]);
    });

    test("a conversation from elsewhere, and the keys of a request that the caller adds", async () => {
      await using server = await loopback(() => ({ body: done }));
      const model = openai({ baseURL: server.url, steady: false, params: { user: text } });
      const session = fromMessages([
        { role: "user", content: text },
        { role: "assistant", content: text },
      ]);
      expect((await createAgent({ model, tools: [taskCompletion()] }).run("go", { session })).status).toBe("completed");
      expect(unsound(session)).toEqual([]);
      expectSound(server);
    });

    test("a judge and a summary", async () => {
      await using server = await loopback(() => ({ body: calling("verdict", { passed: true, reason: text }) }));
      const asked = openai({ baseURL: server.url, steady: false, api: "chat" });
      const script = [
        { text: text.repeat(900), calls: [call("look")] },
        { calls: [call("look")] },
        { calls: [call("task_completion", { result: "r" })] },
      ];
      const long = `${"x".repeat(999)}\u{1F511}`.repeat(3);
      await createAgent({
        model: scriptedModel(script),
        tools: [look(() => long + text), taskCompletion()],
        checks: [judge(asked, `the rubric ${text}`)],
        memory: windowed({ window: 2400, summarize: asked }),
      }).run(long);
      expect(server.requests.length).toBeGreaterThan(0);
      expectSound(server);
    });
  });

  test("the receipt of a check whose output had one still verifies", async () => {
    const model = scriptedModel([{ calls: [call("task_completion", { result: "r" })] }]);
    const passing: Check = { name: "c", verify: () => ({ passed: true, output: half + nul }) };
    const outcome = await createAgent({ model, tools: [taskCompletion()], checks: [passing] }).run("go");
    if (outcome.status !== "completed") throw new Error(outcome.status);
    for (const receipt of outcome.receipts)
      expect(await verifyReceipt(receipt, outcome.session.records)).toEqual({ holds: true });
    expect(outcome.receipts).toHaveLength(1);
    expect(unsound(outcome.session.records)).toEqual([]);
  });

  test("a failing check, whose words go back to the model", async () => {
    let runs = 0;
    await using server = await loopback(() => ({ body: done }));
    const model = openai({ baseURL: server.url, steady: false });
    const once: Check = { name: "c", verify: () => ({ passed: (runs += 1) > 2, output: half + nul }) };
    const { status } = await createAgent({
      model,
      tools: [taskCompletion()],
      checks: [once, check("x")].slice(0, 1),
    }).run("go");
    expect(status).toBe("completed");
    expectSound(server);
  });
});

test("a session of an earlier version that has half a character or a blank text lives again", async () => {
  const { server: first, records } = await ran({ secrets: false });
  await first[Symbol.asyncDispose]();
  const harmed = JSON.parse(
    JSON.stringify(records, (key, value: unknown) => {
      if (key === "text" && value === "seen") return half;
      if (key === "text" && value === "go") return nul;
      return key === "reply" ? { ...(value as object), text: " \n" } : value;
    }),
  ) as readonly JournalRecord[];
  expect(unsound(harmed)).toHaveLength(2);
  const { server } = await ran({}, { version: 1, id: "s", records: harmed });
  await using _ = server;
  expectSound(server);
});

describe("a text of white space alone is no words:", () => {
  test.each([" ", "\n\t", "\u00a0\u3000"])("the input %j is refused as an empty one is", async (input) => {
    const agent = createAgent({ model: scriptedModel([]), tools: [taskCompletion()] });
    await expect(agent.run(input)).rejects.toMatchObject({ code: "configuration" });
    await expect(agent.run("")).rejects.toMatchObject({ code: "configuration" });
    await expect(openSession({ store: memoryStore() }).send({ text: input })).rejects.toMatchObject({
      code: "configuration",
    });
    expect(() => fromMessages([{ role: "user", content: input }])).toThrow("has no text");
  });

  test("of the model, of a tool, and of the instructions", async () => {
    const blank = [chunk({ content: "\n\n" }), ...calling("look", {})];
    await using server = await loopback((number) => ({ body: number === 1 ? blank : done }));
    const model = openai({ baseURL: server.url, steady: false, api: "chat" });
    const agent = createAgent({ model, tools: [look(() => " \n"), taskCompletion()], instructions: " \n" });
    const { status, session } = await agent.run("go");
    expect(status).toBe("completed");
    expectSound(server);
    expect(server.requests[1]?.messages.at(-1)?.["content"]).toBe("(no text)");
    expect(session.records.find(({ type }) => type === "reply")).toMatchObject({ reply: { text: "" } });
  });
});

test("a secret is found in a text that has half a character", () => {
  expect(redactor({ values: ["open-sesame"] }).text(`\ud83d open-sesame`)).toBe("\ud83d [redacted: value]");
});
