// The server over real HTTP: inputs, frames with cursors, approvals, aborts.

import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createAgent, sharedLimits, tool, type Agent } from "../../src/index.js";
import { memoryStore, openSession, type Store } from "../../src/memory/index.js";
import { askFirst } from "../../src/approval/index.js";
import { createHandler, serve } from "../../src/server/index.js";
import { call, scriptedModel, type Script } from "../../src/testing/index.js";
import { askQuestion, taskCompletion } from "../../src/tools/index.js";
import { ask, framesOf, untilEnd, type Seen } from "./client.js";

const done = [call("task_completion", { result: "Done." })];
const ran: string[] = [];
const write = tool({
  name: "write",
  description: "Writes",
  effect: "write",
  input: z.object({ text: z.string() }),
  run: ({ text }) => {
    ran.push(text);
    return `wrote ${text}`;
  },
});
const look = tool({
  name: "look",
  description: "Looks",
  effect: "read",
  input: z.object({ at: z.number() }),
  run: async function* ({ at }) {
    yield { progress: at };
    return `saw ${String(at)}`;
  },
});

function agentOf(script: Script): Agent {
  const permission = askFirst(() => ({ later: true, reason: "it writes" }));
  return createAgent({
    model: scriptedModel(script),
    tools: [write, look, askQuestion(), taskCompletion()],
    permission,
  }) as Agent;
}

/** A server with an agent that has this script. */
async function serving(script: Script, store: Store = memoryStore()): Promise<{ url: string; store: Store }> {
  const handler = createHandler({ agents: { worker: agentOf(script) }, store });
  const { url, close } = await serve(handler);
  onTestFinished(async () => {
    await handler.close();
    await close();
  });
  return { url, store };
}

const recordsIn = (frames: readonly Seen[]): readonly unknown[] =>
  frames.flatMap((frame) => ("record" in frame ? [frame.record] : []));

describe("an input", () => {
  test("of a new session starts a run, whose frames are its records and its events in order", async () => {
    const { url, store } = await serving([[call("look", { at: 1 })], { text: "Now I am done.", calls: done }]);
    const posted = await ask(url, "/sessions", { input: "go" });
    expect(posted).toMatchObject({ status: 202, body: { waits: false } });
    const { session } = posted.body as { session: string };
    const frames = await untilEnd(url, session);
    const { records } = await openSession({ store, id: session }).toJSON();
    expect(recordsIn(frames)).toEqual(records);
    expect(await ask(url, `/sessions/${session}`)).toMatchObject({
      status: 200,
      body: { status: "completed", title: "go", iterations: 2, about: { agent: "worker" } },
    });
    expect(await ask(url, "/sessions")).toMatchObject({ body: { sessions: [{ id: session }] } });
  });

  test("that is posted twice runs once", async () => {
    const { url } = await serving([done]);
    const posts = [1, 2].map(() => ask(url, "/sessions/s/runs", { input: "go", inputId: "a" }));
    expect(await Promise.all(posts)).toMatchObject([{ status: 202 }, { status: 202 }]);
    await untilEnd(url, "s");
    expect(await ask(url, "/sessions/s/runs", { input: "go", inputId: "a" })).toMatchObject({ status: 202 });
    expect(await ask(url, "/sessions/s")).toMatchObject({ body: { runs: 1, iterations: 1 } });
  });

  test("that the session can't take is refused, and nothing is kept", async () => {
    const { url } = await serving([[call("ask_question", { question: "Which?" })], done]);
    await ask(url, "/sessions/s/runs", { input: "go" });
    const asked = await untilEnd(url, "s");
    const refused = await ask(url, "/sessions/s/runs", { input: "this", answers: "another" });
    expect(refused).toMatchObject({ status: 409, body: { error: /does not wait for an answer to another/ } });
    expect(await ask(url, "/sessions/s")).toMatchObject({
      body: { status: "waiting", waiting: { by: "ask_question", value: { question: "Which?" } } },
    });
    await ask(url, "/sessions/s/runs", { input: "this" });
    const rest = await untilEnd(url, "s", asked.at(-1)!.cursor);
    expect(recordsIn(rest)[0]).toMatchObject({ type: "input", text: "this" });
    expect(recordsIn(rest).at(-1)).toMatchObject({ type: "outcome", status: "completed" });
  });
});

describe("frames", () => {
  const script: Script = [
    ...Array.from({ length: 12 }, (_none, at) => ({
      text: `Step ${String(at)} is next.`,
      calls: [call("look", { at })],
    })),
    done,
  ];

  test("come in full, each record once, over any cuts", async () => {
    const { url, store } = await serving(script);
    await ask(url, "/sessions/s/runs", { input: "go" });
    const seen: Seen[] = [];
    for (let cut = 1; !isOver(seen); cut = (cut * 7 + 3) % 11) {
      let left = cut + 1;
      for await (const frame of framesOf(url, "s", seen.at(-1)?.cursor)) {
        seen.push(frame);
        left -= 1;
        if (left === 0 || isOver(seen)) break;
      }
    }
    expect(recordsIn(seen)).toEqual((await openSession({ store, id: "s" }).toJSON()).records);
  });

  test("are the same for two clients, of whom one comes later", async () => {
    const { url } = await serving(script);
    await ask(url, "/sessions/s/runs", { input: "go" });
    const [one, other] = await Promise.all([untilEnd(url, "s"), untilEnd(url, "s")]);
    expect(recordsIn(other)).toEqual(recordsIn(one));
    expect(recordsIn(await untilEnd(url, "s"))).toEqual(recordsIn(one));
  });

  test("tell the text of a reply before its record, piece by piece", async () => {
    const { url } = await serving([{ text: "Now I look at it.", calls: [call("look", { at: 1 })] }, done]);
    const watching = untilEnd(url, "s");
    await ask(url, "/sessions/s/runs", { input: "go" });
    const frames = await watching;
    const reply = frames.findIndex((frame) => "record" in frame && frame.record.type === "reply");
    const text = frames
      .slice(0, reply)
      .flatMap((frame) => ("event" in frame && frame.event.type === "text-delta" ? [frame.event.text] : []));
    expect(text.join("")).toBe("Now I look at it.");
    expect(frames.flatMap((frame) => ("event" in frame ? [frame.event.type] : []))).toContain("call-progress");
  });

  test("begin anew for a cursor that is not of this journal", async () => {
    const { url } = await serving([done]);
    await ask(url, "/sessions/s/runs", { input: "go" });
    const all = await untilEnd(url, "s");
    for (const cursor of ["3.1", "400.mdz0k3f9"]) {
      const [reset, ...frames] = await untilEnd(url, "s", cursor);
      expect(reset).toMatchObject({ reset: expect.stringContaining("another record") });
      expect(recordsIn(frames)).toEqual(recordsIn(all));
    }
    await expect(untilEnd(url, "s", "what")).rejects.toThrow("no cursor");
  });

  test("of a run of another process are followed in the store", async () => {
    const store = memoryStore();
    const { url } = await serving([], store);
    const watching = untilEnd(url, "s");
    await agentOf(script).run("go", { session: openSession({ store, id: "s" }) });
    expect(recordsIn(await watching)).toEqual((await openSession({ store, id: "s" }).toJSON()).records);
  });
});

function isOver(frames: readonly Seen[]): boolean {
  return frames.some((frame) => "record" in frame && frame.record.type === "outcome");
}

describe("an approval", () => {
  test("waits through a restart, needs the digest of what was shown, and counts once", async () => {
    const store = memoryStore();
    ran.length = 0;
    const first = await serving([[call("write", { text: "a" })]], store);
    await ask(first.url, "/sessions/s/runs", { input: "go" });
    const before = await untilEnd(first.url, "s");
    const second = await serving([done], store);
    const { body } = await ask(second.url, "/sessions/s");
    const { id, approval } = (body as { waiting: { id: string; approval: { digest: string } } }).waiting;
    const answer = (digest: string) => ask(second.url, "/sessions/s/approvals", { callId: id, allowed: true, digest });
    expect(await answer("0".repeat(64))).toMatchObject({ status: 409 });
    expect(ran).toEqual([]);
    expect(await Promise.all([answer(approval.digest), answer(approval.digest)])).toMatchObject([
      { status: 202 },
      { status: 202 },
    ]);
    const rest = await untilEnd(second.url, "s", before.at(-1)!.cursor);
    expect(recordsIn(rest).at(-1)).toMatchObject({ status: "completed" });
    expect(await answer(approval.digest)).toMatchObject({ status: 202 });
    expect(ran).toEqual(["a"]);
  });
});

test("a run goes on when its client hangs up, and ends when it is aborted", async () => {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  const wait = tool({
    name: "wait",
    description: "Waits",
    effect: "read",
    input: z.object({}),
    run: async () => {
      await opened;
      return "waited";
    },
  });
  const model = scriptedModel([[call("wait")], done, { delay: 60_000, calls: done }]);
  const worker = createAgent({ model, tools: [wait, taskCompletion()] });
  const { url, close } = await serve(createHandler({ agents: { worker }, store: memoryStore() }));
  onTestFinished(close);
  await ask(url, "/sessions/s/runs", { input: "go" });
  for await (const frame of framesOf(url, "s")) if ("record" in frame && frame.record.type === "decision") break;
  open();
  const frames = await untilEnd(url, "s");
  expect(recordsIn(frames).at(-1)).toMatchObject({ status: "completed" });
  expect(await ask(url, "/sessions/s/abort", {})).toMatchObject({ status: 409 });
  await ask(url, "/sessions/s/runs", { input: "and again" });
  expect(await ask(url, "/sessions/s/abort", { reason: "enough" })).toMatchObject({ status: 202 });
  const rest = await untilEnd(url, "s", frames.at(-1)!.cursor);
  expect(recordsIn(rest).at(-1)).toMatchObject({ status: "aborted", message: expect.stringContaining("enough") });
});

describe("limits of each person", () => {
  test("hold behind HTTP for each person that authenticate names", async () => {
    const budget = sharedLimits({ maxIterations: 2, per: "principal", every: "month" });
    const agents = { worker: agentOf(() => done) };
    const authenticate = (request: Request) => {
      const id = request.headers.get("x-user");
      return id === null || { id, tenant: "acme" };
    };
    const handler = createHandler({ agents, store: memoryStore(), budget, authenticate });
    const { url, close } = await serve(handler);
    onTestFinished(async () => {
      await handler.close();
      await close();
    });
    const statuses: unknown[] = [];
    for (const user of ["ann", "ann", "ann", "ben", undefined]) {
      const headers = { "content-type": "application/json", ...(user !== undefined && { "x-user": user }) };
      const body = JSON.stringify({ input: "go" });
      const posted = (await (await fetch(new URL("/sessions", url), { method: "POST", headers, body })).json()) as {
        readonly session: string;
      };
      const look = async () =>
        (await (await fetch(new URL(`/sessions/${posted.session}`, url), { headers })).json()) as object;
      await expect.poll(look).toMatchObject({ status: expect.stringMatching(/completed|stopped/) });
      statuses.push(await look());
    }
    expect(statuses).toMatchObject(
      ["completed", "completed", "stopped", "completed", "completed"].map((status) => ({ status })),
    );
    expect(budget.spentBy({ id: "ann", tenant: "acme" }).iterations).toBe(2);
  });

  test("are given to the host, if there is one", () => {
    const { host } = createHandler({ agents: { worker: agentOf([]) }, store: memoryStore() });
    const budget = sharedLimits({ maxIterations: 1 });
    expect(() => createHandler({ host, budget })).toThrow("createHandler takes budget without a host only: give it to");
  });
});
