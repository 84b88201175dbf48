// Keys: the key presses at a terminal. A paste is one text.

import { emitKeypressEvents, type Key } from "node:readline";
import type { Readable } from "node:stream";

/** A key press, or a typed or pasted text. */
export type Press =
  | {
      readonly type: "key";
      /** The name that readline gives the key: `return`, `up`, `backspace`, `a`, ... */
      readonly name: string;
      readonly ctrl: boolean;
      readonly meta: boolean;
      readonly shift: boolean;
    }
  | { readonly type: "text"; readonly text: string };

/** The input of a terminal. */
export type Terminal = Readable & { readonly isTTY?: boolean; setRawMode?(raw: boolean): unknown };

/** The sequences that turn bracketed paste on and off. */
export const pasting = { on: "\u001b[?2004h", off: "\u001b[?2004l" };

/**
 * Calls `onPress` for each press, until the returned function is called. A line end before other text of the same chunk is part of a
 * paste, even if the terminal does not mark pastes. It does not send the input.
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

/** Joins the parts of pastes. */
class KeyReader {
  readonly #onPress: (press: Press) => void;
  /** The parts of the paste so far; undefined outside of a paste. */
  #paste: string[] | undefined;
  /** The presses of this turn of the event loop. */
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

/** Joins texts that follow each other, so that a chunk is drawn once. */
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

/** Makes a pasted or stored text like a typed text: line ends become `\n`, and control characters are dropped. */
export function clean(pasted: string): string {
  return pasted.replace(/\r\n?/g, "\n").replace(/(?![\n\t])\p{Cc}/gu, "");
}
