// The routes of the handler: sessions, their records and frames, inputs, approvals, aborts.

import type { ApprovalAnswer, Input, JournalRecord, NewAttachment } from "../../core/index.js";
import { explain, isBlank, isPlainObject } from "../../core/internal.js";
import type { HostedRun } from "../../host/index.js";
import { attachmentsIn } from "../../memory/stores.js";
import { openSession, promptAt, recordsAfter, rootOf, type Store, type StoredSession } from "../../memory/index.js";
import { beginning, writeCursor, type Frame } from "../feed/frame.js";
import type { Hub } from "../hub/hub.js";
import { readFile } from "../hub/posted-file.js";
import { summaryOf } from "../hub/session-summary.js";
import { recordNumber, storedSession, wholeIn } from "../answer/asked.js";
import { clippedJson } from "../answer/clipped-json.js";
import { asGiven, BadRequest, bodyOf, json, jsonText, textField } from "../answer/json-answer.js";
import { postAgui } from "./agui-route.js";
import { stopWith } from "../answer/client-stop.js";
import { expectNamed } from "./named-approval.js";
import { sse, type SentEvent } from "../answer/event-stream.js";
import type { Route, Routed } from "../answer/routed.js";

/**
 * Every route by its method and path. `:id` is the id of a session, with escapes, or the name of an agent; `:seq` counts records, or is the
 * digest of an attachment.
 */
export const routes: Readonly<Record<string, Route>> = {
  "GET /agents": getAgents,
  "GET /sessions": listSessions,
  "POST /sessions": postRun,
  "GET /sessions/:id": getSession,
  "GET /sessions/:id/records": getRecords,
  "GET /sessions/:id/records/:seq": getRecord,
  "GET /sessions/:id/prompt/:seq": getPrompt,
  "GET /sessions/:id/attachments/:seq": getAttachment,
  "GET /sessions/:id/events": getEvents,
  "POST /sessions/:id/runs": postRun,
  "POST /sessions/:id/approvals": postApproval,
  "POST /sessions/:id/resume": postResume,
  "POST /sessions/:id/abort": postAbort,
  "POST /sessions/:id/fork": postFork,
  "POST /agui": postAgui,
  "POST /agui/:id": postAgui,
};

/** The routes whose answers are streams. */
export const streaming: readonly string[] = ["GET /sessions/:id/events", "POST /agui", "POST /agui/:id"];

/** The agents that a new session can have, whether the server takes inputs, and whether it knows what sessions have changed. */
async function getAgents({ hub, readOnly, changesOf }: Routed): Promise<Response> {
  return json(200, { agents: hub.agents, readOnly, changes: changesOf !== undefined });
}

/** The sessions that were used last come first. The sessions of agents that calls run are left out. */
async function listSessions({ hub, url }: Routed): Promise<Response> {
  const limit = wholeIn(url, "limit", 50, 200);
  const before = wholeIn(url, "before", Infinity, Number.MAX_SAFE_INTEGER);
  const isListed = ({ id, updated }: StoredSession): boolean => updated < before && rootOf(id) === id;
  const all = await listed(hub.store, { before, limit, isListed });
  const page = all.toSorted((one, other) => other.updated - one.updated).slice(0, limit);
  return json(200, { sessions: await Promise.all(page.map((stored) => summaryOf(hub.store, stored))) });
}

/** Sessions for a page of the list: the last sessions if they fill it, or all. */
async function listed(
  store: Store,
  {
    before,
    limit,
    isListed,
  }: { readonly before: number; readonly limit: number; readonly isListed: (session: StoredSession) => boolean },
): Promise<readonly StoredSession[]> {
  // Sessions of agents that calls run are between them.
  const most = 4 * limit;
  if (before === Infinity) {
    const last = await store.list({ most });
    const found = last.filter(isListed);
    if (found.length >= limit || last.length < most) return found;
  }
  return (await store.list()).filter(isListed);
}

async function getSession({ hub, id }: Routed): Promise<Response> {
  return json(200, await summaryOf(hub.store, await storedSession(hub, id)));
}

/** Records from a number on, or the last records. With `clip`, longer texts in them are cut, and the record itself has them whole. */
async function getRecords({ hub, id, url }: Routed): Promise<Response> {
  await storedSession(hub, id);
  const limit = wholeIn(url, "limit", 1000, 1_000_000);
  const clip = wholeIn(url, "clip", Infinity, Number.MAX_SAFE_INTEGER);
  const isLast = url.searchParams.has("last");
  const from = isLast ? 0 : wholeIn(url, "from", 0, Number.MAX_SAFE_INTEGER);
  const all = isLast
    ? await lastRecords(hub, id, wholeIn(url, "last", 1000, 1_000_000))
    : await recordsFrom(hub, id, from);
  const records = isLast ? all : all.slice(0, limit);
  const last = records.at(-1);
  const cursor = last === undefined ? "" : writeCursor({ ...beginning, seq: last.seq, at: last.at });
  const more = !isLast && all.length > records.length;
  const texts = records.map((record) => clippedJson(record, clip)).join(",");
  return jsonText(200, `{"records":[${texts}],"more":${String(more)},"cursor":${JSON.stringify(cursor)}}`);
}

/** The records from a number on, none if there are fewer. Only the lines of these are read. */
async function recordsFrom({ store }: Hub, id: string, from: number): Promise<readonly JournalRecord[]> {
  if (from === 0) return recordsAfter({ store, id });
  return recordsAfter({ store, id, after: from - 1 }).catch(async () =>
    (await recordsAfter({ store, id })).slice(from),
  );
}

/** The last records. The lines before them are counted, and not read. */
async function lastRecords(hub: Hub, id: string, most: number): Promise<readonly JournalRecord[]> {
  const lines = (await hub.store.read(id)) ?? [];
  // The first line is no record.
  return (await recordsFrom(hub, id, Math.max(0, lines.length - 1 - most))).slice(-most);
}

async function getRecord({ hub, id, seq }: Routed): Promise<Response> {
  await storedSession(hub, id);
  const [record] = await recordsFrom(hub, id, recordNumber(seq));
  if (record?.seq !== Number(seq)) throw new BadRequest(404, `The session ${id} has no record ${seq}.`);
  return json(200, record);
}

/** The request that the reply with this number answered: system prompt, tools and messages. */
async function getPrompt({ hub, id, seq, url }: Routed): Promise<Response> {
  await storedSession(hub, id);
  const number = recordNumber(seq);
  const session = await openSession({ store: hub.store, id }).toJSON();
  if (session.records[number]?.type !== "reply")
    throw new BadRequest(404, `Record ${seq} of ${id} is no reply, so no request led to it.`);
  const prompt = await promptAt(session, number);
  return jsonText(200, clippedJson(prompt, wholeIn(url, "clip", Infinity, Number.MAX_SAFE_INTEGER)));
}

/** The bytes of an attachment that a record names. A browser shows images, and keeps every other file. */
async function getAttachment({ hub, id, seq: digest }: Routed): Promise<Response> {
  const attachment = attachmentsIn(await recordsFrom(hub, id, 0)).find((named) => named.digest === digest);
  if (attachment === undefined)
    throw new BadRequest(404, `The session ${id} has no attachment ${digest.slice(0, 80)}.`);
  const bytes = await hub.store.attachments?.(id).read(digest);
  if (bytes === undefined) throw new BadRequest(404, "The bytes of the attachment were removed.");
  const { mediaType, name = "file" } = attachment;
  const isImage = /^image\/(?:png|jpeg|gif|webp)$/.test(mediaType);
  return new Response(Uint8Array.from(bytes), {
    headers: {
      "content-type": mediaType,
      "content-disposition": `${isImage ? "inline" : "attachment"}; filename*=UTF-8''${encodeURIComponent(name)}`,
      // The sender of the file decided its type: a page in it must not act for the person who looks.
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
      "cache-control": "private, max-age=3600",
    },
  });
}

/** The frames of a session as server-sent events. The stream goes on after the end of a run. */
async function getEvents(routed: Routed): Promise<Response> {
  const { hub, id, url, request, keepAlive } = routed;
  const after = request.headers.get("last-event-id") ?? url.searchParams.get("after") ?? "";
  const clip = wholeIn(url, "clip", Infinity, Number.MAX_SAFE_INTEGER);
  const stop = stopWith(request);
  const frames = framesBehind(hub, id, after, stop.signal);
  return sse(sent(frames, clip), { stop, keepAlive });
}

/** A cursor that is none is a mistake of the request, and not of the session's state. */
function framesBehind(...[hub, ...place]: [Hub, ...Parameters<Hub["frames"]>]): ReturnType<Hub["frames"]> {
  try {
    return hub.frames(...place);
  } catch (thrown) {
    throw new BadRequest(400, explain(thrown));
  }
}

async function* sent(frames: AsyncGenerator<Frame, void, void>, clip: number): AsyncGenerator<SentEvent, void, void> {
  try {
    for await (const frame of frames) yield { id: frame.cursor, data: dataOf(frame, clip) };
  } finally {
    await frames.return();
  }
}

/** The text of a frame, which is the same for all clients that take it whole. */
const texts = new WeakMap<Frame, string>();

function dataOf(frame: Frame, clip: number): string {
  const { cursor: _cursor, ...content } = frame;
  const text = texts.get(frame) ?? JSON.stringify(content);
  texts.set(frame, text);
  return text.length > clip ? clippedJson(content, clip) : text;
}

/** A new input: the words of a person, a typed reply, the start of a session. */
async function postRun({ hub, id, request, maxBody }: Routed): Promise<Response> {
  const fields = ["input", "inputId", "answers", "agent", "attachments"];
  const body = await bodyOf(request, { fields, most: maxBody });
  const { input } = body;
  if (!isInput(input)) throw new BadRequest(400, "input is neither a text with words nor an object.");
  const [inputId, answers, agent] = [textField(body, "inputId"), textField(body, "answers"), textField(body, "agent")];
  const session = id === "" ? undefined : id;
  await expectNamed(hub, { session, input, answers });
  const attachments = filesIn(body);
  return accepted(await hub.give({ session, agent, input, inputId, answers, attachments }));
}

/** The files of a body: a list of `{ data, mediaType, name }`, with the bytes in Base64. */
function filesIn({ attachments = [] }: Readonly<Record<string, unknown>>): readonly NewAttachment[] {
  if (!Array.isArray(attachments) || !attachments.every(isPlainObject))
    throw new BadRequest(400, "attachments is no list of objects: send [{ data, mediaType, name }].");
  return attachments.map(({ data, mediaType, name }) => asGiven(() => readFile({ data, mediaType, name })));
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
  return accepted(await hub.give({ session: id, input: answer, answers: callId }));
}

async function postResume({ hub, id, request, maxBody }: Routed): Promise<Response> {
  await bodyOf(request, { fields: [], most: maxBody });
  await storedSession(hub, id);
  return accepted(await hub.give({ session: id }));
}

async function postAbort({ hub, id, request, maxBody }: Routed): Promise<Response> {
  const body = await bodyOf(request, { fields: ["reason"], most: maxBody });
  if (await hub.abort(id, textField(body, "reason"))) return json(202, { session: id });
  throw new BadRequest(409, `No run that this server can reach works on the session ${id}.`);
}

/** A copy of a session up to a record, to go on from there in another way. */
async function postFork({ hub, id, request, maxBody }: Routed): Promise<Response> {
  const body = await bodyOf(request, { fields: ["at", "to"], most: maxBody });
  await storedSession(hub, id);
  const { at } = body;
  if (at !== undefined && !(Number.isSafeInteger(at) && Number(at) >= 0))
    throw new BadRequest(400, "at is no number of a record.");
  const to = textField(body, "to");
  const session = await hub.fork(id, { ...(typeof at === "number" && { at }), to });
  return json(201, { session });
}

function accepted({ session, inputId, waits }: HostedRun): Response {
  return json(202, { session, ...(inputId !== undefined && { inputId }), waits });
}

function isInput(input: unknown): input is Input {
  return (typeof input === "string" && !isBlank(input)) || isPlainObject(input);
}
