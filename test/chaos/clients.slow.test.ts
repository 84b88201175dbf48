// kill -9 of the server with clients of every kind: each ends with what the journal says, and each approval counts once.

import { HttpAgent } from "@ag-ui/client";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import type { JournalRecord } from "../../src/index.js";
import { fileStore, openSession } from "../../src/memory/index.js";
import { aguiMessages, type ChatUiMessage, type SessionSummary } from "../../src/server/index.js";
import { ServerApi } from "../../src/studio/data/server-api.js";
import { ShownSession } from "../../src/studio/data/shown-session.js";
import { Timeline } from "../../src/studio/data/timeline.js";
import { freePort } from "../free-port.js";
import { temporaryFolder } from "../memory/store-places.js";
import { openPage, plain } from "../server/chat/page.js";
import { messagesOf } from "../server/chat/served.js";
import { ask, framesOf } from "../server/client.js";
import { withEach } from "./counted.js";
import { randomFrom, seeds } from "./scale.js";

const steps = 24;
const approvedEach = 6;

async function start(folder: string, port: number): Promise<ChildProcess> {
  const victim = join(import.meta.dirname, "server-victim.mjs");
  const args = [victim, folder, String(port), String(steps), String(approvedEach)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  return child;
}

/** Repeats until the work says that it is done. A server that is gone, or says that somebody else was first, is tried again. */
async function untilDone(work: () => Promise<boolean>): Promise<void> {
  for (;;) {
    const isDone = await work().catch((thrown: unknown) => {
      if ((thrown as Error).name === "AssertionError" || thrown instanceof RangeError) throw thrown;
      return false;
    });
    if (isDone) return;
    await sleep(10);
  }
}

/** Approves the call that waits, if one does, twice. */
async function approve(url: string): Promise<void> {
  const { waiting } = (await ask(url, "/sessions/s")).body as Pick<SessionSummary, "waiting">;
  if (waiting?.approval === undefined) return;
  const answer = { callId: waiting.id, digest: waiting.approval.digest, allowed: true };
  for (const _time of [1, 2]) await ask(url, "/sessions/s/approvals", answer);
}

/** A client of frames, which also answers approvals, each of them twice. */
async function frames(url: string, onRecord: () => void): Promise<readonly JournalRecord[]> {
  const records: JournalRecord[] = [];
  let cursor = "";
  const isOver = (): boolean => {
    const last = records.at(-1);
    return last?.type === "outcome" && last.status !== "waiting";
  };
  await untilDone(async () => {
    // The server may have been gone when the call was seen.
    await approve(url);
    for await (const frame of framesOf(url, "s", cursor)) {
      ({ cursor } = frame);
      if ("reset" in frame) throw new RangeError(frame.reset);
      if (!("record" in frame)) continue;
      records.push(frame.record);
      onRecord();
      if (frame.record.type === "parked") await approve(url);
      if (isOver()) return true;
    }
    return false;
  });
  return records;
}

/** The words of the messages, one after the other. */
const wordsOf = (messages: readonly ChatUiMessage[]): string =>
  messages
    .flatMap(({ parts }) => parts.flatMap((part) => (part.type === "text" ? [String(part["text"])] : [])))
    .join("");

/**
 * A page of the AI SDK. It approves what it is shown. A page that was cut off at the end of the run gets no stream any more, and is loaded
 * again, as its reader would do.
 */
async function page(url: string): Promise<unknown> {
  let chat = openPage(7, { url, id: "s" });
  const asked = (): string | undefined => {
    const part = chat.messages.at(-1)?.parts.findLast((one) => one["state"] === "approval-requested");
    return (part?.["approval"] as { id: string } | undefined)?.id;
  };
  await untilDone(async () => {
    const { status } = (await ask(url, "/sessions/s")).body as { status: string };
    const known = await messagesOf(url, "s");
    if (chat.messages.length === 0) chat = openPage(7, { url, id: "s", messages: known });
    await chat.resumeStream();
    expect(wordsOf(await messagesOf(url, "s"))).toContain(wordsOf(chat.messages));
    if (status === "completed") {
      if (JSON.stringify(plain(chat.messages)) !== JSON.stringify(known))
        chat = openPage(7, { url, id: "s", messages: await messagesOf(url, "s") });
      return true;
    }
    const id = asked();
    if (id !== undefined) await chat.addToolApprovalResponse({ id, approved: true });
    return false;
  });
  return plain(chat.messages);
}

/** Fetches a stream whose break is its end: the client of AG-UI drops the error of a reader, and nobody could catch it. */
async function fetchWhole(...given: Parameters<typeof fetch>): Promise<Response> {
  const { body, status, headers } = await fetch(...given);
  const reader = body?.getReader();
  const whole = new ReadableStream({
    async pull(controller) {
      const piece = await reader?.read().catch(() => undefined);
      if (piece?.value === undefined) controller.close();
      else controller.enqueue(piece.value);
    },
    cancel: () => reader?.cancel(),
  });
  return new Response(whole, { status, headers });
}

/** A client of AG-UI. It approves the interrupts that it gets. */
async function agui(url: string): Promise<unknown> {
  const agent = new HttpAgent({ url: new URL("agui", url).href, threadId: "s", fetch: fetchWhole });
  agent.addMessage({ id: "first", role: "user", content: "go" });
  await untilDone(async () => {
    const [interrupt] = agent.pendingInterrupts;
    const answer = interrupt && { interruptId: interrupt.id, status: "resolved" as const, payload: { approved: true } };
    await agent.runAgent(answer === undefined ? {} : { resume: [answer] });
    const { status } = (await ask(url, "/sessions/s")).body as { status: string };
    return status === "completed" && agent.pendingInterrupts.length === 0;
  });
  return agent.messages.filter(({ role }) => role !== "reasoning");
}

/** The studio. */
async function studio(url: string): Promise<unknown> {
  const shown = new ShownSession("s", new ServerApi(url, undefined, fetch));
  const stop = new AbortController();
  await new Promise<void>((resolve) => {
    void shown.follow(() => {
      const last = shown.timeline.records.at(-1);
      if (last?.type === "outcome" && last.status === "completed") resolve();
    }, stop.signal);
  });
  stop.abort();
  return shown.timeline.rows;
}

async function survive(seed: number): Promise<number> {
  await using place = await temporaryFolder();
  const folder = join(place.path, "sessions");
  await mkdir(folder);
  const [port, random] = [await freePort(), randomFrom(seed)];
  const url = `http://127.0.0.1:${String(port)}/`;
  let server = await start(folder, port);
  let [seen, kills, isOver] = [0, 0, false];
  await ask(url, "/sessions/s/runs", { input: "go", inputId: "first" });
  const three = <T>(client: () => Promise<T>): Promise<readonly T[]> => Promise.all([client(), client(), client()]);
  const clients = Promise.all([
    three(() => frames(url, () => (seen += 1))),
    three(() => page(url)),
    three(() => agui(url)),
    three(() => studio(url)),
  ]).finally(() => (isOver = true));
  clients.catch(() => undefined);
  for (;;) {
    // Three clients see each record.
    const until = seen + 3 + Math.floor(random() * 90);
    while (seen < until && !isOver) await sleep(1);
    if (isOver) break;
    server.kill("SIGKILL");
    await once(server, "exit");
    server = await start(folder, port);
    kills += 1;
  }
  const [byFrames, byPages, byAgents, byStudios] = await clients;
  const { records } = await openSession({ store: fileStore(folder), id: "s" }).toJSON();
  const messages = await messagesOf(url, "s");
  server.kill("SIGKILL");
  for (const one of byFrames) expect(one).toEqual(records);
  for (const one of byPages) expect(one).toEqual(messages);
  for (const one of byAgents) expect(one).toEqual(aguiMessages("s", records));
  const timeline = new Timeline();
  for (const record of records) timeline.add(record);
  for (const one of byStudios) expect(one).toEqual(timeline.rows);
  const parked = records.flatMap((record) => (record.type === "parked" ? [record.callId] : []));
  const approved = records.flatMap((record) => (record.type === "approval" ? [[record.answers, record.allowed]] : []));
  expect(parked.length).toBe(steps / approvedEach);
  expect(approved).toEqual(parked.map((callId) => [callId, true]));
  const effects = (await readFile(join(place.path, "effects"), "utf8")).trim().split("\n");
  expect(new Set(effects).size).toBe(effects.length);
  return kills;
}

test("clients of every kind end with what the journal says, and each approval counts once", async () => {
  // The client of AG-UI prints each connection that breaks.
  const silent = vi.spyOn(console, "error").mockImplementation(() => undefined);
  onTestFinished(() => {
    silent.mockRestore();
  });
  await withEach(seeds(1, 9), { fault: "kill9-clients", words: "clients of every kind" }, survive);
  expect.hasAssertions();
}, 1_200_000);
