// The person at the terminal: answers to questions, and a yes or no to what may change something.

import { createInterface } from "node:readline/promises";
import { isPlainObject, type FrozenCall } from "../core/index.js";
import { visible } from "./visible.js";

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

/** The whole call as it will run, nothing hidden. */
export function preview({ name, effect, input }: FrozenCall): string {
  const fields = isPlainObject(input) ? Object.entries(input) : [["input", input] as const];
  const lines = fields.flatMap(([field, value]) => {
    const text = visible(typeof value === "string" ? value : JSON.stringify(value), { multiline: true });
    return text.includes("\n")
      ? [`  ${visible(field)}:`, ...text.split("\n").map((line) => `    | ${line}`)]
      : [`  ${visible(field)}: ${text}`];
  });
  return [`${name} wants to ${effect ?? "run"}:`, ...lines].join("\n");
}
