// Sessions that are kept: gone on with by anybody, written by one at a time.

import { appendFile, cp, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { createAgent, noUsage, systemRuntime, tool, type Event, type Session, type Tool } from "../../../src/index.js";
import { fileStore, memoryStore, openSession, type Store } from "../../../src/memory/index.js";
import { allowAll } from "../../../src/permission/index.js";
import { assertWellFormed, call, scriptedModel, type Script } from "../../../src/testing/index.js";
import { askQuestion, taskCompletion } from "../../../src/tools/index.js";
import { failingStore } from "../failing-store.js";
import { temporaryFolder } from "../store-places.js";

const done = [call("task_completion", { result: "done" })];
const ask = [call("ask_question", { question: "Which one?" })];

function agentOn(script: Script, more: readonly Tool[] = []) {
  const model = scriptedModel(script);
  const tools = [...more, taskCompletion(), askQuestion()];
  return { ...createAgent({ model, tools, permission: allowAll() }), model, tools };
}

/** A tool that counts what it did, and waits as long as it is told to. */
function worker(options: { readonly idempotent?: boolean; readonly during?: () => Promise<unknown> } = {}) {
  const effects: string[] = [];
  const work = tool({
    name: "work",
    description: "Works",
    input: z.object({ what: z.string() }),
    effect: "write",
    idempotent: options.idempotent ?? false,
    run: async ({ what }) => {
      effects.push(what);
      await options.during?.();
      return `did ${what}`;
    },
  });
  return { effects, work };
}

/** A session in files that waits for an answer. */
async function filed() {
  const folder = await temporaryFolder();
  const store = fileStore(folder.path);
  await agentOn([ask]).run("Choose.", { session: openSession({ store, id: "s" }) });
  const file = join(folder.path, "s/journal.jsonl");
  return { store, file, bytes: await readFile(file), [Symbol.asyncDispose]: folder[Symbol.asyncDispose] };
}

/** The store, whose releases fail so many times. */
function failing(store: Store, times: number): { readonly store: Store; readonly left: () => number } {
  let left = times;
  return {
    left: () => left,
    store: {
      ...store,
      async lock(id, holder) {
        const lock = await store.lock(id, holder);
        if (!("append" in lock)) return lock;
        const release = async (): Promise<void> => {
          if (left === 0) return lock.release();
          left -= 1;
          throw new Error("the store is away");
        };
        return { ...lock, release };
      },
    },
  };
}

describe("a lease whose release fails", () => {
  test.each(["memory", "files"])("once is given back all the same, in %s", async (kind) => {
    await using folder = await temporaryFolder();
    const whole = kind === "files" ? fileStore(folder.path) : memoryStore();
    const { store, left } = failing(whole, 1);
    using warnings = vi.spyOn(console, "warn").mockReturnValue();
    await agentOn([done]).run("Go.", { session: openSession({ store, id: "s" }) });
    expect(left()).toBe(0);
    expect(warnings).not.toHaveBeenCalled();
    expect("append" in (await whole.lock("s", { id: "x", host: "elsewhere", pid: 1 }))).toBe(true);
  });

  test.each(["memory", "files"])("for good is no lease for its own process, in %s", async (kind) => {
    await using folder = await temporaryFolder();
    const { store, left } = failing(kind === "files" ? fileStore(folder.path) : memoryStore(), 2);
    using warnings = vi.spyOn(console, "warn").mockReturnValue();
    const session = openSession({ store, id: "s" });
    await agentOn([done]).run("Go.", { session });
    expect([left(), warnings.mock.calls.length]).toEqual([0, 1]);
    const events: string[] = [];
    const onEvent = ({ type }: Event): void => void events.push(type);
    expect(await agentOn([done]).run("More.", { session, onEvent })).toMatchObject({ status: "completed" });
    expect(events).not.toContain("lease-wait");
  });
});

/** What a process that is killed now would leave: the lines, and no lock. */
async function leftBehind(store: Store, id: string): Promise<Store> {
  const copy = memoryStore();
  const lock = await copy.lock(id, { id: "x", host: "h", pid: 1 });
  if (!("append" in lock)) throw new Error("locked");
  for (const line of (await store.read(id)) ?? []) await lock.append([line], true);
  await lock.release();
  return copy;
}

/** The fields by which the outcome of a caller that joined a run differs from that of the run's own caller. */
const asJoined = { joined: true, usage: noUsage, iterations: 0 } as const;

describe("what a session waits for", () => {
  test("is told as the outcome told it, until it is answered", async () => {
    const replySchema = z.object({ width: z.int() });
    const tools = [askQuestion({ replySchema, expiresAfter: 60_000 }), taskCompletion()];
    const session = openSession({ store: memoryStore(), id: "s" });
    expect(await session.waiting()).toBeUndefined();
    const outcome = await createAgent({ model: scriptedModel([ask]), tools }).run("Build.", { session });
    if (outcome.status !== "waiting") throw new Error(outcome.status);
    const { id, by, value, expiresAt } = outcome;
    const due = await session.waiting();
    expect(due).toEqual({ id, by, value, replySchema: outcome.replySchema, expiresAt });
    expect(due).toMatchObject({ replySchema: { type: "object", required: ["width"] } });
    const answering = createAgent({ model: scriptedModel([done]), tools });
    expect(await answering.run({ width: 3 }, { session, answers: due?.id })).toMatchObject({ status: "completed" });
    expect(await session.waiting()).toBeUndefined();
    expect(await answering.run({ width: 4 }, { session, answers: due?.id })).toMatchObject({ status: "completed" });
  });

  test("is nothing once its time is over", async () => {
    const tools = [askQuestion({ expiresAfter: 1 }), taskCompletion()];
    const session = openSession({ store: memoryStore() });
    await createAgent({ model: scriptedModel([ask]), tools }).run("Build.", { session });
    await sleep(5);
    expect(await session.waiting()).toBeUndefined();
  });

  test("is told where the process died before it said so", async () => {
    const store = memoryStore();
    let copy = store;
    const agent = agentOn([ask]);
    for await (const { type } of agent.stream("Go.", { session: openSession({ store, id: "s" }) }))
      if (type === "claim-accepted") copy = await leftBehind(store, "s");
    const due = await openSession({ store: copy, id: "s" }).waiting();
    expect(due).toMatchObject({ by: "ask_question", value: { question: "Which one?" } });
  });

  test("is nothing for a run that stopped", async () => {
    const session = openSession({ store: memoryStore() });
    await agentOn([]).run("Go.", { session });
    expect(await session.waiting()).toBeUndefined();
  });
});

describe("a session that is kept", () => {
  test("has every record in the store, and is what the outcome's session is", async () => {
    const store = memoryStore();
    const session = openSession({ store, id: "one" });
    const { agentRun, tools } = { agentRun: agentOn([ask]), tools: agentOn([]).tools };
    const outcome = await agentRun.run("Choose.", { session });
    expect(outcome).toMatchObject({ status: "waiting", value: { question: "Which one?" } });
    expect(await session.toJSON()).toEqual(outcome.session);
    expect(outcome.session.id).toBe("one");
    assertWellFormed(outcome.session.records, { tools });
  });

  test("is continued by any agent that has the answer; resumed when it is completed, it has the same outcome", async () => {
    const store = memoryStore();
    await agentOn([ask]).run("Choose.", { session: openSession({ store, id: "s" }) });
    const second = agentOn([done]);
    const outcome = await second.run("The left one.", { session: openSession({ store, id: "s" }) });
    expect(outcome).toMatchObject({ status: "completed", value: { result: "done" } });
    expect(second.model.requests[0]?.messages.at(-1)).toMatchObject({ role: "tool", text: "The left one." });
    const third = await agentOn([]).resume(openSession({ store, id: "s" }));
    expect(third).toEqual(outcome);
    expect(await openSession({ store, id: "s" }).toJSON()).toEqual(outcome.session);
  });

  test("writes nothing before its first run, and needs an id that can be a name", async () => {
    const store = memoryStore();
    expect(await openSession({ store, id: "new" }).toJSON()).toEqual({ version: 1, id: "new", records: [] });
    expect(await store.list()).toEqual([]);
    expect(() => openSession({ store, id: "a\nb" })).toThrow("can't be the id of a session");
    expect(() => openSession({ store, id: 7 as never })).toThrow("id of openSession is 7: give a text");
    expect(openSession({ store }).id).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("that is plain data can be gone on with as well, by an agent of its own", async () => {
    const first = await agentOn([ask]).run("Choose.", { session: openSession({ store: memoryStore() }) });
    const plain = JSON.parse(JSON.stringify(first.session)) as Session;
    expect(await agentOn([done]).run("Left.", { session: plain })).toMatchObject({ status: "completed" });
  });
});

describe("a process that was killed", () => {
  test("while a tool ran leaves a call of unknown outcome: it is not run again, and the model is told", async () => {
    const store = memoryStore();
    let reached = (): void => undefined;
    const there = new Promise<void>((resolve) => (reached = resolve));
    const { effects, work } = worker({
      during: () => {
        reached();
        return new Promise(() => undefined);
      },
    });
    const abandoned = agentOn([[call("work", { what: "a" })]], [work]);
    void abandoned.run("Go.", { session: openSession({ store, id: "s" }) });
    await there;
    const copy = await leftBehind(store, "s");
    const next = worker();
    const agent = agentOn([done], [next.work]);
    const outcome = await agent.resume(openSession({ store: copy, id: "s" }));
    expect(outcome).toMatchObject({ status: "completed", iterations: 2 });
    expect([effects, next.effects]).toEqual([["a"], []]);
    expect(JSON.stringify(agent.model.requests[0]?.messages.at(-1))).toContain("Its outcome is unknown");
    assertWellFormed(outcome.session.records, { tools: agent.tools });
  });

  test("while an idempotent tool ran has it run again", async () => {
    const store = memoryStore();
    let reached = (): void => undefined;
    const there = new Promise<void>((resolve) => (reached = resolve));
    const { work } = worker({
      idempotent: true,
      during: () => {
        reached();
        return new Promise(() => undefined);
      },
    });
    void agentOn([[call("work", { what: "a" })]], [work]).run("Go.", { session: openSession({ store, id: "s" }) });
    await there;
    const next = worker({ idempotent: true });
    const agent = agentOn([done], [next.work]);
    const outcome = await agent.resume(openSession({ store: await leftBehind(store, "s"), id: "s" }));
    expect(outcome.status).toBe("completed");
    expect(next.effects).toEqual(["a"]);
    expect(agent.model.requests[0]?.messages.at(-1)).toMatchObject({ role: "tool", text: "did a" });
  });

  test("while permission was asked has it asked again, and the finished calls stay", async () => {
    const store = memoryStore();
    const { effects, work } = worker();
    let asked = 0;
    let reached = (): void => undefined;
    const there = new Promise<void>((resolve) => (reached = resolve));
    const permission = {
      decide: () => {
        asked += 1;
        if (asked === 1) return { allowed: true, reason: "yes" };
        reached();
        return new Promise<never>(() => undefined);
      },
    };
    const calls = [call("work", { what: "a" }), call("work", { what: "b" }), call("work", { what: "c" })];
    const tools = [work, taskCompletion()] as const;
    void createAgent({ model: scriptedModel([calls]), tools, permission }).run("Go.", {
      session: openSession({ store, id: "s" }),
    });
    await there;
    const agent = agentOn([done], [work]);
    const outcome = await agent.resume(openSession({ store: await leftBehind(store, "s"), id: "s" }));
    expect(outcome.status).toBe("completed");
    expect(effects).toEqual(["a", "b", "c"]);
    assertWellFormed(outcome.session.records, { tools: agent.tools });
  });

  test("keeps what circuit and limits have counted", async () => {
    const store = memoryStore();
    let reached = (): void => undefined;
    const there = new Promise<void>((resolve) => (reached = resolve));
    const wrong = [call("nothing", {})];
    const model = scriptedModel(({ number }) => (number <= 3 ? wrong : (reached(), { calls: wrong, delay: 60_000 })));
    void createAgent({ model, tools: [taskCompletion()] }).run("Go.", { session: openSession({ store, id: "s" }) });
    await there;
    const agent = agentOn(() => wrong);
    const outcome = await agent.resume(openSession({ store: await leftBehind(store, "s"), id: "s" }));
    expect(outcome).toMatchObject({ status: "stopped", reason: "circuit_open", iterations: 5 });
    expect(agent.model.requests).toHaveLength(2);
  });

  test("at any byte of its last line leaves a line that is cut and told of, and the session goes on", async () => {
    await using place = await filed();
    const { store, file, bytes } = place;
    const last = bytes.lastIndexOf("\n", bytes.length - 2) + 1;
    for (const kept of [0, 1, 20, bytes.length - last - 2, bytes.length - last - 1]) {
      await writeFile(file, bytes.subarray(0, last + kept));
      const told: unknown[] = [];
      const session = openSession({ store, id: "s", onTorn: (...said) => void told.push(said) });
      expect(await agentOn([done]).run("The left one.", { session })).toMatchObject({ status: "completed" });
      const isWhole = last + kept === bytes.length - 1;
      expect(told).toEqual(
        kept === 0 || isWhole ? [] : [[kept, expect.stringContaining("had a last line that was not written whole")]],
      );
      expect((await session.toJSON()).records.at(-1)).toMatchObject({ type: "outcome", status: "completed" });
    }
  });

  test("is not what a damaged line in the middle is: that is an error which names it, and changes nothing", async () => {
    const store = memoryStore();
    await agentOn([ask]).run("Choose.", { session: openSession({ store, id: "s" }) });
    const lines = [...(await store.read("s"))!];
    lines[2] = lines[2]!.replace('"seq":1', '"seq":7');
    const copy = memoryStore();
    const lock = await copy.lock("s", { id: "x", host: "h", pid: 1 });
    if (!("append" in lock)) throw new Error("locked");
    for (const line of lines) await lock.append([line], true);
    await lock.release();
    const outcome = await agentOn([done]).run("Left.", { session: openSession({ store: copy, id: "s" }) });
    expect(outcome).toMatchObject({ status: "failed", fault: { code: "store" } });
    expect(outcome).toHaveProperty(
      "fault.message",
      `The session s (memory) is damaged: line 3 of ${String(lines.length)} does not have its checksum. Nothing was changed. Restore it from a copy, fork it before that place, or see what a repair would drop: lastcall repair s`,
    );
    expect(await copy.read("s")).toEqual(lines);
  });
});

describe("an input while the session is busy", () => {
  test("lands in the run at its next boundary, and whoever sent it has that run's outcome", async () => {
    const store = memoryStore();
    let goOn: (() => void) | undefined;
    const { work } = worker({ during: () => new Promise<void>((resolve) => (goOn = resolve)) });
    const script: Script = ({ lastText }) => (lastText === "Make it blue." ? done : [call("work", { what: "a" })]);
    const busy = agentOn(script, [work]);
    const events: Event[] = [];
    const first = busy.run("Paint it.", {
      session: openSession({ store, id: "s" }),
      onEvent: (event) => void events.push(event),
    });
    while (goOn === undefined) await sleep(1);
    const other = agentOn([]);
    const second = other.run("Make it blue.", { session: openSession({ store, id: "s" }) });
    while ((await store.messages("s")).length === 0) await sleep(1);
    goOn?.();
    const [one, two] = await Promise.all([first, second]);
    expect(one).toMatchObject({ status: "completed", iterations: 2 });
    expect(two).toEqual({ ...one, ...asJoined });
    expect(other.model.requests).toHaveLength(0);
    expect(events.filter(({ type }) => type === "steer")).toEqual([{ type: "steer", text: "Make it blue." }]);
    expect(busy.model.requests[1]?.messages.at(-1)).toEqual({ role: "user", text: "Make it blue." });
    expect(await store.messages("s")).toEqual([]);
    assertWellFormed(one.session.records, { tools: busy.tools });
  });

  test("that comes too late for the run starts the next one", async () => {
    const store = memoryStore();
    let goOn: (() => void) | undefined;
    const last = tool({
      name: "finish",
      description: "Ends the run",
      input: z.object({}),
      isLoopBreaking: true,
      run: () =>
        new Promise<string>((resolve) => {
          goOn = () => {
            resolve("over");
          };
        }),
    });
    const first = agentOn([[call("finish")]], [last]).run("Go.", { session: openSession({ store, id: "s" }) });
    while (goOn === undefined) await sleep(1);
    const other = agentOn([done], [last]);
    const second = other.run("And this?", { session: openSession({ store, id: "s" }) });
    while ((await store.messages("s")).length === 0) await sleep(1);
    goOn?.();
    expect(await first).toMatchObject({ status: "completed", by: "finish" });
    expect(await second).toMatchObject({ status: "completed", by: "task_completion" });
    expect(other.model.requests[0]?.messages.at(-1)).toEqual({ role: "user", text: "And this?" });
    expect(await store.messages("s")).toEqual([]);
  });

  test("is waited with no longer than until the signal aborts", async () => {
    const store = memoryStore();
    await store.lock("s", { id: "other", host: "elsewhere", pid: 1 });
    const signal = AbortSignal.timeout(50);
    const outcome = await agentOn([]).run("Go.", { session: openSession({ store, id: "s" }), signal });
    expect(outcome.status).toBe("aborted");
    expect(await store.messages("s")).toMatchObject([{ text: '{"text":"Go."}' }]);
  });
});

test("a wait for a busy session is told once when it begins and once when it lasts, with its holder", async () => {
  const store = memoryStore();
  await store.lock("s", { id: "other", host: "elsewhere", pid: 7 });
  let time = 0;
  const sleepFast = async (ms: number, signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    time += ms;
  };
  const runtime = { ...systemRuntime, now: () => time, sleep: sleepFast };
  const stop = new AbortController();
  const events: Event[] = [];
  const agent = createAgent({ model: scriptedModel([]), tools: [taskCompletion()], runtime });
  const outcome = await agent.run("Go.", {
    session: openSession({ store, id: "s" }),
    signal: stop.signal,
    onEvent: (event) => {
      events.push(event);
      if (event.type === "lease-wait" && event.waited > 0) stop.abort();
    },
  });
  expect(outcome.status).toBe("aborted");
  const holder = { host: "elsewhere", pid: 7 };
  expect(events.filter(({ type }) => type === "lease-wait")).toEqual([
    { type: "lease-wait", session: "s", waited: 0, holder },
    { type: "lease-wait", session: "s", waited: 10_000, holder },
  ]);
});

test("resume goes on without words where a run was aborted, and refuses where an answer is due", async () => {
  const store = memoryStore();
  const session = openSession({ store, id: "s" });
  const abort = new AbortController();
  const aborting = agentOn(() => {
    abort.abort();
    return done;
  });
  expect(await aborting.run("Go.", { session, signal: abort.signal })).toMatchObject({ status: "aborted" });
  const agent = agentOn([ask]);
  expect(await agent.resume(session)).toMatchObject({ status: "waiting" });
  expect(agent.model.requests[0]?.messages).toEqual([{ role: "user", text: "Go." }]);
  expect(await agentOn([]).resume(session)).toMatchObject({
    status: "failed",
    fault: {
      message: "The session s waits for an answer, so there is nothing to go on with: give the answer as its input.",
    },
  });
  const outcome = await agentOn([done]).run("Left.", { session });
  expect(outcome.status).toBe("completed");
  assertWellFormed(outcome.session.records);
});

test("resume asks again where the last thing is a reply that nothing answers: one that was refused, say", async () => {
  for (const text of ["I can't.", ""]) {
    const store = memoryStore();
    const session = openSession({ store, id: "s" });
    expect(await agentOn([{ text, finishReason: "content_filter" }]).run("Go.", { session })).toMatchObject({
      status: "stopped",
      reason: "refused",
    });
    const agent = agentOn([done]);
    const outcome = await agent.resume(session);
    expect(outcome.status).toBe("completed");
    expect(agent.model.requests[0]?.messages).toEqual([{ role: "user", text: "Go." }]);
    assertWellFormed(outcome.session.records);
  }
});

describe("a journal in a file", () => {
  const goOn = async (store: Store, id = "s") => agentOn([done]).run("Left.", { session: openSession({ store, id }) });

  test("whose first line was not written whole has no records yet, and begins, which is told", async () => {
    await using place = await filed();
    const { store, file } = place;
    for (const text of ["", '{"lastc', '{"lastcall":"session","version":1,"id":"s","about":{"a']) {
      await rm(file);
      await writeFile(file, "");
      if (text !== "") await writeFile(file, text);
      const told: string[] = [];
      const session = openSession({ store, id: "s", onTorn: (_characters, message) => void told.push(message) });
      expect((await session.toJSON()).records).toEqual([]);
      expect(await agentOn([ask]).run("Choose.", { session })).toMatchObject({ status: "waiting" });
      expect(told).toEqual([expect.stringMatching(/had (an empty log|a first line that was not written whole)/)]);
    }
  });

  test("that is something else is refused by its name, and is not begun anew", async () => {
    await using place = await filed();
    const { store, file, bytes } = place;
    const { effects, work } = worker();
    for (const text of [
      "\0".repeat(4096),
      "my notes",
      "my notes\n",
      '{"lastcall":"session"}\n',
      '{"lastcall":"ses\n',
    ]) {
      await writeFile(file, text);
      const outcome = await agentOn([[call("work", { what: "a" })], done], [work]).run("Go.", {
        session: openSession({ store, id: "s" }),
      });
      expect(outcome).toMatchObject({
        status: "failed",
        message: expect.stringContaining(`${file}) is no log of a session`),
      });
      expect(await readFile(file, "utf8")).toBe(text);
    }
    await writeFile(file, bytes);
    await truncate(file);
    expect(await goOn(store)).toMatchObject({ status: "failed", message: expect.stringContaining("has emptied it") });
    expect(effects).toEqual([]);
  });

  test("of another session is refused by the id in its header", async () => {
    await using place = await filed();
    const { store, file, bytes } = place;
    await cp(dirname(file), join(dirname(dirname(file)), "t"), { recursive: true });
    expect(await goOn(store, "t")).toMatchObject({
      status: "failed",
      message: expect.stringContaining("holds another session, s"),
    });
    expect(await readFile(file)).toEqual(bytes);
  });

  test("with a changed byte in its last whole line is damaged: the call that it announced may have happened", async () => {
    await using place = await filed();
    const { store, file, bytes } = place;
    const hurt = Buffer.from(bytes);
    hurt[bytes.length - 40]! ^= 1;
    await writeFile(file, hurt);
    const outcome = await goOn(store);
    expect(outcome).toMatchObject({
      status: "failed",
      message: expect.stringMatching(/is damaged: line .* lastcall repair s$/),
    });
    await expect(openSession({ store, id: "s" }).toJSON()).rejects.toThrow("is damaged");
    expect(await readFile(file)).toEqual(hurt);
  });

  test("with blank lines at its end goes on, and tells of them on the console where nobody else is told", async () => {
    await using place = await filed();
    const { store, file } = place;
    await appendFile(file, "\n\n");
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    try {
      expect(await goOn(store)).toMatchObject({ status: "completed" });
      expect(warn.mock.calls).toEqual([[expect.stringContaining("had blank lines at its end")]]);
    } finally {
      warn.mockRestore();
    }
    expect((await openSession({ store, id: "s" }).toJSON()).records.at(-1)).toMatchObject({ status: "completed" });
  });

  test("that another program truncates during a run ends the run as failed, with the cause", async () => {
    await using place = await filed();
    const { store, file } = place;
    const { work } = worker({ during: () => truncate(file, 300) });
    const agent = agentOn([[call("work", { what: "a" })], done], [work]);
    expect(await agent.run("Left.", { session: openSession({ store, id: "s" }) })).toMatchObject({
      status: "failed",
      message: expect.stringContaining("was changed by another program while it was written"),
    });
  });
});

test("records that could not be stored are the last of their lease: none comes behind them with a number of its own", async () => {
  let isBroken = false;
  const store = failingStore(() => (isBroken ? new Error("the disk is full") : undefined));
  const lease = (await openSession({ store, id: "s" }).lease())!;
  await lease.append({ type: "input", run: 1, text: "go", life: "a", seq: 0, at: 1 });
  isBroken = true;
  await lease.append({ type: "resume", life: "b", seq: 1, at: 2 });
  await expect(lease.stored()).rejects.toThrow("the disk is full");
  isBroken = false;
  expect(lease.signal?.aborted).toBe(true);
  await expect(lease.append({ type: "outcome", status: "aborted", seq: 1, at: 3 })).rejects.toThrow("the disk is full");
  await lease.release();
  const { records } = await openSession({ store, id: "s" }).toJSON();
  expect(records.map(({ seq }) => seq)).toEqual(records.map((_record, index) => index));
});

test("records that could not be stored are not tried again, also not once the lease is given back", async () => {
  let isBroken = false;
  let tries = 0;
  const store = failingStore(() => {
    if (!isBroken) return undefined;
    tries += 1;
    return new Error("the disk is full");
  });
  const lease = (await openSession({ store, id: "s" }).lease())!;
  await lease.append({ type: "input", run: 1, text: "go", life: "a", seq: 0, at: 1 });
  isBroken = true;
  await lease.append({ type: "resume", life: "b", seq: 1, at: 2 });
  await lease.release();
  await sleep(5);
  expect(tries).toBe(1);
});

describe("an answer that says which question it answers", () => {
  test("is taken once: given again, by whomever and whenever, it changes nothing", async () => {
    const store = memoryStore();
    const asked = await agentOn([ask]).run("Choose.", { session: openSession({ store, id: "s" }) });
    if (asked.status !== "waiting") throw new Error(asked.status);
    const answers = asked.id;
    const once = agentOn([done]);
    const first = await once.run("Left.", { session: openSession({ store, id: "s" }), answers });
    expect(first.status).toBe("completed");
    const before = await store.read("s");
    const again = await agentOn([]).run("Right.", { session: openSession({ store, id: "s" }), answers });
    expect(again).toEqual({ ...first, ...asJoined });
    expect(await store.read("s")).toEqual(before);
    expect(await agentOn([]).run("Right.", { session: first.session, answers })).toEqual({ ...first, ...asJoined });
  });

  test("changes nothing either where another answer is just being worked on", async () => {
    const store = memoryStore();
    let goOn: (() => void) | undefined;
    const { work } = worker({ during: () => new Promise<void>((resolve) => (goOn = resolve)) });
    const asked = await agentOn([ask], [work]).run("Choose.", { session: openSession({ store, id: "s" }) });
    if (asked.status !== "waiting") throw new Error(asked.status);
    const answers = asked.id;
    const busy = agentOn([[call("work", { what: "a" })], done], [work]);
    const first = busy.run("Left.", { session: openSession({ store, id: "s" }), answers });
    while (goOn === undefined) await sleep(1);
    const second = agentOn([], [work]).run("Right.", { session: openSession({ store, id: "s" }), answers });
    while ((await store.messages("s")).length === 0) await sleep(1);
    goOn?.();
    expect(await second).toEqual({ ...(await first), ...asJoined });
    expect(JSON.stringify(busy.model.requests)).not.toContain("Right.");
  });

  test("is refused where the session waits for something else", async () => {
    const session = openSession({ store: memoryStore(), id: "s" });
    await agentOn([ask]).run("Choose.", { session });
    expect(await agentOn([]).run("Left.", { session, answers: "s/9/call:1:0" })).toMatchObject({
      status: "failed",
      fault: { code: "configuration", message: expect.stringContaining("does not wait for an answer to s/9/call:1:0") },
    });
  });
});
