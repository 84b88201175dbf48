// Runs that are aborted, left or out of time at any point at which they wait for something.

import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { systemRuntime, type Event, type LimitOptions, type Outcome, type Runtime } from "../../src/index.js";
import { openSession } from "../../src/memory/index.js";
import { allowAll } from "../../src/permission/index.js";
import { virtualClock } from "../../src/testing/index.js";
import { checkEnd } from "./invariants.js";
import { pointsWith, type Points } from "./points.js";
import { agentIn, freshWorld, recordsIn, session, survive, turn, type World } from "./scenario.js";
import { counted } from "./counted.js";
import { atEach, atEachOf, places } from "./scale.js";

/** An agent and a store with these points in every port. */
function hosted(world: World, points: Points, { runtime, limits }: { runtime: Runtime; limits?: LimitOptions }) {
  const { model, tool, check, hook } = points;
  const options = {
    permission: points.permission(allowAll()),
    runtime: points.runtime(runtime),
    hooks: [hook],
    ...(limits && { limits }),
  };
  return { agent: agentIn(world, { model, tool, check, options }), store: points.store(world.store) };
}

/** Holds a run that was over before its end against what holds of each. */
async function checkLeft(world: World, events: readonly Event[], outcome: Outcome): Promise<void> {
  checkEnd(events, outcome);
  expect(world.running).toBe(0);
  const records = await recordsIn(world);
  const last = records.at(-1);
  if (records.length > 0) expect(last).toMatchObject({ type: "outcome", status: outcome.status });
  // What is left can be gone on with at once: the lease was given back.
  await survive(world);
}

/** Runs until the point, aborts there so many times, and goes on. How many points there were. */
async function abortAt(at: number, times: number): Promise<number> {
  const world = freshWorld();
  let abort = new AbortController();
  let abortedAt = Infinity;
  const points = pointsWith(at, () => {
    abortedAt = performance.now();
    for (let time = 0; time < times; time += 1) abort.abort(new Error(`abort ${String(time)}`));
  });
  const { agent, store } = hosted(world, points, { runtime: systemRuntime });
  for (;;) {
    abort = new AbortController();
    const { signal } = abort;
    const events: Event[] = [];
    const outcome = await turn(world, agent, store, { signal, onEvent: (event) => void events.push(event) });
    if (outcome === undefined) {
      points.expectMet();
      return points.count();
    }
    expect(performance.now() - Math.min(abortedAt, performance.now())).toBeLessThan(1000);
    expect(getEventListeners(signal, "abort")).toEqual([]);
    if (!signal.aborted) continue;
    const isClaimed = outcome.session.records.at(-1)?.type === "outcome" && "by" in outcome;
    if (!isClaimed) expect(outcome.status).toBe("aborted");
    await checkLeft(world, events, outcome);
    return points.count();
  }
}

test.each([
  ["once", 1],
  ["twice", 2],
])(
  "aborted %s at any point, a run ends within a second, with one outcome, no tool at work and a session that goes on",
  async (_what, times) => {
    counted("abort-every-await", await atEachOf({ least: 300, quick: 10 }, (at) => abortAt(at, times)));
  },
);

test("with a signal that is aborted already, nothing is asked or run, and the session goes on", async () => {
  const world = freshWorld();
  const agent = agentIn(world);
  const events: Event[] = [];
  const signal = AbortSignal.abort();
  const outcome = await turn(world, agent, world.store, { signal, onEvent: (event) => void events.push(event) });
  expect(outcome?.status).toBe("aborted");
  expect(agent.model.requests).toEqual([]);
  expect(getEventListeners(signal, "abort")).toEqual([]);
  await checkLeft(world, events, outcome!);
  counted("abort-before-the-run", 1);
});

test("left at any event, a run ends with one outcome, no tool at work and a session that goes on", async () => {
  const leaveAt = async (at: number): Promise<number> => {
    const world = freshWorld();
    const agent = agentIn(world);
    let count = 0;
    const stream = agent.stream("Go.", { session: openSession({ store: world.store, id: session }) });
    for await (const event of stream) {
      count += 1;
      if (count === at || event.type === "run-end") break;
    }
    const outcome = await stream.outcome;
    const isOver = ["waiting", "completed"].includes(outcome.status);
    if (!isOver) expect(outcome.status).toBe("aborted");
    expect(world.running).toBe(0);
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    await survive(world);
    if (at !== Infinity) expect(count).toBe(at);
    return count;
  };
  const count = await leaveAt(Infinity);
  expect(count).toBeGreaterThan(60);
  const all = places(count, 10);
  await atEach(all, (place) => leaveAt(place + 1));
  counted("consumer-stops", all.length);
});

test.each<[string, LimitOptions]>([
  ["the run", { timeout: 60_000 }],
  ["an iteration", { iterationTimeout: 60_000 }],
  ["a tool", { toolTimeout: 60_000 }],
])("where the time of %s is up at any point, it ends on purpose, and the session goes on", async (_what, limits) => {
  const expireAt = async (at: number): Promise<number> => {
    const world = freshWorld();
    const clock = virtualClock();
    const points = pointsWith(at, () => clock.advance(3_600_000));
    const { agent, store } = hosted(world, points, { runtime: clock, limits });
    for (;;) {
      const events: Event[] = [];
      const outcome = await turn(world, agent, store, { onEvent: (event) => void events.push(event) });
      if (outcome === undefined) {
        points.expectMet();
        return points.count();
      }
      checkEnd(events, outcome);
      expect(world.running).toBe(0);
      expect(outcome.status).not.toBe("failed");
      if (points.count() < at) continue;
      await checkLeft(world, events, outcome);
      return points.count();
    }
  };
  counted("timeout-every-await", await atEachOf({ least: 300, quick: 6 }, expireAt));
});
