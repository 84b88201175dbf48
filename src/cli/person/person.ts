// The person at the terminal: answers to questions, and a yes or no.

import { createInterface } from "node:readline/promises";

/** Somebody who can be asked. */
export interface Person {
  /** The answer in one line; undefined where none came: the input ended, or the signal aborted. */
  ask(question: string, signal: AbortSignal): Promise<string | undefined>;
}

/** The person at these streams. `interrupt` is called for Ctrl-C, which readline takes for itself while it waits. */
export function personAt(input: NodeJS.ReadableStream, output: NodeJS.WritableStream, interrupt: () => void): Person {
  return {
    async ask(question, signal) {
      const lines = createInterface({ input, output, terminal: true });
      const over = new AbortController();
      const stop = (): void => {
        over.abort();
      };
      lines.on("SIGINT", interrupt).on("close", stop);
      signal.addEventListener("abort", stop, { once: true });
      try {
        signal.throwIfAborted();
        return await lines.question(question, { signal: over.signal });
      } catch {
        return undefined;
      } finally {
        signal.removeEventListener("abort", stop);
        lines.close();
      }
    },
  };
}

/** Asks yes or no; anything but a clear yes is no. */
export async function confirm(person: Person, question: string, signal: AbortSignal): Promise<boolean> {
  const answer = await person.ask(`${question} [y/N] `, signal);
  return /^\s*y(?:es)?\s*$/i.test(answer ?? "");
}
