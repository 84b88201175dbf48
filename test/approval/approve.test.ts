// Questions to an approver: nobody waits for the answer of another session, and an answered question leaves nothing behind.

import { getEventListeners } from "node:events";
import { setImmediate as turn, setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent, tool, type FrozenCall, type Permission } from "../../src/index.js";
import { gate } from "../../src/permission/index.js";
import { askFirst } from "../../src/approval/index.js";
import type { Approver } from "../../src/index.js";
import { call, scriptedModel } from "../../src/testing/index.js";
import { taskCompletion } from "../../src/tools/index.js";
import { emptyRoot } from "../empty-root.js";

const makers: readonly (readonly [string, (approver: Approver) => Permission])[] = [
  ["askFirst", askFirst],
  ["gate", (approver) => gate({ root: emptyRoot, approver })],
];

const pay = tool({ name: "pay", description: "Pays", input: z.object({}), effect: "network", run: () => "paid" });

function agentWith(permission: Permission) {
  const model = scriptedModel(({ lastText }) =>
    lastText.includes("paid") ? [call("task_completion", { result: "done" })] : [call("pay")],
  );
  return createAgent({ model, tools: [pay, taskCompletion()], permission });
}

function question(id: string): FrozenCall {
  return Object.freeze({ id, name: "pay", effect: "network", input: {} });
}

describe.each(makers)("%s", (_name, permissionOf) => {
  test("a question that nobody answers holds up its own session, and no other user of the agent", async () => {
    const stop = new AbortController();
    const asked: string[] = [];
    const agent = agentWith(
      permissionOf((_call, { session }) => {
        asked.push(session);
        return asked.length === 1 ? new Promise<never>(() => undefined) : true;
      }),
    );
    const first = agent.run("Pay", { signal: stop.signal });
    await expect.poll(() => asked.length).toBe(1);
    const others = await Promise.all([agent.run("Pay"), agent.run("Pay")]);
    expect(others.map(({ status }) => status)).toEqual(["completed", "completed"]);
    expect(new Set(asked).size).toBe(3);
    stop.abort();
    expect((await first).status).toBe("aborted");
  });

  test("of one session, the next question waits for the answer to the last", async () => {
    let [open, most] = [0, 0];
    const permission = permissionOf(async () => {
      most = Math.max(most, (open += 1));
      await sleep(5);
      open -= 1;
      return true;
    });
    const { signal } = new AbortController();
    const preview = () => Promise.resolve(undefined);
    const decide = (session: string, id: string) => permission.decide(question(id), { signal, session, preview });
    await Promise.all([decide("s", "1"), decide("s", "2"), decide("s", "3")]);
    expect(most).toBe(1);
    await Promise.all([decide("a", "1"), decide("b", "2"), decide("c", "3")]);
    expect(most).toBe(3);
  });

  test("a call that waited for its question was asked about although the answer before it had allowed it always", async () => {
    const asked: string[] = [];
    const permission = permissionOf(async ({ id }) => {
      asked.push(id);
      await sleep(5);
      return id === "1" ? { allowed: true, always: true } : false;
    });
    const { signal } = new AbortController();
    const preview = () => Promise.resolve(undefined);
    const decide = (session: string, id: string) => permission.decide(question(id), { signal, session, preview });
    const decided = await Promise.all([decide("s", "1"), decide("s", "2"), decide("other", "3"), decide("s", "4")]);
    expect(decided.map(({ allowed, basis }) => [allowed, basis])).toEqual([
      [true, "approver"],
      [true, "grant"],
      [false, "approver"],
      [true, "grant"],
    ]);
    expect(asked).toEqual(["1", "3"]);
  });

  test("an answered question leaves no listener on the signal of its run, and its own signal is garbage", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const signals: WeakRef<AbortSignal>[] = [];
    const permission = permissionOf((_call, { signal }) => {
      signals.push(new WeakRef(signal));
      return true;
    });
    const run = new AbortController();
    const preview = () => Promise.resolve(undefined);
    for (let count = 0; count < 50; count += 1)
      await permission.decide(question(String(count)), { signal: run.signal, session: String(count % 5), preview });
    expect(getEventListeners(run.signal, "abort")).toEqual([]);
    const alive = async (): Promise<number> => {
      await turn();
      collect();
      return signals.filter((signal) => signal.deref() !== undefined).length;
    };
    // The last signal may still stand on the stack.
    await expect.poll(alive).toBeLessThanOrEqual(1);
  });
});
