// Notes over a long run: written early, they are in every prompt after the folds, after a crash, a fork, and in the next session.

import { expect, test } from "vitest";
import { z } from "zod";
import { createAgent, noUsage, notesIn, tool, type Model, type Tool } from "../../src/index.js";
import { sizeOf } from "../../src/core/internal.js";
import { forkSession, memoryStore, openSession, windowed } from "../../src/memory/index.js";
import { openai } from "../../src/model/index.js";
import {
  assertPrefixStable,
  assertWellFormed,
  assertWellFormedRequest,
  call,
  scriptedProvider,
  type ScriptedProvider,
  type Step,
} from "../../src/testing/index.js";
import { notes, readResult, taskCompletion } from "../../src/tools/index.js";
import type { Event } from "../../src/index.js";

const fact = "The archive's password is in vault 7, not in vault 3.";
const later = "Page 30 is blank.";

const readPage = tool({
  name: "read_page",
  description: "Reads a page",
  input: z.object({ number: z.number() }),
  effect: "read",
  run: ({ number }) => `page ${String(number)}: nothing to see here\n`.repeat(20),
});

const tools = [...notes(), readPage, readResult(), taskCompletion()] as const;

/** With words, which no stub shortens. */
function reading(number: number): Step {
  return { text: `I go on with page ${String(number)}. `.repeat(15), calls: [call("read_page", { number })] };
}

/** Notes in iterations 2 and 30, one of them scratched in 50, and a completion in every so many. */
function script(end: number): (seen: { readonly number: number }) => Step {
  return ({ number }) => {
    if (number === 2) return [call("add_note", { text: fact, tags: ["vault"] })];
    if (number === 30) return [call("add_note", { text: later })];
    if (number === 50) return [call("scratch_note", { id: "n2" })];
    return number % end === 0 ? [call("task_completion", { result: "read" })] : reading(number);
  };
}

function agentOn(provider: ScriptedProvider): ReturnType<typeof createAgent<readonly Tool[]>> {
  return createAgent({
    model: counting(openai({ baseURL: provider.url, model: "scripted", steady: { firstDelay: 1 } })),
    tools,
    memory: windowed({ window: 4000 }),
    runtime: {
      now: () => 1,
      random: () => 0,
      id: () => "s",
      sleep,
      turn: () => Promise.resolve(),
      warn: () => undefined,
    },
  });
}

/** Sleeps for ever, unless it is broken off. */
function sleep(_ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((_resolve, reject) => {
    signal?.addEventListener("abort", () => {
      reject(signal.reason as Error);
    });
  });
}

/** The model with the tokens counted as a provider would: four characters each, whatever the ids of its calls. */
function counting(model: Model): Model {
  return {
    name: model.name,
    provider: model.provider,
    async *respond(request, signal) {
      const reply = yield* model.respond(request, signal);
      const { system, messages, tools: offered } = request;
      const overhead = system.length + JSON.stringify(offered).length;
      const inputTokens = Math.ceil(messages.reduce((sum, message) => sum + sizeOf(message), overhead) / 4);
      return { ...reply, usage: { ...noUsage, inputTokens, outputTokens: 20 } };
    },
  };
}

function prompts({ requests }: ScriptedProvider): readonly string[] {
  return requests.map(({ body }) => JSON.stringify(body.messages));
}

/** The provider counts its calls anew once it is another. */
function withoutIds(prompt: string): string {
  return prompt.replace(/"(id|tool_call_id)":"[^"]*"/g, '"$1":""');
}

test("a note made in iteration 2 is in every prompt after the folds, word for word, and a scratched one is not", async () => {
  await using provider = await scriptedProvider(script(80));
  const events: Event[] = [];
  const outcome = await agentOn(provider).run("Read all pages.", { onEvent: (event) => void events.push(event) });
  expect(outcome).toMatchObject({ status: "completed", iterations: 80 });
  assertWellFormed(outcome.session.records);
  assertPrefixStable(provider.requests, events);
  for (const { body } of provider.requests) assertWellFormedRequest(body);
  const folds = outcome.session.records.flatMap((record) => (record.type === "fold" ? [record] : []));
  expect(folds.length).toBeGreaterThan(3);
  for (const prompt of prompts(provider).slice(2)) expect(prompt.includes(fact)).toBe(true);
  const last = prompts(provider).at(-1)!;
  expect(last).toContain(`n1 [vault]: ${fact}`);
  expect(last).not.toContain(`n2: ${later}`);
  expect(folds.some(({ notes: shown }) => shown?.includes(`n2: ${later}`))).toBe(true);
});

test.each([2, 31])(
  "left in iteration %i and resumed, the prompts are those of a run that was never left, but for the ids of the provider",
  async (left) => {
    await using provider = await scriptedProvider(script(60));
    const { session } = await agentOn(provider).run("Read all pages.");
    const end = session.records.findIndex(
      (record) => record.type === "result" && record.result.callId.includes(`:${String(left)}:`),
    );
    const kept = { ...session, records: structuredClone(session.records.slice(0, end + 1)) };
    await using other = await scriptedProvider((seen) => script(60)({ number: seen.number + left }));
    const resumed = await agentOn(other).resume(kept);
    expect(resumed).toMatchObject({ status: "completed", iterations: 60 });
    const due = prompts(provider).slice(left).map(withoutIds);
    expect(prompts(other)).toHaveLength(due.length);
    expect(prompts(other).findIndex((prompt, index) => withoutIds(prompt) !== due[index])).toBe(-1);
  },
);

test("a fork has the notes as of its record, and goes on with their numbers", async () => {
  await using provider = await scriptedProvider(script(40));
  const store = memoryStore();
  const outcome = await agentOn(provider).run("Read all pages.", { session: openSession({ store, id: "s" }) });
  const at = outcome.session.records.findIndex((record) => record.type === "reply" && record.iteration === 20);
  await forkSession({ store, id: "s", at, to: "copy" });
  const copied = notesIn((await openSession({ store, id: "copy" }).toJSON()).records);
  expect([[...copied.current.keys()], copied.next]).toEqual([["n1"], "n2"]);
  expect([...notesIn(outcome.session.records).current.keys()]).toEqual(["n1", "n2"]);
});

test("a new session begins with the live notes of another, and does not depend on it again", async () => {
  await using first = await scriptedProvider(script(60));
  const earlier = (await agentOn(first).run("Read all pages.")).session;
  await using provider = await scriptedProvider(({ number }): Step => {
    if (number === 1) return [call("list_notes")];
    if (number === 2) return [call("add_note", { text: "New here." })];
    return number % 40 === 0 ? [call("task_completion", { result: "read" })] : reading(number);
  });
  const agent = agentOn(provider);
  const outcome = await agent.run("Once more.", { notesFrom: earlier });
  expect(outcome.status).toBe("completed");
  assertWellFormed(outcome.session.records);
  expect(prompts(provider)[0]).toContain(`n1 [vault]: ${fact}`);
  expect(prompts(provider)[0]).not.toContain(later);
  expect(prompts(provider)[1]).toContain("1 note, the latest first:");
  expect(prompts(provider).at(-1)).toContain(`n2: New here.\\nn1 [vault]: ${fact}`);
  const other = { ...earlier, records: earlier.records.slice(0, 1) };
  const more = await agent.run("And on.", { session: outcome.session, notesFrom: other });
  expect([...notesIn(more.session.records).current.keys()]).toEqual(["n1", "n2"]);
  await expect(agent.run("x", { notesFrom: { ...earlier, id: "" } })).rejects.toThrow("must have an id");
});
