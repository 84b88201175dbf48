// The reasoning of the model that a client has. It is told as it comes, and no record has it.

import type { AguiEvent, AguiMessage } from "./agui-event.js";
import type { Draft } from "./agui-draft.js";

/** The messages with reasoning that a client has. */
export class ClientReasoning {
  readonly #texts: Map<string, string>;
  /** The messages that came in this stream. */
  readonly #begun = new Set<string>();
  #open: string | undefined;
  /** The reasoning about a reply that is not kept yet. */
  #pending: string | undefined;
  /** A message that is void. A snapshot has to say so. */
  #void: string | undefined;

  constructor(messages: readonly Draft[]) {
    this.#texts = new Map(messages.map(({ id, content = "" }) => [id, content]));
  }

  /** True if the client has a message of this id from an earlier stream. */
  hasOld(id: string): boolean {
    return (this.#texts.get(id) ?? "") !== "" && !this.#begun.has(id);
  }

  /** Makes a message void. */
  void(id: string): void {
    this.#texts.set(id, "");
    this.#void = id;
  }

  /** Adds a piece. Returns the events for it. */
  add(id: string, delta: string): readonly AguiEvent[] {
    const isNew = this.#open !== id;
    const ended = isNew ? this.end() : [];
    this.#begun.add(id);
    this.#pending = id;
    this.#open = id;
    this.#texts.set(id, (this.#texts.get(id) ?? "") + delta);
    const begun: readonly AguiEvent[] = [
      { type: "REASONING_START", messageId: id },
      { type: "REASONING_MESSAGE_START", messageId: id, role: "reasoning" },
    ];
    return [...ended, ...(isNew ? begun : []), { type: "REASONING_MESSAGE_CONTENT", messageId: id, delta }];
  }

  /** The reply is kept, and so is the reasoning about it. */
  keep(): void {
    this.#pending = undefined;
  }

  /** The reply is not kept. Returns true if there was reasoning about it, which is void now. */
  voidPending(): boolean {
    const pending = this.#pending;
    this.#pending = undefined;
    if (pending !== undefined) this.void(pending);
    return pending !== undefined;
  }

  /** Ends the message that is open. */
  end(): readonly AguiEvent[] {
    const messageId = this.#open;
    this.#open = undefined;
    if (messageId === undefined) return [];
    return [
      { type: "REASONING_MESSAGE_END", messageId },
      { type: "REASONING_END", messageId },
    ];
  }

  /**
   * The reasoning in a snapshot. A client keeps its own if there is none in it. So it is told only if some is void: that leaves with the
   * snapshot, or is empty if it was all there was.
   */
  told(): readonly AguiMessage[] {
    if (this.#void === undefined) return [];
    const kept = [...this.#texts].filter(([, text]) => text !== "");
    return (kept.length > 0 ? kept : [[this.#void, ""] as const]).map(([id, content]) => ({
      id,
      role: "reasoning",
      content,
    }));
  }
}
