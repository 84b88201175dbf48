// The person at the terminal, who answers questions.

import { createInterface } from "node:readline/promises";
import type { ReadStream } from "node:tty";

/** A person who can be asked. */
export interface Person {
  /**
   * The answer, one line; undefined if the input ended or the signal aborted before. Keys that were typed before the question was shown
   * are no part of the answer.
   */
  ask(question: string, signal: AbortSignal): Promise<string | undefined>;
}

/** The terminal of a person. */
export interface PersonPlace {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  /** The present width of the terminal. */
  readonly columns: () => number;
  /** Called for Ctrl-C, which readline catches during a question. */
  readonly interrupt: () => void;
}

/** The person at this terminal. Questions are wrapped at its width. */
export function personAt({ input, output, columns, interrupt }: PersonPlace): Person {
  return {
    async ask(question, signal) {
      const { folded } = await import("../display/width.js");
      const rows = folded(question, columns()).split("\n");
      const prompt = rows.pop() ?? "";
      output.write(rows.map((row) => `${row}\n`).join(""));
      await discardTyped(input, interrupt);
      const lines = createInterface({ input, output, terminal: true });
      const ended = new AbortController();
      const stop = (): void => {
        ended.abort();
      };
      lines.on("SIGINT", interrupt).on("close", stop);
      signal.addEventListener("abort", stop, { once: true });
      try {
        signal.throwIfAborted();
        return await lines.question(prompt, { signal: ended.signal });
      } catch {
        return undefined;
      } finally {
        signal.removeEventListener("abort", stop);
        lines.close();
      }
    },
  };
}

/** Milliseconds without a key after which everything typed before is read. */
const quiet = 30;

/**
 * Reads everything that was typed at a terminal so far, also a line that is not ended, and drops it: nobody can answer a question before
 * it is asked.
 */
async function discardTyped(input: PersonPlace["input"], interrupt: () => void): Promise<void> {
  const terminal = input as Partial<ReadStream>;
  if (terminal.isTTY !== true || terminal.isRaw === true) return;
  terminal.setRawMode?.(true);
  await new Promise<void>((resolve) => {
    const onData = (keys: Buffer | string): void => {
      if (keys.includes(ctrlC)) interrupt();
      timer.refresh();
    };
    const timer = setTimeout(() => {
      input.off("data", onData);
      input.pause();
      resolve();
    }, quiet);
    input.on("data", onData);
    input.resume();
  });
  terminal.setRawMode?.(false);
}

const ctrlC = "\u0003";

/** Asks a question with yes or no. Anything but a clear yes is no. */
export async function confirm(person: Person, question: string, signal: AbortSignal): Promise<boolean> {
  const answer = await person.ask(`${question} [y/N] `, signal);
  return /^\s*y(?:es)?\s*$/i.test(answer ?? "");
}
