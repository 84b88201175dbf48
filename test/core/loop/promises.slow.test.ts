// The promises of one iteration, counted in a process of its own: a hook that counts them slows all promises of its process. The count is
// the same on a busy machine.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { built } from "../../dist.js";

/** Prints the promises of an iteration: without a watcher, with one, and with a tool that declares that it reads. */
const program = `
import { createHook } from "node:async_hooks";
import { z } from "zod";
import { createAgent, tool } from ${JSON.stringify(built())};
import { delegate, taskCompletion } from ${JSON.stringify(built("tools"))};
const usage = { inputTokens: 100, cachedInputTokens: 0, outputTokens: 10, reasoningTokens: 0 };
const agentOf = (iterations, more) => {
  let asked = 0;
  const model = { name: "m", provider: "x:", async *respond() {
    asked += 1;
    yield { type: "call-delta", index: 0, name: "lookup", text: '{"key":"k"}' };
    const call = asked === iterations ? ["task_completion", { result: "Done." }] : ["lookup", { key: String(asked) }];
    return { text: "", finish: "complete", usage, calls: [{ type: "call", name: call[0], input: call[1] }] };
  } };
  const lookup = tool({ name: "lookup", description: "Looks", input: z.object({ key: z.string() }), ...more, run: async () => "found" });
  return createAgent({ model, tools: [lookup, taskCompletion()], limits: { maxIterations: 1000 } });
};
/** An agent whose only call runs an agent of so many iterations. */
const around = (iterations) => {
  let asked = 0;
  const model = { name: "m", provider: "y:", async *respond() {
    asked += 1;
    const call = asked === 2 ? ["task_completion", { result: "Done." }] : ["help", { task: "go" }];
    return { text: "", finish: "complete", usage, calls: [{ type: "call", name: call[0], input: call[1] }] };
  } };
  const help = delegate(agentOf(iterations), { name: "help", description: "Helps" });
  return createAgent({ model, tools: [help, taskCompletion()], limits: { maxIterations: 1000 } });
};
const jobs = {
  alone: (n) => agentOf(n).run("go"),
  watched: async (n) => { for await (const event of agentOf(n).stream("go")) void event; },
  read: (n) => agentOf(n, { effect: "read" }).run("go"),
  below: (n) => around(n).run("go"),
  belowSeen: (n) => around(n).run("go", { onEvent: () => undefined }),
};
let count = 0;
createHook({ init: (_id, type) => { if (type === "PROMISE") count += 1; } }).enable();
const of = async (job, n) => { const before = count; await job(n); return count - before; };
const figures = {};
for (const [name, job] of Object.entries(jobs)) {
  await job(20);
  const short = await of(job, 20);
  figures[name] = ((await of(job, 120)) - short) / 100;
}
console.log(JSON.stringify(figures));
`;

type Job = "alone" | "watched" | "read" | "below" | "belowSeen";

test("an iteration made 334 promises, watched or not: now it makes at most 95, and at most 125 for a stream of 8 events", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program]);
  const { alone, watched, read, below, belowSeen } = JSON.parse(stdout) as Readonly<Record<Job, number>>;
  expect(alone).toBeGreaterThan(50);
  expect(alone).toBeLessThanOrEqual(95);
  expect(watched).toBeLessThanOrEqual(125);
  // An iteration of an agent below made 215, seen or not.
  expect(below).toBeLessThanOrEqual(135);
  expect(belowSeen).toBeLessThanOrEqual(170);
  // A tool that declares an effect costs a decision about it, and nothing more.
  expect(read).toBeLessThanOrEqual(alone + 4);
});
