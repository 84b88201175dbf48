// A reply that nobody waits for any more: the model's own `finally` runs, and nothing keeps the process.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  createAgent,
  noUsage,
  tool,
  type Hook,
  type Model,
  type ModelEvent,
  type WrittenReply,
} from "../../src/index.js";
import { windowed } from "../../src/memory/index.js";
import { call, scriptedModel, scriptedProvider } from "../../src/testing/index.js";
import { taskCompletion } from "../../src/tools/index.js";
import { built } from "../dist.js";

const reply: WrittenReply = {
  text: "",
  calls: [{ type: "call", name: "task_completion", input: { result: "done" } }],
  finish: "complete",
  usage: noUsage,
};

interface Own {
  readonly model: Model;
  /** How often it was asked, and how often its `finally` has run to its end. */
  readonly asked: () => number;
  readonly closed: () => number;
}

/** A model of a user: it opens something, yields words for as long as it is read, many minutes if need be, and closes it in its `finally`. */
function ownModel(pause: (signal: AbortSignal) => Promise<unknown> = () => sleep(1)): Own {
  let [asked, closed] = [0, 0];
  async function* respond(_request: unknown, signal: AbortSignal): AsyncGenerator<ModelEvent, WrittenReply, void> {
    asked += 1;
    try {
      for (let word = 0; word < 1_000_000; word += 1) {
        yield { type: "text-delta", text: `word ${String(word)} ` };
        await pause(signal);
      }
      return reply;
    } finally {
      await sleep(2);
      closed += 1;
    }
  }
  return { model: { name: "own", provider: "own:", respond }, asked: () => asked, closed: () => closed };
}

describe("a model's finally runs", () => {
  test("when the stream is left in the middle of its reply", async () => {
    const { model, closed } = ownModel();
    for await (const event of createAgent({ model, tools: [taskCompletion()] }).stream("Go"))
      if (event.type === "text-delta") break;
    expect(closed()).toBe(1);
  });

  test.each([
    ["does not look at its signal", undefined],
    ["listens to its signal", (signal: AbortSignal) => sleep(30_000, undefined, { signal })],
  ])("when the run is aborted while a model that %s answers", async (_what, pause) => {
    const { model, closed } = ownModel(pause);
    const stop = new AbortController();
    setTimeout(() => {
      stop.abort();
    }, 20);
    const outcome = await createAgent({ model, tools: [taskCompletion()] }).run("Go", { signal: stop.signal });
    expect([outcome.status, closed()]).toEqual(["aborted", 1]);
  });

  test("when the time of the iteration is up", async () => {
    const { model, asked, closed } = ownModel();
    const agent = createAgent({ model, tools: [taskCompletion()], limits: { iterationTimeout: 20, maxIterations: 1 } });
    expect((await agent.run("Go")).status).toBe("stopped");
    // Once for the iteration, once for the closing one.
    expect([asked(), closed()]).toEqual([2, 2]);
  });

  test("when a hook has read enough of the reply", async () => {
    const { model, closed } = ownModel();
    const hasty: Hook = {
      async *request(request, next) {
        for await (const event of next(request)) {
          yield event;
          break;
        }
        return reply;
      },
    };
    const outcome = await createAgent({ model, tools: [taskCompletion()], hooks: [hasty] }).run("Go");
    expect([outcome.status, closed()]).toEqual(["completed", 1]);
  });

  test("when it summarizes and its time is up, and the summary is made by rule", async () => {
    const { model: summarize, asked, closed } = ownModel();
    let replies = 0;
    const model = scriptedModel(() => {
      replies += 1;
      if (replies > 14) return [call("task_completion", { result: "done" })];
      const usage = { ...noUsage, inputTokens: 1200 * Math.min(replies, 4), outputTokens: 300 };
      return { text: "words of mine ".repeat(90), calls: [call("work", { n: replies })], usage };
    });
    const work = tool({ name: "work", description: "Works", input: z.object({ n: z.number() }), run: () => "done" });
    const memory = windowed({ window: 4000, keep: 1, summarize, timeout: 30 });
    const { session } = await createAgent({ model, tools: [work, taskCompletion()], memory }).run("Go");
    const folds = session.records.filter((record) => record.type === "fold");
    expect(new Set(folds.map(({ by }) => by))).toEqual(new Set(["rule"]));
    // It has stalled once: the run does not wait for it again.
    expect(folds.length).toBeGreaterThan(1);
    expect(asked()).toBe(1);
    await expect.poll(closed).toBe(1);
  });
});

test("a process that leaves a stream of the HTTP model while it answers exits at once", async () => {
  await using provider = await scriptedProvider(() => ({ text: "words ".repeat(50), piece: 20, pause: 5 }));
  const program = `
    import { createAgent } from "${built()}";
    import { openai } from "${built("model")}";
    import { taskCompletion } from "${built("tools")}";
    const model = openai({ baseURL: ${JSON.stringify(provider.url)}, model: "m", apiKey: "k" });
    for await (const event of createAgent({ model, tools: [taskCompletion()] }).stream("Go"))
      if (event.type === "text-delta") break;
    console.log("left");`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  const left = performance.now();
  const [code] = (await once(child, "close")) as [number | null];
  expect(code).toBe(0);
  // Its watchdog would keep the process for two minutes.
  expect(performance.now() - left).toBeLessThan(30_000);
});
