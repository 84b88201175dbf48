// Questions of running calls, and files, in spans: one span for each effect, from live runs and from the journal, without bytes or secrets.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createAgent, tool, type Outcome, type Session } from "../../src/index.js";
import { fileStore, openSession } from "../../src/memory/index.js";
import { idGenerator, otel, traceOf } from "../../src/otel/index.js";
import { allowAll } from "../../src/permission/index.js";
import { call, scriptedModel, type Script } from "../../src/testing/index.js";
import { taskCompletion } from "../../src/tools/index.js";
import { idOf, keepSpans, parentOf, withContexts, type KeptSpans } from "./tracing.js";

withContexts();

const secret = "hunter2-hunter2";
const key = `sk-proj-${"Ab3".repeat(16)}`;
const done = [call("task_completion", { result: `Booked with ${secret}.` })];

const book = tool({
  name: "book",
  description: "Books a table",
  effect: "network",
  input: z.object({ place: z.string() }),
  asks: z.string(),
  async run({ place }, { ask }) {
    const people = await ask(`How many at ${place}, with ${secret} and ${key}?`, { state: { secret } });
    const when = await ask(`When, for ${String(people)}?`);
    return `${place} for ${String(people)} at ${String(when)}, paid with ${key}`;
  },
});
const look = tool({
  name: "look",
  description: "Looks",
  effect: "read",
  input: z.object({}),
  asks: z.string(),
  run: async (_input, { ask }) => `saw ${String(await ask("Where?"))}`,
});
const tools = [book, look, taskCompletion()] as const;

async function agentOn(spans: KeptSpans, script: Script, content = false) {
  const hook = await otel({ agent: "clerk", tracer: spans.tracer, content });
  const model = scriptedModel(script);
  return createAgent({ model, tools, permission: allowAll(), secrets: { values: [secret] }, hooks: [hook] });
}

/** The id of the call that waits. */
function asked(outcome: Outcome<typeof tools>): string {
  if (outcome.status !== "waiting") throw new Error(outcome.status);
  return outcome.id;
}

const plain = (session: Session): Session => JSON.parse(JSON.stringify(session)) as Session;
const keysOf = (attributes: readonly Readonly<Record<string, unknown>>[]): readonly unknown[] =>
  attributes.map((each) => each["lastcall.key"]);

describe("a call that asks twice, and is answered in other processes", () => {
  async function answered(spans: KeptSpans, content = false): Promise<readonly Session[]> {
    const first = await (
      await agentOn(spans, [[call("book", { place: "the Lion" })]], content)
    ).run(`Book, ${secret}.`);
    // Each answer comes to another agent, as in another process.
    const second = await (await agentOn(spans, [], content)).run("four", { session: plain(first.session) });
    const third = await (await agentOn(spans, [done], content)).run("noon", { session: plain(second.session) });
    expect([first, second, third].map(({ status }) => status)).toEqual(["waiting", "waiting", "completed"]);
    return [first.session, second.session, third.session];
  }

  test("has one span for each effect key, live and in the journal, with the same ids", async () => {
    const spans = keepSpans(idGenerator());
    const [, , session] = await answered(spans);
    const effects = spans.spans().filter(({ name }) => !name.startsWith("invoke_agent"));
    const keys = keysOf(effects.map(({ attributes }) => attributes));
    expect(new Set(keys).size).toBe(keys.length);
    expect(effects.map(({ name }) => name)).toEqual([
      "chat scripted",
      "execute_tool book",
      "chat scripted",
      "execute_tool task_completion",
    ]);
    const journal = traceOf(plain(session!), { agent: "clerk" });
    const shape = journal.map(({ name, spanId, traceId, parentSpanId }) => ({ name, spanId, traceId, parentSpanId }));
    const live = spans.spans().map((span) => ({
      name: span.name,
      spanId: idOf(span),
      traceId: span.spanContext().traceId,
      parentSpanId: parentOf(span),
    }));
    const byId = (a: { readonly spanId: string }, b: { readonly spanId: string }): number =>
      a.spanId < b.spanId ? -1 : 1;
    expect([...shape].sort(byId)).toEqual([...live].sort(byId));
    expect(new Set(live.map(({ traceId }) => traceId)).size).toBe(1);
  });

  test("belongs to the part of the run that ended it, and each part that asked has the question as an event", async () => {
    const spans = keepSpans();
    await answered(spans);
    const parts = spans.spans().filter(({ name }) => name === "invoke_agent clerk");
    const questions = parts.map(({ events }) => events.filter(({ name }) => name === "lastcall.call_question").length);
    expect(questions).toEqual([1, 1, 0]);
    expect(parts.map(({ attributes }) => attributes["lastcall.outcome"])).toEqual(["waiting", "waiting", "completed"]);
    expect(parentOf(spans.named("execute_tool book"))).toBe(idOf(parts[2]!));
  });

  test("has no span in a journal that still waits, so that a later export adds it and changes none", async () => {
    const sessions = await answered(keepSpans());
    const traces = sessions.map((session) => traceOf(plain(session), { agent: "clerk" }));
    const named = traces.map((spans) => spans.filter(({ name }) => name === "execute_tool book"));
    expect(named.map(({ length }) => length)).toEqual([0, 0, 1]);
    expect(named[2]?.[0]?.attributes).not.toHaveProperty("lastcall.unfinished");
    for (const [earlier, later] of [traces.slice(0, 2), traces.slice(1)]) {
      const byId = new Map(later!.map((span) => [span.spanId, span]));
      for (const span of earlier!) expect(byId.get(span.spanId)).toEqual(span);
    }
  });

  test.each([false, true])("shows a planted secret nowhere, with content %s", async (content) => {
    const spans = keepSpans();
    const [, , session] = await answered(spans, content);
    const live = spans.spans().map(({ name, attributes, events, links }) => ({ name, attributes, events, links }));
    const journal = traceOf(plain(session!), { content, secrets: { values: [secret] } });
    for (const told of [JSON.stringify(live), JSON.stringify(journal)]) {
      for (const words of [secret, key]) expect(told).not.toContain(words);
      expect(told.includes("How many at the Lion")).toBe(content);
    }
  });
});

test("two reads that ask side by side have one span each, ended by their own answers", async () => {
  const spans = keepSpans();
  const first = await (await agentOn(spans, [[call("look"), call("look")]])).run("Look.");
  const second = await (await agentOn(spans, [])).run("here", { session: first.session, answers: asked(first) });
  expect(second.status).toBe("waiting");
  const third = await (await agentOn(spans, [done])).run("there", { session: second.session, answers: asked(second) });
  expect(third.status).toBe("completed");
  const looks = spans.spans().filter(({ name }) => name === "execute_tool look");
  expect(new Set(keysOf(looks.map(({ attributes }) => attributes))).size).toBe(2);
  expect(looks).toHaveLength(2);
  expect(traceOf(third.session).filter(({ name }) => name === "execute_tool look")).toHaveLength(2);
});

describe("files", () => {
  const png = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC",
    "base64",
  );
  const pdf = Buffer.from(`%PDF-1.4\n${secret}\n%%EOF\n`);
  const scan = tool({
    name: "scan",
    description: "Scans",
    effect: "read",
    input: z.object({}),
    run(_input, { attach }) {
      attach({ bytes: pdf, name: `${secret}.pdf` });
      return "a page";
    },
  });

  async function shown(content: boolean) {
    const folder = mkdtempSync(join(tmpdir(), "lastcall-traced-"));
    onTestFinished(() => {
      rmSync(folder, { recursive: true, force: true });
    });
    const spans = keepSpans();
    const hook = await otel({ tracer: spans.tracer, content });
    const model = scriptedModel([[call("scan")], done]);
    const agent = createAgent({ model, tools: [scan, taskCompletion()], secrets: { values: [secret] }, hooks: [hook] });
    const session = openSession({ store: fileStore(folder), id: "s" });
    await agent.run("What is this?", { session, attachments: [{ bytes: png, name: "dot.png" }] });
    return { spans, journal: traceOf(await session.toJSON(), { content, secrets: { values: [secret] } }) };
  }

  const image = { type: "file", modality: "image", mime_type: "image/png", size: png.length };
  const paper = { type: "file", modality: "document", mime_type: "application/pdf", size: pdf.length };
  const id = { file_id: expect.stringMatching(/^[0-9a-f]{64}$/) };

  test("are recorded with content as type, digest and size: in the run, in each request, and in the result of a call", async () => {
    const { spans, journal } = await shown(true);
    const read = (attributes: Readonly<Record<string, unknown>>, name: string): unknown =>
      JSON.parse(String(attributes[name]));
    const input = [
      {
        role: "user",
        parts: [
          { type: "text", content: "What is this?" },
          { ...image, ...id },
        ],
      },
    ];
    const run = journal.find(({ name }) => name === "invoke_agent");
    const scanned = journal.find(({ name }) => name === "execute_tool scan");
    for (const attributes of [spans.named("invoke_agent").attributes, run!.attributes])
      expect(read(attributes, "gen_ai.input.messages")).toEqual(input);
    for (const attributes of [spans.named("execute_tool scan").attributes, scanned!.attributes])
      expect(read(attributes, "lastcall.attachments")).toEqual([{ ...paper, ...id }]);
    const [first, second] = spans.spans().filter(({ name }) => name === "chat scripted");
    expect(read(first!.attributes, "gen_ai.input.messages")).toEqual(input);
    const results = read(second!.attributes, "gen_ai.input.messages") as readonly {
      readonly parts: readonly object[];
    }[];
    expect(results.at(-1)?.parts).toEqual([
      { type: "tool_call_response", id: expect.any(String), response: expect.stringContaining("a page") },
      { ...paper, ...id },
    ]);
    const told = JSON.stringify([spans.spans().map(({ attributes }) => attributes), journal]);
    expect(told).not.toContain(png.toString("base64").slice(0, 24));
    expect(told).not.toContain(pdf.toString("base64").slice(0, 24));
    expect(told).not.toContain(secret);
  });

  test("leave no trace by default", async () => {
    const { spans, journal } = await shown(false);
    const told = JSON.stringify([spans.spans().map(({ attributes, events }) => [attributes, events]), journal]);
    for (const words of ["image/png", "application/pdf", "file_id", "dot.png"]) expect(told).not.toContain(words);
  });
});
