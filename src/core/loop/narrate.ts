// Narrate: turns the chunks of a reply into events. The streamed field of a call becomes text; other long arguments get a sign of life.

import type { EarlyStart } from "../call/start-early.js";
import type { WrittenCall } from "../data/call.js";
import { drive } from "../time/drive.js";
import type { CallDelta, ModelEvent, TextDelta, Stage } from "../ports/event.js";
import { fieldReader, type FieldReader } from "../call/json-field.js";
import { isPlainObject } from "../data/json.js";
import type { WrittenReply } from "../ports/model.js";
import type { Runtime } from "../time/runtime.js";
import type { Toolbox } from "../ports/toolbox.js";
import { wait } from "../time/stage.js";

/** The tools of the agent, its clock, and the signal that ends the wait for the model. */
export interface NarrateOptions {
  readonly tools: Toolbox;
  readonly runtime: Pick<Runtime, "now" | "sleep">;
  readonly signal: AbortSignal;
  /** Begins calls that are whole while the reply arrives; undefined if none may. */
  readonly early: EarlyStart | undefined;
}

/** Milliseconds without text of a call before a `call-writing` event, and between two such events. */
const writingInterval = 1000;

/** A call that the model is writing. */
interface OpenCall {
  /** The name of the tool in the first chunk of the arguments. A later chunk may have a longer name. */
  readonly name: string;
  readonly reader: FieldReader | undefined;
  /** The text of the field that watchers have seen. */
  shown: string;
  characters: number;
}

type OpenCalls = ReadonlyMap<number, OpenCall>;

/**
 * Yields the model's events and the text of streamed fields. Returns the whole reply. A model that is left before its reply is whole is
 * returned, so that its `finally` runs; it gets a second to stop.
 * @throws the reason of the signal when it aborts, and whatever the model throws.
 */
export function* narrate(
  source: AsyncGenerator<ModelEvent, WrittenReply, void>,
  { tools, runtime, signal, early }: NarrateOptions,
): Stage<WrittenReply> {
  const open = new Map<number, OpenCall>();
  let shownAt = runtime.now();

  function* showDelta({ index, name, text }: CallDelta): Stage {
    const call = open.get(index) ?? openCall(tools, name);
    open.set(index, call);
    call.characters += text.length;
    const words = call.reader?.write(text) ?? "";
    const now = runtime.now();
    if (words !== "") {
      shownAt = now;
      call.shown += words;
      yield textOf(tools, { index, name: call.name }, words);
    } else if (now - shownAt >= writingInterval) {
      shownAt = now;
      yield { type: "call-writing", index, name, characters: call.characters };
    }
  }

  const model = drive(source, signal, runtime);
  try {
    for (;;) {
      const next = yield* wait(model.next());
      if (next.done === true) {
        early?.end(next.value.finish === "complete");
        yield* remainder(tools, next.value, open);
        return next.value;
      }
      yield next.value;
      if (next.value.type === "call-delta") {
        early?.write(next.value);
        yield* showDelta(next.value);
      } else if (next.value.type === "reply-retracted") {
        early?.clear();
        open.clear();
      }
    }
  } finally {
    early?.end(false);
    yield* wait(model.end());
  }
}

function openCall(tools: Toolbox, name: string): OpenCall {
  const field = tools.find(name)?.tool.streams;
  return { name, reader: field === undefined ? undefined : fieldReader(field), shown: "", characters: 0 };
}

function textOf(tools: Toolbox, { index, name }: Pick<CallDelta, "index" | "name">, text: string): TextDelta {
  const ending = tools.find(name)?.tool.ending ?? "never";
  return { type: "text-delta", text, tool: name, index, ...(ending !== "never" && { claim: true }) };
}

/**
 * Yields the text of a whole reply that watchers have not seen: the rest of each streamed field. If the shown text of a call does not match
 * its field, retracts all of the reply and shows its text and fields again. A reply that was cut or refused shows no more: its calls will
 * not run.
 */
function* remainder(tools: Toolbox, reply: WrittenReply, open: OpenCalls): Stage {
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
    if (text !== "") yield textOf(tools, { index, name }, text);
  }
}

/** The text of a call's streamed field; undefined if the call has no such field or the field is not text. */
function fieldOf(tools: Toolbox, call: WrittenCall): string | undefined {
  const field = tools.find(call.name)?.tool.streams;
  if (field === undefined || call.type !== "call" || !isPlainObject(call.input)) return undefined;
  const value = Object.hasOwn(call.input, field) ? call.input[field] : undefined;
  return typeof value === "string" ? value.toWellFormed() : undefined;
}
