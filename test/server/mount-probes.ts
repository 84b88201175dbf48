// Probes of a handler that somebody else's server has mounted at /agents, with room for one open stream: its routes, streams that come in
// pieces, and clients that leave.

import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { call, scriptedProvider, type ScriptedProvider } from "../../src/testing/index.js";
import { ask, framesOf, type Seen } from "./client.js";

const words = "These words come one after the other, so that a client can leave among them. ".repeat(3);
/** Milliseconds that a reply of the provider takes, at least. */
const replyTime = 600;
const piece = 8;

/** Starts a provider whose every reply takes its time, and ends the run. */
export function slowProvider(): Promise<ScriptedProvider> {
  const pause = Math.ceil(replyTime / (words.length / piece));
  return scriptedProvider(() => ({ text: words, calls: [call("task_completion", { result: "Done." })], piece, pause }));
}

/** Tries the handler at this origin with clients of each kind. The server has no other client. */
export async function probeMount(origin: string): Promise<void> {
  const url = `${origin}/agents/`;
  expect(await (await fetch(`${origin}/own`)).text()).toContain("own");
  expect(await ask(url, "health/live")).toMatchObject({ status: 200 });
  expect((await fetch(new URL("unknown", url))).status).toBe(404);
  await watchRun(url);
  await goOnBehindCursor(url);
  await readWhole(url, "chat", chatBody("whole"));
  await readWhole(url, "agui", aguiBody("whole-agui"));
  await leaveChat(url);
  await leaveAgui(url);
  await comeAndGo(url);
}

/** The frames of a run come while it is at work, not at its end. */
async function watchRun(url: string): Promise<void> {
  expect(await ask(url, "sessions/s/runs", { input: "go" })).toMatchObject({ status: 202 });
  let [first, end] = [0, 0];
  for await (const frame of framesOf(url, "s")) {
    if (hasWords(frame)) first ||= performance.now();
    end = performance.now();
    if (isEnd(frame)) break;
  }
  expect(end - first).toBeGreaterThan(replyTime / 3);
  await isCompleted(url, "s");
}

/** A client that leaves among the words goes on behind its cursor, and gets each record once. */
async function goOnBehindCursor(url: string): Promise<void> {
  expect(await ask(url, "sessions/left/runs", { input: "go" })).toMatchObject({ status: 202 });
  const before: Seen[] = [];
  await eventually(async () => {
    for await (const frame of framesOf(url, "left")) {
      before.push(frame);
      if (hasWords(frame)) break;
      expect(isEnd(frame), "The run ended before its words came.").toBe(false);
    }
  });
  // There is room for one stream: it opens once the server has noticed that the other client left.
  const after = await eventually(() => untilOutcome(url, "left", before.at(-1)?.cursor));
  expect(after.at(-1)).toMatchObject({ record: { type: "outcome", status: "completed" } });
  const all = await eventually(() => untilOutcome(url, "left"));
  expect(recordsIn([...before, ...after])).toEqual(recordsIn(all));
}

/** The answer to a post is a stream that comes in pieces, and is whole. */
async function readWhole(url: string, path: string, body: object): Promise<void> {
  const response = await eventually(() => opened(url, path, body));
  let [text, first] = ["", 0];
  for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
    text += part;
    if (text.includes("These wo")) first ||= performance.now();
  }
  expect([text, performance.now() - first]).toEqual([
    expect.stringMatching(/"type":"(finish|RUN_FINISHED)"/),
    expect.toSatisfy((time: number) => time > replyTime / 3),
  ]);
}

/** A client that leaves a chat ends no run. The message is read on from its start. */
async function leaveChat(url: string): Promise<void> {
  await leave(url, "chat", chatBody("gone"));
  const again = await eventually(() => opened(url, "chat/gone/stream"));
  expect([again.status, await again.text()]).toEqual([200, expect.stringContaining('"type":"finish"')]);
  await isCompleted(url, "gone");
}

async function leaveAgui(url: string): Promise<void> {
  await leave(url, "agui", aguiBody("gone-agui"));
  const after = await eventually(() => untilOutcome(url, "gone-agui"));
  expect(after.at(-1)).toMatchObject({ record: { type: "outcome", status: "completed" } });
  await isCompleted(url, "gone-agui");
}

/** Clients that leave at once, before or after the first bytes, make room for the next. */
async function comeAndGo(url: string): Promise<void> {
  for (let turn = 0; turn < 12; turn += 1) {
    const stop = new AbortController();
    const asked = fetch(new URL("sessions/s/events", url), { signal: stop.signal }).catch(() => undefined);
    if (turn % 2 === 0) await asked;
    else await sleep(turn);
    stop.abort();
    await asked;
  }
  const after = await eventually(() => untilOutcome(url, "s"));
  expect(after.at(-1)).toMatchObject({ record: { type: "outcome", status: "completed" } });
}

/** Posts, reads up to the first words of the reply, and hangs up. */
async function leave(url: string, path: string, body: object): Promise<void> {
  const stop = new AbortController();
  const response = await eventually(() => opened(url, path, body, stop.signal));
  let text = "";
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  while (!text.includes("These wo")) {
    const { done, value = "" } = await reader.read();
    expect(done, `The stream ended before the words came:\n${text}`).toBe(false);
    text += value;
  }
  stop.abort();
  await reader.cancel().catch(() => undefined);
}

/** A response with a stream. @throws Error with the answer if the handler refuses. */
async function opened(url: string, path: string, body?: object, signal?: AbortSignal): Promise<Response> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(new URL(path, url), {
    ...(signal !== undefined && { signal }),
    ...(body !== undefined && { method: "POST", headers, body: JSON.stringify(body) }),
  });
  if (response.status !== 200) throw new Error(`${String(response.status)} ${await response.text()}`);
  return response;
}

async function untilOutcome(url: string, session: string, after = ""): Promise<readonly Seen[]> {
  const seen: Seen[] = [];
  for await (const frame of framesOf(url, session, after)) {
    seen.push(frame);
    if (isEnd(frame)) return seen;
  }
  throw new Error("The stream ended before the run.");
}

const hasWords = (frame: Seen): boolean => "event" in frame && frame.event.type === "text-delta";

const isEnd = (frame: Seen): boolean => "record" in frame && frame.record.type === "outcome";

const recordsIn = (frames: readonly Seen[]): readonly string[] =>
  frames.flatMap((frame) => ("record" in frame ? [frame.cursor] : []));

async function isCompleted(url: string, session: string): Promise<void> {
  expect(await ask(url, `sessions/${session}`)).toMatchObject({ body: { status: "completed" } });
}

const chatBody = (id: string): object => ({
  id,
  messages: [{ id: `${id}-1`, role: "user", parts: [{ type: "text", text: "go" }] }],
});

const aguiBody = (threadId: string): object => ({
  ...{ threadId, runId: "r", tools: [], context: [], state: {}, forwardedProps: {} },
  messages: [{ id: `${threadId}-1`, role: "user", content: "go" }],
});

/** Tries for ten seconds. The last error is thrown. */
async function eventually<T>(work: () => Promise<T>): Promise<T> {
  for (let turn = 0; ; turn += 1) {
    try {
      return await work();
    } catch (thrown) {
      if (turn > 200) throw thrown;
      await sleep(50);
    }
  }
}
