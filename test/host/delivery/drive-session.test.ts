// One delivery of an input: it counts once, whenever it comes again.

import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import { createAgent, tool, type LastcallError } from "../../../src/index.js";
import { drive } from "../../../src/host/delivery/drive-session.js";
import { driveSession, endOf, type Driven, type DriveOptions } from "../../../src/host/index.js";
import { memoryStore, openSession, type Store } from "../../../src/memory/index.js";
import { assertWellFormed, call, scriptedModel, type Script, type ScriptedModel } from "../../../src/testing/index.js";
import { askQuestion, taskCompletion } from "../../../src/tools/index.js";
import { failingStore } from "../../memory/failing-store.js";

const done = [call("task_completion", { result: "Done." })];
const asks = [call("ask_question", { question: "Which colour?" })];

const look = tool({ name: "look", description: "Looks", effect: "read", input: z.object({}), run: () => "seen" });

/** A session over a store, and the deliveries to it. */
class Place {
  readonly store: Store;
  readonly model: ScriptedModel;
  readonly abort = new AbortController();
  readonly suspend = new AbortController();

  constructor(script: Script, store: Store = memoryStore()) {
    this.store = store;
    this.model = scriptedModel(script);
  }

  drive(options: Partial<DriveOptions>): Promise<Driven> {
    return driveSession(this.options(options));
  }

  options(options: Partial<DriveOptions>): DriveOptions {
    const agent = createAgent({ model: this.model, tools: [look, askQuestion(), taskCompletion()] });
    const signals = { signal: this.abort.signal, suspend: this.suspend.signal };
    return { agent, store: this.store, session: "s", ...signals, ...options };
  }

  async types(): Promise<readonly string[]> {
    const { records } = await openSession({ store: this.store, id: "s" }).toJSON();
    assertWellFormed(records, { ended: false });
    return records.map(({ type }) => type);
  }
}

/** A store whose session has a run that the input with the id 1 began, and that was left after its first iteration. */
async function storeWithOpenRun(): Promise<Store> {
  const place = new Place([[call("look")], { delay: 60_000, calls: done }]);
  await place.drive({
    input: "go",
    inputId: "1",
    onEvent: ({ type }) => {
      if (type === "iteration-end") place.suspend.abort();
    },
  });
  return place.store;
}

test("an input that comes again after the end of its run has that end, and nothing is written", async () => {
  const place = new Place([done]);
  const first = await place.drive({ input: "go", inputId: "1" });
  expect(first).toMatchObject({ outcome: { status: "completed", iterations: 1 } });
  const before = await place.types();
  const again = await place.drive({ input: "go", inputId: "1" });
  expect(again.outcome).toMatchObject({ status: "completed", joined: true, iterations: 0, usage: { inputTokens: 0 } });
  expect(again.again).toBeUndefined();
  expect(await place.types()).toEqual(before);
});

test("a delivery that comes again while the session waits has the question, and does not fail", async () => {
  const place = new Place([asks, done]);
  const first = await place.drive({ input: "go", inputId: "1" });
  const { waiting } = endOf(first.outcome);
  expect(waiting).toEqual({ id: expect.stringContaining("call:1:0"), by: "ask_question" });
  expect(endOf((await place.drive({ input: "go", inputId: "1" })).outcome)).toMatchObject({
    status: "waiting",
    waiting,
  });
  expect(endOf((await place.drive({})).outcome)).toMatchObject({ status: "waiting", waiting });
  expect(await place.drive({ input: "blue", answers: waiting!.id })).toMatchObject({
    outcome: { status: "completed" },
  });
  const late = await place.drive({ input: "red", answers: waiting!.id });
  expect(late.outcome).toMatchObject({ status: "completed", joined: true });
  expect(JSON.stringify(place.model.requests.at(-1)?.messages)).toContain("blue");
  expect(place.model.requests).toHaveLength(2);
});

test("an answer that was given in time counts, however late its delivery is; one that was given late never does", async () => {
  const place = new Place([asks, done]);
  const agent = createAgent({ model: place.model, tools: [askQuestion({ expiresAfter: 20 }), taskCompletion()] });
  const first = await place.drive({ agent, input: "go", inputId: "1" });
  const { id } = endOf(first.outcome).waiting!;
  const asked = (await openSession({ store: place.store, id: "s" }).toJSON()).records.at(-1)!.at;
  await sleep(30);
  const late = await place.drive({ agent, input: "red", answers: id, inputId: "3", givenAt: asked + 60_000 });
  expect(late.outcome).toMatchObject({ status: "failed", message: expect.stringContaining("waited for any more") });
  const driven = await place.drive({ agent, input: "blue", answers: id, inputId: "2", givenAt: asked });
  expect(driven.outcome.status).toBe("completed");
  expect(JSON.stringify(place.model.requests.at(-1)?.messages)).toContain("blue");
  await place.types();
});

test("the answer to a question of a running call is taken, and the next question of the call is another one", async () => {
  const book = tool({
    name: "book",
    description: "Books",
    effect: "none",
    input: z.object({}),
    asks: z.object({ question: z.string() }),
    run: async (_input, { ask }) =>
      `${JSON.stringify(await ask({ question: "Which day?" }))} ${JSON.stringify(await ask({ question: "Which hour?" }))}`,
  });
  const place = new Place([[call("book")], done]);
  const agent = createAgent({ model: place.model, tools: [book, taskCompletion()] });
  const day = endOf((await place.drive({ agent, input: "go", inputId: "1" })).outcome);
  const first = { agent, input: "yes", answers: day.waiting!.id };
  const hour = endOf((await place.drive(first)).outcome);
  expect(hour.waiting!.id).not.toBe(first.answers);
  expect((await place.drive(first)).outcome).toMatchObject({ status: "waiting", joined: true });
  expect(await place.drive({ agent, input: "yes", answers: hour.waiting!.id })).toMatchObject({
    outcome: { status: "completed" },
  });
  expect(JSON.stringify(place.model.requests.at(-1)?.messages)).toContain('\\"yes\\" \\"yes\\"');
});

test("an answer to a call that is not there is refused", async () => {
  const place = new Place([asks]);
  const driven = await place.drive({ input: "blue", answers: "s/x/1/call:1:0" });
  expect(driven).toMatchObject({
    outcome: { status: "failed", message: expect.stringContaining("no call s/x/1/call:1:0") },
  });
  expect(driven.again).toBeUndefined();
  expect(await place.types()).toEqual([]);
});

test("an answer goes on with a run whose process died right after it had asked", async () => {
  let isBroken = true;
  const isEnd = (line: string): boolean => line.includes('"type":"outcome"');
  const store = failingStore((lines) => (isBroken && lines.some(isEnd) ? new Error("the process is gone") : undefined));
  const first = new Place([asks], store);
  await expect(first.drive({ input: "go", inputId: "1" })).rejects.toThrow("the process is gone");
  isBroken = false;
  const { records } = await openSession({ store, id: "s" }).toJSON();
  expect(records.map(({ type }) => type)).not.toContain("outcome");
  const answers = records.find((record) => record.type === "claim")!.callId;
  for (const busy of ["leave", "wait"] as const) {
    const driven = await new Place([done], store).drive({ input: "blue", answers, busy });
    expect(driven).toMatchObject({ outcome: { status: "completed" } });
    expect(driven.again).toBeUndefined();
  }
});

test("a run that is suspended has to come again, and then goes on", async () => {
  const first = new Place([[call("look")], { delay: 60_000, calls: done }]);
  const driven = first.drive({
    input: "go",
    inputId: "1",
    onEvent: ({ type }) => {
      if (type === "iteration-end") first.suspend.abort();
    },
  });
  expect(await driven).toMatchObject({ again: "suspended", outcome: { status: "aborted", suspended: true } });
  const next = new Place([done], first.store);
  expect(await next.drive({ input: "go", inputId: "1" })).toMatchObject({ outcome: { status: "completed" } });
  expect((await next.types()).filter((type) => ["input", "resume", "outcome"].includes(type))).toEqual([
    "input",
    "resume",
    "outcome",
  ]);
});

test("a busy session is left, with the input in its inbox, and the input counts once", async () => {
  const place = new Place([done]);
  const lease = await openSession({ store: place.store, id: "s" }).lease();
  expect(await place.drive({ input: "go", inputId: "1", busy: "leave" })).toMatchObject({ again: "busy" });
  expect((await place.store.messages("s")).map(({ id }) => id)).toEqual(["1"]);
  await lease!.release();
  expect(await place.drive({ input: "go", inputId: "1", busy: "leave" })).toMatchObject({
    outcome: { status: "completed", inputs: ["go"] },
  });
  expect((await place.types()).filter((type) => type === "input" || type === "steer")).toEqual(["input"]);
});

test("a delivery that was withdrawn while its process stood still begins no run, and leaves no words", async () => {
  const place = new Place([done]);
  const isWithdrawn = () => Promise.resolve(true);
  const aborted = { outcome: { status: "aborted", message: "It was aborted over the host." } };
  await openSession({ store: place.store, id: "s" }).send({ id: "1", text: "go" });
  expect(await place.drive({ input: "go", inputId: "1", isWithdrawn })).toMatchObject(aborted);
  expect(await place.store.messages("s")).toEqual([]);
  const lease = await openSession({ store: place.store, id: "s" }).lease();
  expect(await place.drive({ input: "go", inputId: "2", busy: "leave", isWithdrawn })).toMatchObject(aborted);
  expect(await place.store.messages("s")).toEqual([]);
  await lease!.release();
  expect(await place.types()).toEqual([]);
});

test("words of a delivery that was withdrawn while its process stood still on the way to the inbox are taken back", async () => {
  const place = new Place([done]);
  const looks = [false, true];
  const isWithdrawn = () => Promise.resolve(looks.shift() ?? true);
  const lease = await openSession({ store: place.store, id: "s" }).lease();
  expect(await place.drive({ input: "go", inputId: "1", busy: "leave", isWithdrawn })).toMatchObject({
    outcome: { status: "aborted", message: "It was aborted over the host." },
  });
  expect(looks).toEqual([]);
  expect(await place.store.messages("s")).toEqual([]);
  await lease!.release();
});

test("a run took words whose delivery was withdrawn, and whose process died right after it had put them into the inbox", async () => {
  const place = new Place([[call("look")], done]);
  const session = openSession({ store: place.store, id: "s" });
  const asked: string[] = [];
  const isInputWithdrawn = (id: string): Promise<boolean> => {
    asked.push(id);
    return Promise.resolve(id === "withdrawn");
  };
  await session.send({ id: "withdrawn", text: "never mind" });
  await session.send({ id: "wanted", text: "and be quick" });
  expect(await place.drive({ input: "go", inputId: "1", isInputWithdrawn })).toMatchObject({
    outcome: { status: "completed", inputs: ["go", "and be quick"] },
  });
  expect(asked).toEqual(["withdrawn", "wanted"]);
  expect(await place.store.messages("s")).toEqual([]);
  expect(JSON.stringify(await session.toJSON())).not.toContain("never mind");
});

test("an engine that can't tell whether words were withdrawn leaves them in the inbox, and the delivery comes again", async () => {
  const place = new Place([done]);
  const session = openSession({ store: place.store, id: "s" });
  await session.send({ id: "wanted", text: "and be quick" });
  const isInputWithdrawn = (): Promise<boolean> => Promise.reject(new TypeError("the connection was lost"));
  await expect(place.drive({ input: "go", inputId: "1", isInputWithdrawn })).rejects.toMatchObject({
    code: "store",
    message: expect.stringContaining("the connection was lost"),
  });
  expect((await place.store.messages("s")).map(({ id }) => id)).toContain("wanted");
  expect(await place.drive({ input: "go", inputId: "1" })).toMatchObject({ outcome: { status: "completed" } });
});

test("a run that a process began after the stop of its delivery, because it had stood still, had no end", async () => {
  const place = new Place([{ delay: 60_000, calls: done }]);
  let goOn = (): void => undefined;
  const moves = new Promise<void>((resolve) => (goOn = resolve));
  const isWithdrawn = vi.fn(() => moves.then(() => false));
  const driven = place.drive({
    ...{ input: "go", inputId: "1", isWithdrawn },
    onEvent: ({ type }) => {
      if (type === "request-start") place.suspend.abort();
    },
  });
  await vi.waitFor(() => {
    expect(isWithdrawn).toHaveBeenCalled();
  }, 20_000);
  const next = new Place([], place.store);
  const stop = { stop: "nobody needs it", before: 0, inputs: ["1"], busy: "leave" } as const;
  expect(await next.drive(stop)).toMatchObject({ again: "busy" });
  goOn();
  expect(await driven).toMatchObject({ again: "suspended" });
  expect(await next.drive(stop)).toMatchObject({ outcome: { status: "aborted" } });
  expect((await place.types()).at(-1)).toBe("outcome");
});

test("a stop ends the run of a resume that it names, and leaves the run of a later resume alone", async () => {
  const store = await storeWithOpenRun();
  const resume = async (inputId: string, resumeFrom: number): Promise<void> => {
    const place = new Place([{ delay: 60_000, calls: done }], store);
    const onEvent: DriveOptions["onEvent"] = ({ type }) => {
      if (type === "request-start") place.suspend.abort();
    };
    expect(await place.drive({ inputId, resumeFrom, onEvent })).toMatchObject({ again: "suspended" });
  };
  const next = new Place([], store);
  await next.drive({ stop: "the first run" });
  const { length } = await next.types();
  await resume("one", length);
  await next.drive({ stop: "it names another one", before: length, inputs: ["two"] });
  expect((await next.types()).at(-1)).not.toBe("outcome");
  await next.drive({ stop: "it names this one", before: length, inputs: ["one"] });
  expect((await next.types()).at(-1)).toBe("outcome");
});

test("an engine that can't tell whether it has the delivery has it made again", async () => {
  const place = new Place([done]);
  const isWithdrawn = () => Promise.reject(new TypeError("the connection was lost"));
  await expect(place.drive({ input: "go", inputId: "1", isWithdrawn })).rejects.toMatchObject({
    code: "store",
    message: expect.stringContaining("the connection was lost"),
  });
  expect(await place.types()).toEqual([]);
  expect(await place.drive({ input: "go", inputId: "1" })).toMatchObject({ outcome: { status: "completed" } });
});

test("a delivery that ends a run leaves one that began later alone", async () => {
  const place = new Place([done, { delay: 60_000, calls: done }]);
  await place.drive({ input: "go", inputId: "1" });
  const { length } = await place.types();
  const driven = place.drive({
    input: "more",
    inputId: "2",
    onEvent: ({ type }) => {
      if (type === "request-start") place.suspend.abort();
    },
  });
  expect(await driven).toMatchObject({ again: "suspended" });
  const next = new Place([done], place.store);
  expect((await next.drive({ stop: "the first run", before: length })).outcome).toMatchObject({ status: "completed" });
  expect(await next.types()).not.toContain("resume");
  expect((await next.drive({ stop: "any run" })).outcome).toMatchObject({ status: "aborted" });
});

test("two deliveries of one input at a time begin one run", async () => {
  const place = new Place([{ calls: done, delay: 50 }]);
  const both = await Promise.all([1, 2].map(() => place.drive({ input: "go", inputId: "1" })));
  expect(both.map(({ outcome }) => [outcome.status, outcome.joined ?? false]).sort()).toEqual([
    ["completed", false],
    ["completed", true],
  ]);
  expect((await place.types()).filter((type) => type === "input")).toHaveLength(1);
});

test("a run that fails because the store fails is thrown, and goes on when it comes again", async () => {
  let isBroken = true;
  const isClaim = (line: string): boolean => line.includes('"type":"claim"');
  const failing = failingStore((lines) =>
    isBroken && lines.some(isClaim) ? new Error("the disk is full") : undefined,
  );
  const place = new Place([done, done], failing);
  const fault = await place.drive({ input: "go", inputId: "1" }).catch((thrown: unknown) => thrown as LastcallError);
  expect(fault).toMatchObject({ code: "store" });
  isBroken = false;
  expect(await place.drive({ input: "go", inputId: "1" })).toMatchObject({ outcome: { status: "completed" } });
  expect(await place.types()).toContain("outcome");
});

test("words of a withdrawn delivery stayed in the inbox if its process died on the way there", async () => {
  const next = new Place([], await storeWithOpenRun());
  const session = openSession({ store: next.store, id: "s" });
  await next.drive({ stop: "nobody needs it", before: 1, inputs: ["1", "2"] });
  await session.send({ id: "2", text: "and tea" });
  await session.send({ id: "3", text: "given after the stop" });
  await next.drive({ stop: "nobody needs it", before: 1, inputs: ["1", "2"] });
  expect((await next.store.messages("s")).map(({ id }) => id)).toEqual(["3"]);
});

test("the last run is ended for a reason, if it has no end", async () => {
  const next = new Place([], await storeWithOpenRun());
  const stopped = await next.drive({ stop: "nobody needs it" });
  expect(stopped.outcome).toMatchObject({ status: "aborted", message: expect.stringContaining("nobody needs it") });
  expect((await next.drive({ input: "go", inputId: "1" })).outcome).toMatchObject({ status: "aborted", joined: true });
  expect((await next.drive({ stop: "again" })).outcome).toMatchObject({ message: expect.stringContaining("nobody") });
});

test("a run that was resumed too often without getting further is aborted", async () => {
  const place = new Place([{ delay: 60_000, calls: done }]);
  const suspendAt = (type: string): Promise<Driven> => {
    const one = new Place([{ delay: 60_000, calls: done }], place.store);
    return one.drive({
      input: "go",
      inputId: "1",
      attempts: 3,
      onEvent: (event) => {
        if (event.type === type) one.suspend.abort();
      },
    });
  };
  for (let times = 0; times < 4; times += 1)
    expect(await suspendAt("iteration-start"), String(times)).toMatchObject({ again: "suspended" });
  expect(await suspendAt("iteration-start")).toMatchObject({
    outcome: { status: "aborted", message: expect.stringContaining("resumed 3 times") },
  });
});

test("an attempt is stored before its first request, so that a process that dies in it counts", async () => {
  const memory = memoryStore();
  // Appends arrive late, as they do over a network.
  const store: Store = {
    ...memory,
    async lock(id, holder) {
      const lock = await memory.lock(id, holder);
      if (!("append" in lock)) return lock;
      return {
        ...lock,
        async append(lines, flush) {
          await sleep(50);
          await lock.append(lines, flush);
        },
      };
    },
  };
  const first = new Place([[call("look")], { delay: 60_000, calls: done }], store);
  await first.drive({
    input: "go",
    inputId: "1",
    onEvent: ({ type }) => {
      if (type === "iteration-end") first.suspend.abort();
    },
  });
  let seen: readonly string[] = [];
  const scripted = scriptedModel([done]);
  const model: ScriptedModel = {
    ...scripted,
    async *respond(request, signal) {
      seen = (await openSession({ store, id: "s" }).toJSON()).records.map(({ type }) => type);
      return yield* scripted.respond(request, signal);
    },
  };
  const agent = createAgent({ model, tools: [look, taskCompletion()] });
  const { signal } = new AbortController();
  await driveSession({ agent, store, session: "s", input: "go", inputId: "1", signal, suspend: signal });
  expect(seen.at(-1)).toBe("resume");
});

test("a session goes on without words once, however often that is delivered", async () => {
  const place = new Place([{ status: 401 }, done, done]);
  expect(await place.drive({ input: "go", inputId: "1" })).toMatchObject({ outcome: { status: "failed" } });
  const { length } = await place.types();
  expect((await place.drive({ resumeFrom: length })).outcome).toMatchObject({ status: "completed", iterations: 1 });
  const before = await place.types();
  expect((await place.drive({ resumeFrom: length })).outcome).toMatchObject({ status: "completed", joined: true });
  expect(await place.types()).toEqual(before);
  expect(place.model.requests).toHaveLength(2);
});

test("a resume goes on with a run that was left, and leaves one that has ended meanwhile", async () => {
  const first = new Place([[call("look")], { delay: 60_000, calls: done }]);
  await first.drive({
    input: "go",
    inputId: "1",
    onEvent: ({ type }) => {
      if (type === "iteration-end") first.suspend.abort();
    },
  });
  const { length } = await first.types();
  const next = new Place([{ status: 401 }, done], first.store);
  expect((await next.drive({ resumeFrom: length })).outcome).toMatchObject({ status: "failed" });
  expect((await next.drive({ resumeFrom: length })).outcome).toMatchObject({ status: "failed", joined: true });
  const types = await next.types();
  expect(types.filter((type) => ["input", "resume", "outcome"].includes(type))).toEqual(["input", "resume", "outcome"]);
  expect((await next.drive({ resumeFrom: types.length - 1 })).outcome).toMatchObject({
    status: "failed",
    joined: true,
  });
  expect(next.model.requests).toHaveLength(1);
});

test("a session without a run has nothing to go on with, and nothing is written", async () => {
  const place = new Place([]);
  expect((await place.drive({})).outcome).toMatchObject({
    status: "failed",
    message: expect.stringContaining("no run"),
  });
  expect((await place.drive({ stop: "no need" })).outcome).toMatchObject({ status: "failed" });
  expect((await place.drive({ resumeFrom: 0 })).outcome).toMatchObject({ status: "failed" });
  expect(await place.store.list()).toEqual([]);
});

test("an input that the session can't take is an outcome, and the session stays the same", async () => {
  const place = new Place([]);
  expect(await place.drive({ input: { width: 3 }, inputId: "1" })).toMatchObject({
    outcome: { status: "failed", fault: { code: "configuration" } },
  });
  expect(await place.drive({ input: "", inputId: "2" })).toMatchObject({
    outcome: { status: "failed", message: expect.stringContaining("must be a text") },
  });
  expect(await place.types()).toEqual([]);
});

test.each(["2", undefined])(
  "an answer that came just after another one leaves nothing in the inbox (its id: %s)",
  async (inputId) => {
    const place = new Place([asks, { delay: 300, calls: done }]);
    const answers = endOf((await place.drive({ input: "go", inputId: "0" })).outcome).waiting!.id;
    const { records: seen } = await openSession({ store: place.store, id: "s" }).toJSON();
    const first = place.drive({ input: "red", answers, inputId: "1" });
    await vi.waitFor(() => {
      expect(place.model.requests).toHaveLength(2);
    }, 20_000);
    const other = place.options({ input: "blue", answers, inputId, busy: "leave" });
    expect(await drive(other, seen)).toMatchObject({ again: "busy" });
    expect(await place.store.messages("s")).toEqual([]);
    const waits = drive(place.options({ input: "blue", answers, inputId }), seen);
    expect((await first).outcome.status).toBe("completed");
    expect((await waits).outcome).toMatchObject({ status: "completed", joined: true });
    expect(await drive(other)).toMatchObject({ outcome: { status: "completed", joined: true } });
    expect(await place.store.messages("s")).toEqual([]);
  },
);
