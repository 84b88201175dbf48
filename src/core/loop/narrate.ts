// Narrate: what a model yields while it responds, as watchers see it: the streamed field of a call as text, all of it by the reply's end, and
// a sign of life for the rest.

import { waiting } from "../time/abort.js";
import type { WrittenCall } from "../data/call.js";
import type { CallDelta, Event, ModelEvent, TextDelta } from "../ports/event.js";
import { fieldReader, wellFormed, type FieldReader } from "./json-field.js";
import { isPlainObject } from "../data/json.js";
import type { WrittenReply } from "../ports/model.js";
import type { Runtime } from "../time/runtime.js";
import type { Toolbox } from "../ports/toolbox.js";

/** What it needs to know. */
export interface Narration {
  readonly tools: Toolbox;
  readonly runtime: Pick<Runtime, "now">;
  readonly signal: AbortSignal;
}

/** Milliseconds between two signs of life, and before the first. */
const interval = 1000;

/** A call that is being written. */
interface OpenCall {
  /** The tool's name as it was when the arguments began. */
  readonly name: string;
  readonly reader: FieldReader | undefined;
  /** What was shown of its field. */
  shown: string;
  characters: number;
}

type OpenCalls = ReadonlyMap<number, OpenCall>;

/** Passes on what the model yields until its reply is whole, or the signal aborts. */
export async function* narrate(
  source: AsyncGenerator<ModelEvent, WrittenReply, void>,
  { tools, runtime, signal }: Narration,
): AsyncGenerator<Event, WrittenReply, void> {
  const open = new Map<number, OpenCall>();
  let shownAt = runtime.now();

  function* written({ index, name, text }: CallDelta): Generator<Event, void, void> {
    const call = open.get(index) ?? opened(tools, name);
    open.set(index, call);
    call.characters += text.length;
    const words = call.reader?.write(text) ?? "";
    const now = runtime.now();
    if (words !== "") {
      shownAt = now;
      call.shown += words;
      yield saying(tools, { index, name: call.name }, words);
    } else if (now - shownAt >= interval) {
      shownAt = now;
      yield { type: "call-writing", index, name, characters: call.characters };
    }
  }

  const wait = waiting(signal);
  try {
    for (;;) {
      const next = await wait.for(source.next());
      if (next.done === true) {
        yield* rest(tools, next.value, open);
        return next.value;
      }
      yield next.value;
      if (next.value.type === "call-delta") yield* written(next.value);
      else if (next.value.type === "reply-retracted") open.clear();
    }
  } finally {
    wait.end();
  }
}

function opened(tools: Toolbox, name: string): OpenCall {
  const field = tools.find(name)?.tool.streams;
  return { name, reader: field === undefined ? undefined : fieldReader(field), shown: "", characters: 0 };
}

function saying(tools: Toolbox, { index, name }: Pick<CallDelta, "index" | "name">, text: string): TextDelta {
  const ending = tools.find(name)?.tool.ending ?? "never";
  return { type: "text-delta", text, tool: name, index, ...(ending !== "never" && { claim: true }) };
}

/**
 * What is still to be seen of a reply that is whole: the rest of each streamed field; or, where what was shown is not how one begins, its
 * text and its fields anew. Of a reply that was cut or refused nothing more, as none of its calls will run.
 */
function* rest(tools: Toolbox, reply: WrittenReply, open: OpenCalls): Generator<Event, void, void> {
  if (reply.finish !== "complete") return;
  const fields = reply.calls.map((call) => fieldOf(tools, call));
  const isWrong = [...open].some(([index, { name, shown }]) => {
    if (shown === "" || reply.calls[index]?.type === "unreadable-call") return false;
    return reply.calls[index]?.name !== name || fields[index]?.startsWith(shown) !== true;
  });
  if (isWrong) {
    yield { type: "reply-retracted", reason: "What was shown of a call is not what the whole call says." };
    if (reply.text !== "") yield { type: "text-delta", text: reply.text };
  }
  for (const [index, { name }] of reply.calls.entries()) {
    const text = fields[index]?.slice(isWrong ? 0 : open.get(index)?.shown.length) ?? "";
    if (text !== "") yield saying(tools, { index, name }, text);
  }
}

/** What is to be seen of a call's streamed field; undefined where there is none, or no text. */
function fieldOf(tools: Toolbox, call: WrittenCall): string | undefined {
  const field = tools.find(call.name)?.tool.streams;
  if (field === undefined || call.type !== "call" || !isPlainObject(call.input)) return undefined;
  const value = Object.hasOwn(call.input, field) ? call.input[field] : undefined;
  return typeof value === "string" ? wellFormed(value) : undefined;
}
