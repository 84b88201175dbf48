// Runs that are suspended at any point and at random moments: another agent goes on, no call runs twice, and no outcome is unknown.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { createAgent, systemRuntime, tool, type Agent, type Event, type Model, type Tool } from "../../src/index.js";
import { fileStore, memoryStore, openSession } from "../../src/memory/index.js";
import { allowAll } from "../../src/permission/index.js";
import { assertWellFormed, call, scriptedModel } from "../../src/testing/index.js";
import { delegate, taskCompletion } from "../../src/tools/index.js";
import { temporaryFolder } from "../memory/store-places.js";
import { checkEnd } from "./invariants.js";
import { pointsWith } from "./points.js";
import { agentIn, freshWorld, recordsIn, survive, turn } from "./scenario.js";
import { counted, withEach } from "./counted.js";
import { atEachOf, randomFrom, seeds } from "./scale.js";

const unknown = "outcome is unknown";

/** Runs until the point, suspends there, and lives on with another agent. How many points there were. */
async function suspendAt(at: number): Promise<number> {
  const world = freshWorld();
  const suspend = new AbortController();
  const points = pointsWith(at, () => {
    suspend.abort();
  });
  const options = {
    permission: points.permission(allowAll()),
    runtime: points.runtime(systemRuntime),
    hooks: [points.hook],
  };
  const agent = agentIn(world, { model: points.model, tool: points.tool, check: points.check, options });
  const store = points.store(world.store);
  for (;;) {
    const events: Event[] = [];
    const onEvent = (event: Event): void => void events.push(event);
    const outcome = await turn(world, agent, store, { suspend: suspend.signal, onEvent });
    if (outcome === undefined) {
      points.expectMet();
      return points.count();
    }
    checkEnd(events, outcome);
    expect(world.running).toBe(0);
    if (!suspend.signal.aborted) continue;
    const records = await recordsIn(world);
    if (outcome.status === "aborted") {
      expect(outcome.suspended).toBe(true);
      assertWellFormed(records, { ended: false });
    } else expect(["completed", "waiting"]).toContain(outcome.status);
    const whole = await survive(world);
    expect(whole.filter(({ type }) => type === "outcome").length).toBeLessThanOrEqual(2);
    expect(JSON.stringify(whole)).not.toContain(unknown);
    return points.count();
  }
}

test("suspended at any point, a run stops without an end or ends as usual, and goes on with nothing done twice", async () => {
  counted("suspend-every-await", await atEachOf({ least: 300, quick: 30 }, suspendAt));
});

/** A model that goes by the number of its replies in the prompt, and takes some milliseconds for each. */
function paced(random: () => number, steps: readonly (readonly ReturnType<typeof call>[])[]): Model {
  return {
    name: "m",
    provider: "scripted",
    respond(request, signal) {
      const replies = request.messages.filter(({ role }) => role === "assistant").length;
      const calls = steps[replies] ?? [call("task_completion", { result: "Done." })];
      const usage = { inputTokens: 100, outputTokens: 10 };
      return scriptedModel([{ calls: [...calls], usage, delay: random() * 8 }]).respond(request, signal);
    },
  };
}

/** An agent that works, reads and runs another agent that works, as a new process has it. */
function treeOf(random: () => number, effects: string[]): Agent {
  const mark = tool({
    name: "mark",
    description: "Marks",
    input: z.object({}),
    effect: "write",
    run: async (_input, { callId }) => {
      effects.push(callId);
      await new Promise((resolve) => setTimeout(resolve, random() * 6));
      return "marked";
    },
  });
  const look = tool({ name: "look", description: "Looks", input: z.object({}), effect: "read", run: () => "seen" });
  const own: readonly Tool[] = [mark, look, taskCompletion()];
  const permission = allowAll();
  const leaf = createAgent({
    model: paced(random, [[call("mark"), call("look")], [call("mark")]]),
    tools: own,
    permission,
  });
  const ask = delegate(leaf, { name: "ask", description: "Asks" }) as unknown as Tool;
  const steps = [[call("mark"), call("look")], [call("ask", { task: "Mark." }), call("mark")], [call("look")]];
  return createAgent({ model: paced(random, steps), tools: [...own, ask], permission });
}

test("suspended twice at random moments, a tree of agents ends as an unbroken one", async () => {
  const whole = await treeOf(() => 0, []).run("Go.");
  expect(whole).toMatchObject({ status: "completed", iterations: 4 });
  await withEach(seeds(100, 400), { fault: "suspend-random", words: "suspended twice" }, async (seed) => {
    const random = randomFrom(seed);
    const effects: string[] = [];
    const session = openSession({ store: memoryStore(), id: "s" });
    let times = 0;
    for (;;) {
      const suspend = new AbortController();
      const timer = times < 2 ? setTimeout(suspend.abort.bind(suspend), 1 + random() * 59) : undefined;
      const agent = treeOf(random, effects);
      const options = { suspend: suspend.signal };
      const outcome = await (times === 0 ? agent.run("Go.", { ...options, session }) : agent.resume(session, options));
      clearTimeout(timer);
      if (outcome.status !== "aborted") {
        const { usage, iterations } = whole;
        expect(outcome).toMatchObject({ status: "completed", iterations, usage });
        break;
      }
      expect(outcome).toMatchObject({ suspended: true, iterations: 0 });
      times += 1;
    }
    expect(new Set(effects).size).toBe(effects.length);
    expect(effects).toHaveLength(4);
    const { records } = await session.toJSON();
    assertWellFormed(records);
    expect(JSON.stringify(records)).not.toContain(unknown);
    return times;
  });
});

test("told to terminate, a process suspends its run and exits with 0, and this process goes on with it", async () => {
  await using folder = await temporaryFolder();
  const outside = join(folder.path, "effects");
  const victim = resolve(import.meta.dirname, "suspend-victim.mjs");
  const given = JSON.stringify({ path: join(folder.path, "sessions"), outside });
  const child = spawn(process.execPath, [victim, given], { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
  await expect.poll(() => said, { timeout: 20_000 }).toContain("working");
  const told = performance.now();
  child.kill("SIGTERM");
  const [code] = (await once(child, "close")) as [number | null];
  expect(code).toBe(0);
  expect(performance.now() - told).toBeLessThan(5000);
  expect(said).toContain("aborted true");
  const store = fileStore(join(folder.path, "sessions"));
  const agent = createAgent({
    model: scriptedModel([[call("task_completion", { result: "Done." })]]),
    tools: [taskCompletion()],
  });
  const outcome = await agent.resume(openSession({ store, id: "s" }));
  expect(outcome).toMatchObject({ status: "completed", iterations: 2 });
  expect(readFileSync(outside, "utf8")).toBe("began\nended\n");
  expect(outcome.session.records.filter(({ type }) => type === "result")).toMatchObject([{ result: { ok: true } }]);
  counted("suspend-sigterm", 1);
});
