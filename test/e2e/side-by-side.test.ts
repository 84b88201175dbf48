// Calls of one reply: reads side by side, everything else in order, results in the reply's order.

import { expect, test } from "vitest";
import { z } from "zod";
import { tool, type Effect, type Hook, type Tool } from "../../src/index.js";
import { allowAll } from "../../src/permission/index.js";
import { assertWellFormed, call, type Script } from "../../src/testing/index.js";
import { taskCompletion } from "../../src/tools/index.js";
import { agentOn } from "./agent-on.js";

const done = call("task_completion", { result: "all done" });

/** Tools that say when they begin and end. A read takes as long as it is told to. */
function watchedTools(onStart: (open: number) => void): {
  readonly tools: readonly Tool[];
  readonly log: string[];
  most: () => number;
} {
  const log: string[] = [];
  let open = 0;
  let most = 0;
  const make = (name: string, effect: Effect): Tool =>
    tool({
      name,
      description: name,
      input: z.object({ id: z.string(), ms: z.number().optional(), fails: z.boolean().optional() }),
      effect,
      run: async ({ id, ms = 5, fails = false }, { signal }) => {
        most = Math.max(most, (open += 1));
        log.push(`+${id}`);
        onStart(open);
        await new Promise((resolve) => setTimeout(resolve, ms));
        open -= 1;
        log.push(signal.aborted ? `!${id}` : `-${id}`);
        if (fails) throw new Error(`${id} failed`);
        return `result of ${id}`;
      },
    });
  const tools = [make("look", "read"), make("put", "write"), make("think", "none"), taskCompletion()] as Tool[];
  return { tools, log, most: () => most };
}

const look = (id: string, more: object = {}): ReturnType<typeof call> => call("look", { id, ...more });
const put = (id: string): ReturnType<typeof call> => call("put", { id });

interface More {
  readonly hooks?: readonly Hook[];
  readonly signal?: AbortSignal;
  readonly onStart?: (open: number) => void;
}

async function runWith(script: Script, { hooks = [], signal, onStart = () => undefined }: More = {}) {
  const watched = watchedTools(onStart);
  await using stage = await agentOn(script, { tools: watched.tools, permission: allowAll(), hooks });
  const outcome = await stage.agent.run("go", { onEvent: stage.onEvent, ...(signal && { signal }) });
  assertWellFormed(outcome.session.records);
  const results = outcome.session.records.flatMap((record) => (record.type === "result" ? [record.result.text] : []));
  return { ...watched, outcome, results, events: stage.events };
}

test("up to four reads run at a time, and their results stand in the reply's order", async () => {
  const ids = ["a", "b", "c", "d", "e", "f"];
  const reads = ids.map((id, index) => look(id, { ms: 60 - index * 10 }));
  const { most, results, outcome } = await runWith([reads, [done]]);
  expect(outcome.status).toBe("completed");
  expect(most()).toBe(4);
  expect(results).toEqual(ids.map((id) => `result of ${id}`));
});

test("a read sees what a write before it did, and a write waits for the reads before it", async () => {
  const { log, most } = await runWith([[look("a"), look("b"), put("c"), look("d"), put("e"), put("f")], [done]]);
  const at = (entry: string): number => log.indexOf(entry);
  expect(at("+c")).toBeGreaterThan(Math.max(at("-a"), at("-b")));
  expect(at("+d")).toBeGreaterThan(at("-c"));
  expect(at("+e")).toBeGreaterThan(at("-d"));
  expect(at("+f")).toBeGreaterThan(at("-e"));
  expect(most()).toBe(2);
});

test("a claim beside reads is judged when all of them are done", async () => {
  const { outcome, log } = await runWith([[done, look("a", { ms: 30 }), look("b", { fails: true })], [done]]);
  expect(outcome).toMatchObject({ status: "completed", iterations: 2 });
  expect(log).toContain("-a");
});

test("one that fails fails alone", async () => {
  const { results } = await runWith([[look("a"), look("b", { fails: true }), call("nope", {}), look("c")], [done]]);
  expect(results[0]).toBe("result of a");
  expect(results[1]).toContain("b failed");
  expect(results[2]).toContain("nope");
  expect(results[3]).toBe("result of c");
});

test("an abort stops all of them, and none is left without a result or a way to go on", async () => {
  const abort = new AbortController();
  const reads = ["a", "b", "c"].map((id) => look(id, { ms: 120 }));
  const onStart = (open: number): void => {
    if (open === 3) abort.abort();
  };
  const { outcome, log } = await runWith([reads, [done]], { signal: abort.signal, onStart });
  expect(outcome.status).toBe("aborted");
  expect(log.filter((entry) => entry.startsWith("+"))).toHaveLength(3);
  expect(log.filter((entry) => entry.startsWith("!"))).toHaveLength(3);
});

test("a fault of a hook around one of them ends the run, and the others are told to stop", async () => {
  const hook: Hook = {
    async *call(frozen, next) {
      if ((frozen.input as { readonly id?: string }).id !== "b") return yield* next(frozen);
      await new Promise((resolve) => setTimeout(resolve, 20));
      throw new Error("the hook is broken");
    },
  };
  const { outcome, log } = await runWith([[look("a", { ms: 100 }), look("b"), look("c", { ms: 100 })]], {
    hooks: [hook],
  });
  expect(outcome).toMatchObject({ status: "failed" });
  expect(log).toEqual(expect.arrayContaining(["!a", "!c"]));
});

test("decisions, progress and results of each call come in order, whatever is between them", async () => {
  const { events } = await runWith([["a", "b", "c"].map((id) => look(id)), [done]]);
  const starts = events.flatMap((event) => (event.type === "call-start" ? [event.call.id] : []));
  for (const id of starts.slice(0, 3)) {
    const own = events.flatMap((event) => {
      if (event.type === "call-start" && event.call.id === id) return ["start"];
      if (event.type === "call-decision" && event.callId === id) return ["decision"];
      return event.type === "call-end" && event.result.callId === id ? ["end"] : [];
    });
    expect(own).toEqual(["start", "decision", "end"]);
  }
});
