// The routes of the handler: sessions, their records and frames, inputs, approvals, aborts.

import type { ApprovalAnswer, Input } from "../../core/index.js";
import { explain, isPlainObject } from "../../core/internal.js";
import { recordsAfter } from "../../memory/index.js";
import type { Frame } from "../feed/frame.js";
import type { Hub, StartedRun } from "../hub/hub.js";
import { summaryOf } from "../hub/session-summary.js";
import { BadRequest, bodyOf, json, textField } from "./json-answer.js";
import { sse, type SentEvent } from "./event-stream.js";
import { hangUp, type Route, type Routed } from "./routed.js";

/** Every route by its method and path. `:id` is the id of a session, with escapes. */
export const routes: Readonly<Record<string, Route>> = {
  "GET /sessions": listSessions,
  "POST /sessions": postRun,
  "GET /sessions/:id": getSession,
  "GET /sessions/:id/records": getRecords,
  "GET /sessions/:id/events": getEvents,
  "POST /sessions/:id/runs": postRun,
  "POST /sessions/:id/approvals": postApproval,
  "POST /sessions/:id/resume": postResume,
  "POST /sessions/:id/abort": postAbort,
};

/** The sessions that were used last come first. */
async function listSessions({ hub, url }: Routed): Promise<Response> {
  const limit = wholeIn(url, "limit", 50, 200);
  const before = wholeIn(url, "before", Infinity, Number.MAX_SAFE_INTEGER);
  const all = (await hub.store.list()).filter(({ updated }) => updated < before);
  const page = all.toSorted((one, other) => other.updated - one.updated).slice(0, limit);
  return json(200, { sessions: await Promise.all(page.map((stored) => summaryOf(hub.store, stored))) });
}

async function getSession({ hub, id }: Routed): Promise<Response> {
  return json(200, await summaryOf(hub.store, await storedSession(hub, id)));
}

async function getRecords({ hub, id, url }: Routed): Promise<Response> {
  await storedSession(hub, id);
  const from = wholeIn(url, "from", 0, Number.MAX_SAFE_INTEGER);
  const limit = wholeIn(url, "limit", 1000, 10_000);
  const records = await recordsAfter({ store: hub.store, id, after: from - 1 });
  return json(200, { records: records.slice(0, limit), more: records.length > limit });
}

/** The frames of a session as server-sent events. The stream goes on after the end of a run. */
async function getEvents(routed: Routed): Promise<Response> {
  const { hub, id, url, request, keepAlive } = routed;
  const after = request.headers.get("last-event-id") ?? url.searchParams.get("after") ?? "";
  const stop = hangUp(routed);
  const frames = framesBehind(hub, id, { after, signal: stop.signal });
  return sse(sent(frames), { stop, keepAlive });
}

/** A cursor that is none is a mistake of the request, and not of the session's state. */
function framesBehind(...[hub, id, options]: [Hub, ...Parameters<Hub["frames"]>]): ReturnType<Hub["frames"]> {
  try {
    return hub.frames(id, options);
  } catch (thrown) {
    throw new BadRequest(400, explain(thrown));
  }
}

async function* sent(frames: AsyncGenerator<Frame, void, void>): AsyncGenerator<SentEvent, void, void> {
  try {
    for await (const frame of frames) yield { id: frame.cursor, data: dataOf(frame) };
  } finally {
    await frames.return();
  }
}

/** The text of a frame, which is the same for all its clients. */
const texts = new WeakMap<Frame, string>();

function dataOf(frame: Frame): string {
  const known = texts.get(frame);
  if (known !== undefined) return known;
  const { cursor: _cursor, ...content } = frame;
  const text = JSON.stringify(content);
  texts.set(frame, text);
  return text;
}

/** A new input: the words of a person, a typed reply, the start of a session. */
async function postRun({ hub, id, request, maxBody }: Routed): Promise<Response> {
  const body = await bodyOf(request, { fields: ["input", "inputId", "answers", "agent"], most: maxBody });
  const { input } = body;
  if (!isInput(input)) throw new BadRequest(400, "input is neither a text nor an object.");
  const [inputId, answers, agent] = [textField(body, "inputId"), textField(body, "answers"), textField(body, "agent")];
  return accepted(await hub.start({ session: id === "" ? undefined : id, agent, input, inputId, answers }));
}

/** The answer to a call that waits for an approval. It names the call, and the digest of what was shown. */
async function postApproval({ hub, id, request, maxBody }: Routed): Promise<Response> {
  const fields = ["callId", "allowed", "digest", "reason", "always"];
  const body = await bodyOf(request, { fields, most: maxBody });
  const [callId, digest, reason] = [textField(body, "callId"), textField(body, "digest"), textField(body, "reason")];
  const { allowed, always = false } = body;
  if (callId === undefined || digest === undefined)
    throw new BadRequest(400, "An approval needs callId and digest, as the session says them.");
  if (typeof allowed !== "boolean") throw new BadRequest(400, "allowed is neither true nor false.");
  if (typeof always !== "boolean") throw new BadRequest(400, "always is neither true nor false.");
  const answer: ApprovalAnswer = {
    allowed,
    digest,
    ...(always && { always }),
    ...(reason !== undefined && { reason }),
  };
  return accepted(await hub.start({ session: id, input: answer, answers: callId }));
}

async function postResume({ hub, id, request, maxBody }: Routed): Promise<Response> {
  await bodyOf(request, { fields: [], most: maxBody });
  await storedSession(hub, id);
  return accepted(await hub.resume(id));
}

async function postAbort({ hub, id, request, maxBody }: Routed): Promise<Response> {
  const body = await bodyOf(request, { fields: ["reason"], most: maxBody });
  if (hub.abort(id, textField(body, "reason"))) return json(202, { session: id });
  throw new BadRequest(409, `No run of this process works on the session ${id}.`);
}

function accepted({ session, inputId, waits }: StartedRun): Response {
  return json(202, { session, ...(inputId !== undefined && { inputId }), waits });
}

async function storedSession(hub: Hub, id: string): Promise<{ readonly id: string; readonly updated: number }> {
  const found = (await hub.store.list()).find((stored) => stored.id === id);
  if (found === undefined) throw new BadRequest(404, `There is no session ${id}.`);
  return found;
}

function isInput(input: unknown): input is Input {
  return (typeof input === "string" && input !== "") || isPlainObject(input);
}

/** A whole number of the query. */
function wholeIn(url: URL, name: string, usual: number, most: number): number {
  const text = url.searchParams.get(name);
  if (text === null) return usual;
  if (/^\d{1,16}$/.test(text) && Number(text) <= most) return Number(text);
  throw new BadRequest(400, `${name} is no whole number of at most ${String(most)}.`);
}
