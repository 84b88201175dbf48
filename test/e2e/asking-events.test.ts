// Asking is an event: `call-asking` comes when an approver is asked, before the decision, and for nothing that is decided without one.

import { tmpdir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  createAgent,
  everyOf,
  tool,
  type AnyPermission,
  type Event,
  type FrozenCall,
  type Hook,
  type Tool,
} from "../../src/index.js";
import { allowAll, gate } from "../../src/permission/index.js";
import { askFirst } from "../../src/approval/index.js";
import type { AnyApproval, Approver } from "../../src/index.js";
import { call, scriptedModel, type Script } from "../../src/testing/index.js";
import { taskCompletion } from "../../src/tools/index.js";
import { emptyRoot } from "../empty-root.js";

const done = [call("task_completion", { result: "Done." })];
const pay = tool({
  name: "pay",
  description: "Pays",
  input: z.object({ cents: z.number() }),
  effect: "network",
  run: () => "paid",
});
const peek = tool({
  name: "peek",
  description: "Peeks",
  input: z.object({ n: z.number() }),
  effect: "read",
  run: () => "peeked",
});
const tools: readonly Tool[] = [pay, peek, taskCompletion()];

interface Watched {
  readonly events: readonly Event[];
  readonly status: string;
  /** The types of the events about calls, in order, with the index of the call. */
  readonly order: readonly string[];
}

async function watched(
  permission: AnyPermission,
  script: Script,
  options: { readonly hooks?: readonly Hook[]; readonly signal?: AbortSignal; onEvent?(event: Event): void } = {},
): Promise<Watched> {
  const { hooks = [], signal, onEvent } = options;
  const agent = createAgent({ model: scriptedModel(script), tools, permission, hooks });
  const events: Event[] = [];
  const { status } = await agent.run("Pay", {
    signal,
    onEvent: (event) => {
      events.push(event);
      onEvent?.(event);
    },
  });
  const indexOf = (id: string): string => id.replace(/^.*:/, "");
  const order = events.flatMap((event) => {
    if (event.type === "call-asking" || event.type === "call-decision" || event.type === "call-parked")
      return [`${event.type} ${indexOf(event.callId)}`];
    if (event.type === "call-start") return [`${event.type} ${indexOf(event.call.id)}`];
    return event.type === "call-end" ? [`${event.type} ${indexOf(event.result.callId)}`] : [];
  });
  return { events, status, order };
}

const askings = ({ events }: Watched) => events.filter((event) => event.type === "call-asking");
const paying = [call("pay", { cents: 5 })];

describe.each<readonly [string, (approver: Approver<FrozenCall, AnyApproval>) => AnyPermission]>([
  ["askFirst", askFirst],
  ["gate", (approver) => gate({ root: emptyRoot, approver, mode: "ask-sensitive" })],
])("%s", (name, permissionOf) => {
  test("says that its approver is asked, why, and which rule would allow it, and then what was decided", async () => {
    for (const answer of [true, false]) {
      const ran = await watched(
        permissionOf(() => sleep(5, answer)),
        [paying, done],
      );
      expect(ran.order.slice(0, 4)).toEqual(["call-start 0", "call-asking 0", "call-decision 0", "call-end 0"]);
      const [asked] = askings(ran);
      expect(asked).toMatchObject({ name: "pay", why: expect.stringMatching(/network/) });
      expect(asked?.type === "call-asking" && asked.rule).toBe(name === "gate" ? "pay" : undefined);
    }
  });

  test("says it also for an approver that answers at once, that throws, and that answers later", async () => {
    expect(
      (
        await watched(
          permissionOf(() => true),
          [paying, done],
        )
      ).order[1],
    ).toBe("call-asking 0");
    const throwing = permissionOf(() => {
      throw new Error("the line is dead");
    });
    expect((await watched(throwing, [paying, done])).order.slice(1, 3)).toEqual(["call-asking 0", "call-decision 0"]);
    const later = await watched(
      permissionOf(() => ({ later: true, reason: "tomorrow" })),
      [paying, done],
    );
    expect(later.order).toEqual(["call-start 0", "call-asking 0", "call-parked 0"]);
    expect(later.status).toBe("waiting");
  });

  test("does not say it when the answer to a parked call is there", async () => {
    const permission = permissionOf(() => ({ later: true, reason: "tomorrow" }));
    const agent = createAgent({ model: scriptedModel([paying, done]), tools, permission });
    const waiting = await agent.run("Pay");
    const events: string[] = [];
    const onEvent = ({ type }: Event): void => void events.push(type);
    const outcome = await agent.run({ allowed: true }, { session: waiting.session, onEvent });
    expect(outcome.status).toBe("completed");
    expect(events).toContain("call-decision");
    expect(events).not.toContain("call-asking");
  });

  test("is over with the run if the run is aborted first: nothing else ends the question", async () => {
    const stop = new AbortController();
    const ran = await watched(
      permissionOf(() => new Promise<never>(() => undefined)),
      [paying],
      {
        signal: stop.signal,
        onEvent: ({ type }) => {
          if (type === "call-asking") stop.abort();
        },
      },
    );
    expect(ran.status).toBe("aborted");
    expect(ran.order.slice(0, 2)).toEqual(["call-start 0", "call-asking 0"]);
    expect(ran.order).not.toContain("call-decision 0");
    expect(ran.events.at(-1)?.type).toBe("run-end");
  });
});

describe("calls side by side", () => {
  const reads = [call("peek", { n: 0 }), call("peek", { n: 1 }), call("peek", { n: 2 })];

  test("of one session are asked about one after the other, and each asking names its call", async () => {
    let open = 0;
    const approver: Approver = async () => {
      expect((open += 1)).toBe(1);
      await sleep(5);
      open -= 1;
      return true;
    };
    const ran = await watched(gate({ root: emptyRoot, approver, mode: "ask-all" }), [reads, done]);
    const questions = ran.order.filter((line) => line.startsWith("call-asking"));
    expect(questions.slice(0, 3)).toEqual(["call-asking 0", "call-asking 1", "call-asking 2"]);
    // The next question comes after the answer to the last, whichever of the two events is seen first.
    for (const index of ["0", "1", "2"])
      expect(ran.order.indexOf(`call-asking ${index}`)).toBeLessThan(ran.order.indexOf(`call-decision ${index}`));
  });

  test("are all told of at once by a permission that asks about several, before any answer", async () => {
    const answers: (() => void)[] = [];
    const permission: AnyPermission = {
      decide: ({ effect }, { announce }) => {
        if (effect === "none") return { allowed: true, reason: "nothing to ask" };
        announce?.({ why: "it peeks" });
        return new Promise((settle) => {
          answers.push(() => {
            settle({ allowed: true, reason: "fine" });
          });
        });
      },
    };
    const ran = await watched(permission, [reads, done], {
      onEvent: ({ type }) => {
        if (type === "call-asking" && answers.length === 3)
          answers.splice(0).forEach((answer) => {
            answer();
          });
      },
    });
    expect(ran.status).toBe("completed");
    const first = ran.order.indexOf("call-decision 0");
    for (const index of ["0", "1", "2"]) expect(ran.order.indexOf(`call-asking ${index}`)).toBeLessThan(first);
  });
});

test("nothing is asked that a permission, a rule, a grant or a hook decides", async () => {
  const deny: Hook = {
    async *call({ id, name, input }) {
      const { failure } = await import("../../src/index.js");
      return { ok: false, failure: failure("denied", { tool: name, message: id, advice: "", input }) };
    },
  };
  const never: Approver = () => {
    throw new Error("nobody may be asked");
  };
  const root = tmpdir();
  const silent: readonly (readonly [AnyPermission, readonly Hook[]])[] = [
    [allowAll(), []],
    [gate({ root }), []],
    [gate({ root, approver: never, deny: ["pay"] }), []],
    [gate({ root, approver: never, allow: ["pay"] }), []],
    [gate({ root, approver: never, mode: "ask-never" }), []],
    [gate({ root, approver: never, mode: "allow-all" }), []],
    [askFirst(never), [deny]],
  ];
  for (const [permission, hooks] of silent)
    expect(askings(await watched(permission, [paying, done], { hooks }))).toEqual([]);
  const always = askFirst(() => ({ allowed: true, always: true }));
  expect(askings(await watched(always, [paying, paying, done]))).toHaveLength(1);
});

test("every permission of everyOf that asks is told of, and one decision ends both", async () => {
  const ran = await watched(everyOf([askFirst(() => true), gate({ root: emptyRoot, approver: () => true })]), [
    paying,
    done,
  ]);
  expect(ran.order.slice(0, 4)).toEqual(["call-start 0", "call-asking 0", "call-asking 0", "call-decision 0"]);
});

test("approvers do not get the function, a hook sees the event, and a stream has it before the answer", async () => {
  let answer = (_yes: boolean): void => undefined;
  let given: object = {};
  const permission = askFirst((_call, asking) => {
    given = asking;
    return new Promise<boolean>((settle) => {
      answer = settle;
    });
  });
  const seen: string[] = [];
  const hook: Hook = {
    async *call(frozen, next) {
      const inner = next(frozen);
      for (;;) {
        const step = await inner.next();
        if (step.done === true) return step.value;
        seen.push(step.value.type);
        yield step.value;
      }
    },
  };
  const agent = createAgent({ model: scriptedModel([paying, done]), tools, permission, hooks: [hook] });
  const types: string[] = [];
  for await (const { type } of agent.stream("Pay")) {
    types.push(type);
    if (type === "call-asking") answer(true);
  }
  expect(Object.keys(given)).not.toContain("announce");
  expect(seen.slice(0, 2)).toEqual(["call-asking", "call-decision"]);
  expect(types.indexOf("call-asking")).toBeLessThan(types.indexOf("call-decision"));
});

test("secrets in the reason and in the rule are redacted", async () => {
  const key = `sk-proj-${"Ab3".repeat(16)}`;
  const permission: AnyPermission = {
    decide: (_call, { announce }) => {
      announce?.({ why: `it has ${key}`, rule: `pay(${key})` });
      return { allowed: true, reason: "fine" };
    },
  };
  const ran = await watched(permission, [paying, done]);
  expect(askings(ran)).toHaveLength(2);
  expect(JSON.stringify(ran.events)).not.toContain(key);
});
