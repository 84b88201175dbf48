import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { SpanStatusCode } from "@opentelemetry/api";
import { InMemorySpanExporter } from "@opentelemetry/sdk-trace-node";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createAgent, LastcallError, tool, type Check, type Session, type Tool } from "../../src/index.js";
import { fileStore, openSession } from "../../src/memory/index.js";
import { exportTrace, idGenerator, otel, traceOf, type SpanData } from "../../src/otel/index.js";
import { allowAll } from "../../src/permission/index.js";
import { call, scriptedModel, type Script } from "../../src/testing/index.js";
import { giveUp, taskCompletion } from "../../src/tools/index.js";
import { idOf, keepSpans, parentOf, treeOf, withContexts, type KeptSpans } from "./tracing.js";
import "../dist.js";

withContexts();

const done = [call("task_completion", { result: "Done." })];
const peek = tool({
  name: "peek",
  description: "Peeks.",
  effect: "read",
  input: z.object({ n: z.number() }),
  run: async ({ n }) => {
    await new Promise((resolve) => setTimeout(resolve, 10 * n));
    return "peeked";
  },
});
const edit = tool({ name: "edit", description: "Edits.", effect: "write", input: z.object({}), run: () => "edited" });
const tools: readonly Tool[] = [peek, edit, taskCompletion(), giveUp()];

/** The tree of the spans, as the tests of live spans have it. */
function treeOfData(spans: readonly SpanData[]): readonly string[] {
  return treeOf(spans.map(({ name, spanId, parentSpanId }) => ({ name, id: spanId, parent: parentSpanId })));
}

/** The ids, parent and attributes of live spans, as far as a journal knows them. */
function known(spans: KeptSpans): readonly object[] {
  return spans.spans().map((span) => {
    const {
      "gen_ai.provider.name": _provider,
      "gen_ai.response.time_to_first_chunk": _chunk,
      ...attributes
    } = span.attributes;
    const { traceId, spanId } = span.spanContext();
    return {
      name: span.name,
      traceId,
      spanId,
      parent: parentOf(span),
      attributes,
      isError: span.status.code === SpanStatusCode.ERROR,
    };
  });
}

/** The same of spans from a journal. */
function told(spans: readonly SpanData[]): readonly object[] {
  return spans.map(({ name, traceId, spanId, parentSpanId: parent, attributes, status }) => {
    return { name, traceId, spanId, parent, attributes, isError: status === "error" };
  });
}

const byId = (a: object, b: object): number => ((a as SpanData).spanId < (b as SpanData).spanId ? -1 : 1);

describe("the spans from a journal", () => {
  let runs = 0;
  const check: Check = { name: "npm test", verify: () => ({ passed: ++runs % 3 === 0, output: "said" }) };
  const usage = { inputTokens: 50, cachedInputTokens: 10, outputTokens: 5, reasoningTokens: 0 };
  test.each<[string, Script, Parameters<typeof createAgent>[0] | object]>([
    [
      "reads side by side, a refused and an accepted claim, checks",
      [[call("peek", { n: 2 }), call("peek", { n: 1 })], { calls: done, usage }, done],
      { checks: [check] },
    ],
    ["calls that could not run", [[call("nothing")], [call("peek", {})], [call("edit")], done], {}],
    ["two claims in one reply, and giving up", [[...done, ...done], [call("give_up", { reason: "no way" })]], {}],
    ["a limit with its closing iteration", [[call("edit")], done], { limits: { maxIterations: 1 } }],
    ["an open circuit", [[call("peek", {})], [call("peek", {})]], { circuit: { identical: 2 } }],
    ["a cost", [{ calls: done, usage }], { limits: { prices: { scripted: { input: 1, output: 2 } } } }],
  ])("are those that were live, with their ids, parents and attributes: %s", async (_what, script, options) => {
    const spans = keepSpans(idGenerator());
    const hook = await otel({ agent: "clerk", tracer: spans.tracer });
    const agent = createAgent({
      model: scriptedModel(script),
      tools,
      permission: allowAll(),
      ...options,
      hooks: [hook],
    });
    const { session } = await agent.run("go");
    const journal = traceOf(JSON.parse(JSON.stringify(session)) as Session, { agent: "clerk" });
    expect([...told(journal)].sort(byId)).toEqual([...known(spans)].sort(byId));
    expect(treeOfData(journal)[0]).toBe("invoke_agent clerk");
    for (const { start, end } of journal) expect(end).toBeGreaterThanOrEqual(start);
  });

  test("are a trace for each run of the session, and the second run of a session knows its own outcome", async () => {
    const agent = createAgent({ model: scriptedModel([done, [call("give_up", { reason: "no" })]]), tools });
    const { session } = await agent.run("one");
    const both = await agent.run("two", { session });
    const roots = traceOf(both.session).filter(({ name }) => name === "invoke_agent");
    expect(roots.map(({ attributes }) => attributes["lastcall.outcome"])).toEqual(["completed", "stopped"]);
    expect(new Set(roots.map(({ traceId }) => traceId)).size).toBe(2);
  });

  test("have no content by default, and on demand none of the secrets that the journal keeps", async () => {
    const secret = "hunter2-hunter2";
    const model = scriptedModel([{ text: `I read ${secret}.`, calls: done }]);
    const { session } = await createAgent({ model, tools }).run(`Use ${secret}.`);
    expect(JSON.stringify(session)).toContain(secret);
    expect(JSON.stringify(traceOf(session))).not.toMatch(/hunter2|Use|I read/);
    const whole = JSON.stringify(traceOf(session, { content: true, secrets: { values: [secret] } }));
    expect(whole).not.toContain("hunter2");
    expect(whole).toContain("Use [redacted: value].");
    expect(whole).toContain("I read [redacted: value].");
  });

  test("may hang under a span of the host", async () => {
    const { session } = await createAgent({ model: scriptedModel([done]), tools }).run("go");
    const parent = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" };
    const spans = traceOf(session, { parent });
    expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([parent.traceId]));
    expect(spans[0]).toMatchObject({ name: "invoke_agent", parentSpanId: parent.spanId });
  });

  test("need a session: another thing is refused with advice", () => {
    expect(() => traceOf("s" as never)).toThrow(/The session is no session but a text/);
    expect(() => traceOf({ version: 1, id: "s", records: [] }, { contents: true } as never)).toThrow(
      /Did you mean "content"/,
    );
    expect(traceOf({ version: 1, id: "s", records: [] })).toEqual([]);
  });
});

describe("a run whose process is killed", () => {
  const victim = resolve(import.meta.dirname, "victim.mjs");

  test("is one whole trace: the journal has the spans that died, the next process adds its own, and none is there twice", async () => {
    const folder = await mkdtemp(join(tmpdir(), "lastcall-otel-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const child = spawn(process.execPath, [victim, folder], { stdio: ["ignore", "pipe", "inherit"] });
    await once(child.stdout, "data");
    child.kill("SIGKILL");
    await once(child, "close");

    const store = fileStore(folder);
    const torn = traceOf(await openSession({ store, id: "s" }).toJSON());
    expect(treeOfData(torn)).toEqual(["invoke_agent", "  chat scripted", "  execute_tool edit", "  execute_tool hang"]);
    for (const { name, attributes } of torn) {
      const isOpen = name === "invoke_agent" || name === "execute_tool hang";
      expect(attributes["lastcall.unfinished"]).toBe(isOpen ? true : undefined);
    }

    const spans = keepSpans(idGenerator());
    const hang = tool({ name: "hang", description: "Hangs.", effect: "write", input: z.object({}), run: () => "late" });
    const agent = createAgent({
      model: scriptedModel([done]),
      tools: [...tools, hang],
      permission: allowAll(),
      hooks: [await otel({ tracer: spans.tracer })],
    });
    const outcome = await agent.resume(openSession({ store, id: "s" }));
    expect(outcome.status).toBe("completed");

    const whole = traceOf(outcome.session);
    expect(treeOfData(whole)).toEqual([
      "invoke_agent",
      "  chat scripted",
      "  execute_tool edit",
      "invoke_agent",
      "  execute_tool hang",
      "  chat scripted",
      "  execute_tool task_completion",
    ]);
    const [first, second] = whole.filter(({ name }) => name === "invoke_agent");
    expect(new Set(whole.map(({ traceId }) => traceId)).size).toBe(1);
    expect(second?.links).toEqual([{ traceId: first?.traceId, spanId: first?.spanId }]);
    const live = spans.spans().find(({ name }) => name === "invoke_agent");
    expect(live && idOf(live)).toBe(second?.spanId);
    expect(live?.links.map((link) => link.context.spanId)).toEqual([first?.spanId]);

    // One span for each effect key, and what the second process sent is what the journal tells.
    const keys = whole.map(({ attributes, name }) => `${name} ${String(attributes["lastcall.key"])}`);
    const effects = keys.filter((key) => !key.startsWith("invoke_agent"));
    expect(new Set(effects).size).toBe(effects.length);
    const sent = new Set(spans.spans().map((span) => idOf(span)));
    // The next process ends the call before its first request, which has the descriptions of the tools.
    const lives = known(spans).map((span) =>
      "execute_tool hang" === (span as SpanData).name
        ? { ...span, attributes: { ...(span as SpanData).attributes, "gen_ai.tool.description": "Hangs." } }
        : span,
    );
    expect([...told(whole.filter(({ spanId }) => sent.has(spanId)))].sort(byId)).toEqual([...lives].sort(byId));
    expect(sent.size).toBe(4);
  });
});

describe("an export of the journal", () => {
  test("twice changes nothing for a backend that goes by ids", async () => {
    const { session } = await createAgent({ model: scriptedModel([[call("peek", { n: 1 })], done]), tools }).run("go");
    const exporter = new InMemorySpanExporter();
    await exportTrace(traceOf(session), exporter, { resource: { "service.name": "shop" } });
    const first = exporter
      .getFinishedSpans()
      .map((span) => JSON.stringify([span.spanContext(), span.startTime, span.endTime, span.attributes]));
    exporter.reset();
    await exportTrace(traceOf(JSON.parse(JSON.stringify(session)) as Session), exporter);
    const second = exporter
      .getFinishedSpans()
      .map((span) => JSON.stringify([span.spanContext(), span.startTime, span.endTime, span.attributes]));
    expect(first).toHaveLength(5);
    expect(second).toEqual(first);
  });

  test("over OTLP arrives whole, with parents, times, kinds and the resource", async () => {
    const bodies: unknown[] = [];
    const server = createServer((request, response) => {
      void text(request).then((body) => {
        bodies.push(JSON.parse(body));
        response.setHeader("content-type", "application/json").end("{}");
      });
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const { OTLPTraceExporter } = await import("@opentelemetry/exporter-trace-otlp-http");
    const exporter = new OTLPTraceExporter({ url: `http://127.0.0.1:${String(port)}/v1/traces` });
    const { session } = await createAgent({ model: scriptedModel([[call("peek", { n: 1 })], done]), tools }).run("go");
    const spans = traceOf(session);
    await exportTrace(spans, exporter, { resource: { "service.name": "shop" } });
    await exporter.shutdown();
    const [{ resourceSpans }] = bodies as [
      { resourceSpans: { resource: object; scopeSpans: { spans: object[] }[] }[] },
    ];
    expect(resourceSpans[0]?.resource).toMatchObject({
      attributes: [{ key: "service.name", value: { stringValue: "shop" } }],
    });
    expect(resourceSpans[0]?.scopeSpans[0]?.spans).toMatchObject(
      spans.map(({ traceId, spanId, parentSpanId, name, start }) => ({
        traceId,
        spanId,
        ...(parentSpanId !== undefined && { parentSpanId }),
        name,
        startTimeUnixNano: `${String(start)}000000`,
      })),
    );
  });

  test("that fails says why", async () => {
    const { session } = await createAgent({ model: scriptedModel([done]), tools }).run("go");
    const exporter = {
      export: (_spans: never[], end: (result: { code: number; error?: Error }) => void) => {
        end({ code: 1, error: new Error("no route") });
      },
    };
    await expect(exportTrace(traceOf(session), exporter)).rejects.toThrow(
      new LastcallError("store", "The spans could not be exported: no route"),
    );
  });
});
