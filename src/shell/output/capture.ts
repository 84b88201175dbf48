// Captures the output of a command as plain text: both ends for the result, and everything for watchers.

import { keepEnds } from "./output.js";
import { plainText } from "./plain-text.js";

/** Collects the output of a command. */
export interface Capture {
  /** For a command's `onOutput`. */
  readonly onOutput: (chunk: Uint8Array) => void;
  /** To be called once, when the command has ended. */
  end(): void;
  /** The whole text, or both ends. To be called after `end`. */
  text(): string;
}

/** Keeps the first `size` bytes and the last `size` bytes of the plain text. `onText` gets the whole text, piece by piece. */
export function capture(size: number, onText: (text: string) => void = () => undefined): Capture {
  const ends = keepEnds(size);
  const plain = plainText();
  const keep = (text: string): void => {
    if (text === "") return;
    ends.add(Buffer.from(text));
    onText(text);
  };
  return {
    onOutput(chunk) {
      keep(plain.add(chunk));
    },
    end() {
      keep(plain.end());
    },
    text: () => ends.text(),
  };
}
