// Capture: what a command prints, as plain text: both ends of it kept, and all of it for whoever watches.

import { keepEnds } from "./output.js";
import { plainText } from "./plain-text.js";

/** Gets what a command prints. */
export interface Capture {
  /** For a command's `onOutput`. */
  readonly onOutput: (chunk: Uint8Array) => void;
  /** Says that the command is over. To be called once. */
  end(): void;
  /** The whole text, or both ends of it. Once it is over. */
  text(): string;
}

/** Keeps the first `size` bytes of the plain text and the last; `onText` gets all of it, piece by piece. */
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
