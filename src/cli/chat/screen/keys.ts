// Keys: what a person does at a terminal, key by key, with what was pasted as one piece.

import { emitKeypressEvents, type Key } from "node:readline";
import type { Readable } from "node:stream";

/** One thing that was done. */
export type Press =
  | {
      readonly type: "key";
      /** As readline names it: `return`, `up`, `backspace`, `a`, ... */
      readonly name: string;
      readonly ctrl: boolean;
      readonly meta: boolean;
      readonly shift: boolean;
    }
  | { readonly type: "text"; readonly text: string };

/** A terminal that keys come from. */
export type Terminal = Readable & { readonly isTTY?: boolean; setRawMode?(raw: boolean): unknown };

/** What makes a terminal say where a paste begins and ends, and what ends that. */
export const pasting = { on: "\u001b[?2004h", off: "\u001b[?2004l" };

/**
 * Calls `onPress` for everything that is done at the terminal, until the function that it returns is called. A line end within what
 * arrives at once is part of a paste, also where the terminal does not say so, and does not send what was typed so far.
 */
export function listen(input: Terminal, onPress: (press: Press) => void): () => void {
  const reader = new KeyReader(onPress);
  const onKey = (text: string | undefined, key: Key): void => {
    reader.take(text, key);
  };
  emitKeypressEvents(input);
  input.setRawMode?.(true);
  input.on("keypress", onKey).resume();
  return () => {
    input.off("keypress", onKey).pause();
    input.setRawMode?.(false);
  };
}

/** Puts pastes together. */
class KeyReader {
  readonly #onPress: (press: Press) => void;
  /** What was pasted so far; undefined outside of a paste. */
  #paste: string[] | undefined;
  /** What came in this turn of the event loop. */
  #batch: Press[] = [];

  constructor(onPress: (press: Press) => void) {
    this.#onPress = onPress;
  }

  take(text: string | undefined, key: Key): void {
    if (key.name === "paste-start") this.#paste = [];
    else if (key.name === "paste-end") {
      const pasted = this.#paste?.join("") ?? "";
      this.#paste = undefined;
      this.#add({ type: "text", text: clean(pasted) });
    } else if (this.#paste !== undefined) this.#paste.push(key.sequence ?? text ?? "");
    else this.#add(pressOf(text, key));
  }

  #add(press: Press): void {
    if (this.#batch.length === 0)
      setImmediate(() => {
        this.#flush();
      });
    this.#batch.push(press);
  }

  #flush(): void {
    const batch = this.#batch;
    this.#batch = [];
    const last = batch.findLastIndex(({ type }) => type === "text");
    const read = batch.map((press, index): Press =>
      isReturn(press) && index < last ? { type: "text", text: "\n" } : press,
    );
    joined(read).forEach(this.#onPress);
  }
}

/** The presses, with texts that follow each other as one: what arrives at once is taken and drawn at once. */
function joined(presses: readonly Press[]): readonly Press[] {
  const all: Press[] = [];
  for (const press of presses) {
    const before = all.at(-1);
    if (press.type === "text" && before?.type === "text")
      all.splice(-1, 1, { type: "text", text: before.text + press.text });
    else all.push(press);
  }
  return all;
}

function isReturn(press: Press): boolean {
  return press.type === "key" && press.name === "return" && !press.meta;
}

function pressOf(text: string | undefined, key: Key): Press {
  const { name = "", ctrl = false, meta = false, shift = false } = key;
  const isText =
    text !== undefined && !ctrl && !meta && !/^\p{Cc}/u.test(text) && name !== "return" && name !== "enter";
  return isText ? { type: "text", text } : { type: "key", name, ctrl, meta, shift };
}

/** What was pasted, or comes from elsewhere, as what can be typed: one kind of line ends, and nothing that a terminal would obey. */
export function clean(pasted: string): string {
  return pasted.replace(/\r\n?/g, "\n").replace(/(?![\n\t])\p{Cc}/gu, "");
}
