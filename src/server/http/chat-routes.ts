// The routes of a chat: what `useChat` of the AI SDK asks a server for.

import { hasNoEnd, runState, waitingIn, takes } from "../../core/internal.js";
import { LastcallError, systemRuntime, type ClientTool, type JournalRecord } from "../../core/index.js";
import { openSession, recordsAfter, type Store } from "../../memory/index.js";
import { replyMessageId } from "../chat/chat-ids.js";
import { chatMessages } from "../chat/chat-messages.js";
import { readChatRequest, type ChatAnswer, type ChatNews } from "../chat/chat-request.js";
import { messageChunks, type StreamedMessage } from "../chat/chat-stream.js";
import { answeredBefore, endIn, nextAnswer, unanswered, wordsInput } from "../chat/chat-turn.js";
import { replyIds } from "../chat/message-split.js";
import type { ChatChunk } from "../chat/ui-chunk.js";
import type { HostedRun } from "../../host/index.js";
import { withoutPlaces } from "../hub/without-places.js";
import { readMessage } from "../../host/host-parts.js";
import { asGiven, BadRequest, json, objectIn } from "../answer/json-answer.js";
import { sse, type SentEvent } from "../answer/event-stream.js";
import { stopWith } from "../answer/client-stop.js";
import type { Route, Routed } from "../answer/routed.js";

/** The headers by which a page knows the stream of a message. */
const streamHeaders = { "x-vercel-ai-ui-message-stream": "v1", "cache-control": "no-cache" };

/** The routes of a chat, by method and path. */
export const chatRoutes: Readonly<Record<string, Route>> = {
  "POST /chat": postChat,
  "GET /chat/:id/messages": getMessages,
  "GET /chat/:id/stream": getStream,
  "POST /chat/:id/stop": postStop,
};

/** The routes of a chat whose answers are streams. */
export const chatStreaming: readonly string[] = ["POST /chat", "GET /chat/:id/stream"];

/** A chat whose request was read, with the records of its session. */
interface Turn extends Routed {
  readonly agent: string | undefined;
  /** The tools that the page carries out. */
  readonly clientTools: readonly ClientTool[] | undefined;
  readonly records: readonly JournalRecord[];
}

async function postChat(routed: Routed): Promise<Response> {
  const { hub, request, maxBody } = routed;
  const body = await objectIn(request, maxBody);
  const { chat, agent, tools: clientTools, news } = asGiven(() => readChatRequest(body));
  const id = await hub.idOf(asGiven(() => openSession({ store: hub.store, id: chat })).id);
  const turn: Turn = { ...routed, id, agent, clientTools, records: await recordsOf(routed, id) };
  switch (news.type) {
    case "words":
      return say(turn, news);
    case "answers":
      return answer(turn, news.answers);
    case "again":
      return goOn(turn);
  }
}

/** Words of the user. The message that replies to them is streamed from its start. */
async function say(turn: Turn, words: Extract<ChatNews, { readonly type: "words" }>): Promise<Response> {
  const { hub, id, agent, clientTools, records } = turn;
  const messageId = replyMessageId(words.id);
  const taken = records.find((record) => takes(record, { inputId: words.id }));
  if (taken === undefined) {
    const started = await hub.give({ session: id, agent, clientTools, ...wordsInput(words) });
    return streamed(turn, { messageId, from: 0, endsFrom: 0 }, started);
  }
  if ("text" in taken && taken.text !== words.text)
    throw new BadRequest(
      409,
      "The message was sent before with other words, and the journal keeps them: send the new words as a new message.",
    );
  return streamed(turn, { messageId, from: 0, endsFrom: endIn(records) ?? records.length });
}

/** Answers to calls that wait. The message that asked goes on; the page has its beginning. */
async function answer(turn: Turn, answers: readonly ChatAnswer[]): Promise<Response> {
  const { hub, id, agent, clientTools, records } = turn;
  const messageId = replyIds(records).at(-1) ?? "";
  let known = records;
  let endsFrom = records.length;
  let started: HostedRun | undefined;
  // A page answers the calls of a step together, and a session waits for one after the other.
  for (let left = unanswered(records, answers); left.length > 0; left = unanswered(known, left)) {
    const next = nextAnswer(known, left, systemRuntime.now());
    if (next === undefined) break;
    endsFrom = known.length;
    started = await hub.give({ session: id, agent, clientTools, ...next });
    if (left.length === 1) break;
    await hub.endOf(started);
    known = await recordsOf(turn, id);
  }
  if (started !== undefined) return streamed(turn, { messageId, from: records.length, endsFrom }, started);
  const before = answeredBefore(records, answers);
  if (before !== undefined)
    return streamed(turn, { messageId, from: before, endsFrom: endIn(records) ?? records.length });
  throw new BadRequest(
    409,
    "No call waits for what the request has: load the messages of the chat again, or send words.",
  );
}

/** Tries again: a run that failed, stopped or was aborted goes on. The page has dropped its message, and gets the whole message. */
async function goOn(turn: Turn): Promise<Response> {
  const { hub, id, clientTools, records } = turn;
  const messageId = replyIds(records).at(-1);
  const message = { messageId: messageId ?? "", from: 0, endsFrom: records.length };
  if (messageId !== undefined && hasNoEnd(records)) return streamed(turn, message);
  const state = runState(records);
  if (state === undefined || state === "completed" || state === "waiting")
    throw new BadRequest(
      409,
      "An answer that is whole is not made again, because its calls have had effects. Send new words, or fork the session and open it as another chat.",
    );
  return streamed(turn, message, await hub.give({ session: id, clientTools }));
}

/** The messages of a chat, for the first load of a page. */
async function getMessages(routed: Routed): Promise<Response> {
  const records = await recordsOf(routed, routed.id);
  return json(200, { messages: chatMessages(records, chatOf(routed)), running: hasNoEnd(records) });
}

/** The message that is being written, from its start. 204 if none is. */
async function getStream(routed: Routed): Promise<Response> {
  const { hub, id } = routed;
  const records = await recordsOf(routed, id);
  const messageId = replyIds(records).at(-1);
  if (messageId !== undefined && hasNoEnd(records))
    return streamed({ ...routed, records }, { messageId, from: 0, endsFrom: records.length });
  const inputs = (await hub.store.messages(id)).map(readMessage);
  // An answer goes on with the message that asked. An answer that comes late begins nothing.
  const due = waitingIn(records, systemRuntime.now())?.id;
  if (messageId !== undefined && inputs.some(({ answers }) => answers !== undefined && answers === due))
    return streamed({ ...routed, records }, { messageId, from: 0, endsFrom: records.length });
  const words = inputs.find(({ answers }) => answers === undefined);
  if (words === undefined) return new Response(null, { status: 204 });
  return streamed({ ...routed, records }, { messageId: replyMessageId(words.inputId), from: 0, endsFrom: 0 });
}

async function postStop({ hub, id, request, maxBody }: Routed): Promise<Response> {
  await objectIn(request, maxBody);
  return json(200, { stopped: await hub.abort(id, "stopped by the user") });
}

/** The stream of one message. A client that hangs up ends it, and no run. */
function streamed(routed: Routed & Pick<Turn, "records">, message: StreamedMessage, started?: HostedRun): Response {
  const { hub, id, keepAlive, records } = routed;
  const stop = stopWith(routed.request);
  const frames = hub.frames(id, undefined, stop.signal);
  const ended: { fault?: string } = {};
  if (started !== undefined) void stopWithRun(started, routed, { stop, ended });
  const answered = new Set(records.flatMap((record) => (record.type === "answer" ? [record.answers] : [])));
  const chunks = messageChunks({ frames, options: { ...chatOf(routed), answered } }, message);
  return sse(sent(chunks, ended, hub.store), { stop, keepAlive, headers: streamHeaders });
}

/** The form of a chat, and the address of its files. */
function chatOf({ chat, path, id }: Routed): Routed["chat"] & { readonly files: string } {
  return { ...chat, files: `${path}/sessions/${encodeURIComponent(id)}/attachments/` };
}

/**
 * Ends the stream of a run that left no end in the journal, since nothing more will come: it was suspended, its store failed, or no run
 * took the input.
 */
async function stopWithRun(
  run: HostedRun,
  routed: Routed,
  { stop, ended }: { readonly stop: AbortController; readonly ended: { fault?: string } },
): Promise<void> {
  const { inputId } = run;
  const end = await routed.hub.endOf(run);
  if (end.status !== "failed" && end.status !== "aborted") return;
  const records = await recordsOf(routed, routed.id).catch(() => []);
  // Another input may have begun the run, such as an answer to the same call.
  const isTaken = inputId === undefined || end.joined === true || records.some((record) => takes(record, { inputId }));
  if (isTaken && endIn(records) !== undefined) return;
  if (end.status === "failed" || !isTaken) ended.fault = withoutPlaces(end.message ?? end.status, routed.hub.store);
  stop.abort();
}

/** The chunks as events. A fault is told to the page as its last chunk: it can read the message again once the store is there. */
async function* sent(
  chunks: AsyncGenerator<ChatChunk, boolean, void>,
  ended: { fault?: string },
  store: Store,
): AsyncGenerator<SentEvent, void, void> {
  let isWhole = false;
  try {
    let next = await chunks.next();
    for (; next.done !== true; next = await chunks.next()) yield { data: JSON.stringify(next.value) };
    isWhole = next.value;
  } catch (thrown) {
    if (!(thrown instanceof LastcallError)) throw thrown;
    ended.fault ??= withoutPlaces(thrown.message, store);
  } finally {
    await chunks.return(false);
  }
  if (!isWhole && ended.fault === undefined)
    throw new Error("The message goes on elsewhere: connect to its stream again.");
  if (ended.fault !== undefined) yield { data: JSON.stringify({ type: "error", errorText: ended.fault }) };
  yield { data: "[DONE]" };
}

function recordsOf({ hub }: Routed, id: string): Promise<readonly JournalRecord[]> {
  return recordsAfter({ store: hub.store, id });
}
