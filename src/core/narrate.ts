// Narrate: what a model yields while it responds, as watchers see it: the streamed field of a call as text, and a sign of life for the rest.

import { waiting } from "./abort.js";
import type { CallDelta, Event, ModelEvent } from "./event.js";
import { fieldReader, type FieldReader } from "./field.js";
import type { WrittenReply } from "./model.js";
import type { Runtime } from "./runtime.js";
import type { Toolbox } from "./toolbox.js";

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
  readonly reader: FieldReader | undefined;
  readonly isClaim: boolean;
  characters: number;
}

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
      yield { type: "text-delta", text: words, tool: name, ...(call.isClaim && { claim: true }) };
    } else if (now - shownAt >= interval) {
      shownAt = now;
      yield { type: "call-writing", index, name, characters: call.characters };
    }
  }

  const wait = waiting(signal);
  try {
    for (;;) {
      const next = await wait.for(source.next());
      if (next.done === true) return next.value;
      yield next.value;
      if (next.value.type === "call-delta") yield* written(next.value);
      else if (next.value.type === "reply-retracted") open.clear();
    }
  } finally {
    wait.end();
  }
}

function opened(tools: Toolbox, name: string): OpenCall {
  const { streams, ending } = tools.find(name)?.tool ?? {};
  return {
    reader: streams === undefined ? undefined : fieldReader(streams),
    isClaim: ending !== undefined && ending !== "never",
    characters: 0,
  };
}
