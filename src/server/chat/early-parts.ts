// The parts of a reply that is still being written: what a page sees before the journal has the reply.

import type { Event } from "../../core/index.js";
import type { ChatChunk } from "./ui-chunk.js";
import type { ReplyPart, SpokenTools } from "./reply-parts.js";

/** A part that is shown and that no record confirms yet. */
interface EarlyPart {
  readonly kind: ReplyPart["kind"];
  /** The place of its call in the reply; -1 for words outside of calls, and for reasoning. */
  readonly index: number;
  readonly id: string;
  readonly name: string;
  text: string;
  isClosed: boolean;
}

/** A piece of a part. */
type Piece = Pick<EarlyPart, "kind" | "index" | "name" | "text">;

/** Shows the pieces of a reply as they come, and settles them against the whole reply. */
export class EarlyParts {
  readonly #spoken: SpokenTools;
  #parts: EarlyPart[] = [];
  /** The keys of the calls of the reply up to the index; undefined while nobody knows them. */
  #request: string | undefined;
  #iteration: number | undefined;

  constructor(spoken: SpokenTools) {
    this.#spoken = spoken;
  }

  /** True if something is shown. */
  get isShown(): boolean {
    return this.#parts.length > 0;
  }

  /** Forgets all that is shown. */
  clear(): void {
    this.#parts = [];
  }

  /** The chunks for an event of a reply. `idOf` makes the id of the next part of words from its place in the step. */
  take(event: Event, idOf: (place: number) => string): readonly ChatChunk[] {
    if (event.type === "iteration-start") this.#iteration = event.iteration;
    else if (event.type === "request-start") this.#request = event.key;
    const piece = this.#pieceOf(event);
    return piece === undefined ? [] : this.#write(piece, idOf);
  }

  #pieceOf(event: Event): Piece | undefined {
    if (event.type === "reasoning-delta") return { kind: "reasoning", index: -1, name: "", text: event.text };
    if (event.type === "text-delta") {
      const { tool: name = "", index = -1, text } = event;
      // The text of any other tool is a part of its arguments, which come as well.
      return name === "" || this.#speaks(name) ? { kind: "text", index, name, text } : undefined;
    }
    if (event.type !== "call-delta" || event.name === "" || this.#speaks(event.name)) return undefined;
    const { index, name, text } = event;
    return { kind: "call", index, name, text };
  }

  #speaks(tool: string): boolean {
    return Object.hasOwn(this.#spoken, tool);
  }

  #write({ kind, index, name, text }: Piece, idOf: (place: number) => string): readonly ChatChunk[] {
    const known = this.#parts.find((part) => part.kind === kind && part.index === index && !part.isClosed);
    if (known !== undefined) {
      known.text += text;
      return [deltaOf(known, text)];
    }
    const id = kind === "call" ? this.#callId(index) : idOf(this.#parts.length);
    // Without its id, a call is shown once its reply is recorded.
    if (id === undefined) return [];
    const closed = this.#parts.flatMap((part) => closing(part));
    const part: EarlyPart = { kind, index, id, name, text, isClosed: false };
    this.#parts.push(part);
    return [...closed, opening(part), deltaOf(part, text)];
  }

  #callId(index: number): string | undefined {
    // The key of the request ends as the ids of its calls do: with a later life, if the run has one.
    const [, run, life = ""] = /^(.*)\/model:[^:]+(:[^:]+)?$/.exec(this.#request ?? "") ?? [];
    if (run === undefined || this.#iteration === undefined) return undefined;
    return `${run}/call:${String(this.#iteration)}:${String(index)}${life}`;
  }

  /**
   * The chunks that complete what is shown to the parts of the whole reply; undefined if what is shown is something else. `whole` makes the
   * chunks of a part that is not shown yet. Nothing is shown early after it.
   */
  settle(
    parts: readonly ReplyPart[],
    whole: (part: ReplyPart, place: number) => readonly ChatChunk[],
  ): readonly ChatChunk[] | undefined {
    const shown = this.#parts;
    this.clear();
    if (shown.length > parts.length || !shown.every((part, place) => isBeginningOf(part, parts[place])))
      return undefined;
    return parts.flatMap((part, place) => {
      const early = shown[place];
      if (early === undefined) return whole(part, place);
      // The last chunk of a call has its whole input, and does not depend on the pieces.
      if (part.kind === "call") return whole(part, place);
      const rest = part.text.slice(early.text.length);
      return [...(rest === "" ? [] : [deltaOf(early, rest)]), ...closing(early)];
    });
  }
}

/** True if the whole part begins as the part that is shown. A part that is closed has nothing to come. */
function isBeginningOf({ kind, id, name, text, isClosed }: EarlyPart, whole: ReplyPart | undefined): boolean {
  if (whole?.kind !== kind) return false;
  if (whole.kind === "call") return whole.call.id === id && whole.call.name === name;
  return isClosed ? whole.text === text : whole.text.startsWith(text);
}

function opening({ kind, id, name }: EarlyPart): ChatChunk {
  if (kind !== "call") return { type: `${kind}-start`, id };
  return { type: "tool-input-start", toolCallId: id, toolName: name, providerExecuted: true, dynamic: true };
}

function deltaOf({ kind, id }: EarlyPart, text: string): ChatChunk {
  if (kind === "call") return { type: "tool-input-delta", toolCallId: id, inputTextDelta: text };
  return { type: `${kind}-delta`, id, delta: text };
}

/** Ends words, so that a page does not show them as unfinished. A call is ended by its whole input. */
function closing(part: EarlyPart): readonly ChatChunk[] {
  if (part.isClosed || part.kind === "call") return [];
  part.isClosed = true;
  return [{ type: `${part.kind}-end`, id: part.id }];
}
