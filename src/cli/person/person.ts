// The person at the terminal, who answers questions.

import { createInterface } from "node:readline/promises";

/** A person who can be asked. */
export interface Person {
  /** The answer, one line; undefined if the input ended or the signal aborted before. */
  ask(question: string, signal: AbortSignal): Promise<string | undefined>;
}

/** The person at these streams. Ctrl-C calls `interrupt`, because readline catches it during a question. */
export function personAt(input: NodeJS.ReadableStream, output: NodeJS.WritableStream, interrupt: () => void): Person {
  return {
    async ask(question, signal) {
      const lines = createInterface({ input, output, terminal: true });
      const ended = new AbortController();
      const stop = (): void => {
        ended.abort();
      };
      lines.on("SIGINT", interrupt).on("close", stop);
      signal.addEventListener("abort", stop, { once: true });
      try {
        signal.throwIfAborted();
        return await lines.question(question, { signal: ended.signal });
      } catch {
        return undefined;
      } finally {
        signal.removeEventListener("abort", stop);
        lines.close();
      }
    },
  };
}

/** Asks a question with yes or no. Anything but a clear yes is no. */
export async function confirm(person: Person, question: string, signal: AbortSignal): Promise<boolean> {
  const answer = await person.ask(`${question} [y/N] `, signal);
  return /^\s*y(?:es)?\s*$/i.test(answer ?? "");
}
