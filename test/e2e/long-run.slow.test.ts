import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { z } from "zod";
import { createAgent, noUsage, tool, type Json, type Model, type Session } from "../../src/index.js";
import { taskCompletion } from "../../src/tools/index.js";
import { processorTime } from "../processor-time.js";

setFlagsFromString("--expose_gc");
const collect = runInNewContext("gc") as () => void;

function heap(): number {
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

/** Milliseconds of processor time: what else runs on the machine does not count. */
function cpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Calls `lookup` until it has been asked `count` times; looks at nothing that grows. */
function modelFor(count: number): Model {
  let asked = 0;
  return {
    name: "counting",
    provider: "counting:",
    async *respond() {
      asked += 1;
      const ends = asked === count;
      const input: Json = ends ? { result: "done" } : { key: String(asked) };
      const name = ends ? "task_completion" : "lookup";
      return { text: "", calls: [{ type: "call", name, input }], finish: "complete", usage: noUsage };
    },
  };
}

const lookup = tool({
  name: "lookup",
  description: "Looks up a key",
  input: z.object({ key: z.string() }),
  run: ({ key }) => `value of ${key}`,
});

let ran: Session | undefined;

test(
  "10,000 iterations: the time of one does not grow, and the memory is that of the records",
  { timeout: 120_000 },
  async () => {
    const iterations = 10_000;
    const perThousand: number[] = [];
    let began = cpu();
    const before = heap();
    const agent = createAgent({ model: modelFor(iterations), tools: [lookup, taskCompletion()] });
    const outcome = await agent.run("go", {
      onEvent: (event) => {
        if (event.type !== "iteration-end" || event.iteration % 1000 !== 0) return;
        perThousand.push(cpu() - began);
        began = cpu();
      },
    });
    expect(outcome).toMatchObject({ status: "completed", iterations });
    const kept = heap() - before;
    ran = outcome.session;

    const early = Math.min(...perThousand.slice(1, 4));
    const late = Math.min(...perThousand.slice(7, 10));
    expect(late / early).toBeLessThan(1.6);

    const bare = heap();
    const copy: Session = structuredClone(outcome.session);
    const records = heap() - bare;
    expect(copy.records).toHaveLength(outcome.session.records.length);
    expect(kept / records).toBeLessThan(2.5);
  },
);

test("a session of 10,000 iterations is gone on from in less than a second", { timeout: 120_000 }, async () => {
  // The test before has run it, unless it was left out.
  ran ??= (await createAgent({ model: modelFor(10_000), tools: [lookup, taskCompletion()] }).run("go")).session;
  const spent = processorTime();
  const next = await createAgent({ model: modelFor(1), tools: [lookup, taskCompletion()] }).run("on", {
    session: ran,
  });
  expect(next.status).toBe("completed");
  expect(spent()).toBeLessThan(1000);
});

test("an abort gets through a run that never waits for anything", async () => {
  const began = performance.now();
  const agent = createAgent({ model: modelFor(Infinity), tools: [lookup, taskCompletion()] });
  const outcome = await agent.run("go", { signal: AbortSignal.timeout(100) });
  expect(outcome.status).toBe("aborted");
  expect(outcome.iterations).toBeGreaterThan(10);
  expect(performance.now() - began).toBeLessThan(1000);
});
