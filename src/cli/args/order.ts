// Orders: the task of the command, in the words of a command line that are not options.

import { wrong } from "./options.js";

/** The task of the command. */
export type Order =
  | { readonly do: "demo" | "help" | "version" }
  | { readonly do: "list" }
  /** Deletes the sessions that were not used for this many milliseconds. */
  | { readonly do: "prune"; readonly age: number }
  | { readonly do: "run"; readonly task: string }
  /** Without an id: a new conversation. */
  | { readonly do: "chat"; readonly id: string | undefined }
  /** Without an answer: resumes the last run. */
  | { readonly do: "resume"; readonly id: string; readonly answer: string | undefined; readonly more: boolean }
  | { readonly do: "show"; readonly id: string }
  /** Without `write`, only says what it would do. */
  | { readonly do: "repair"; readonly id: string; readonly write: boolean }
  | { readonly do: "fork"; readonly id: string; readonly at: number | undefined };

/**
 * Reads the words that are not options.
 * @throws LastcallError `configuration` for words that are not an order.
 */
export function readOrder(
  words: readonly string[],
  { more, write }: { readonly more: boolean; readonly write: boolean },
): Order {
  const [first = "", second = "", third, ...rest] = words;
  if (words.length === 0) return { do: "demo" };
  if (first === "sessions" && words.length === 1) return { do: "list" };
  if (first === "resume" && words.length > 1 && rest.length === 0) {
    if (third?.trim() === "") throw wrong("The answer is empty; leave it out to go on without one");
    return { do: "resume", id: second, answer: third, more };
  }
  if (first === "chat" && words.length <= 2) return { do: "chat", id: words[1] };
  if (first === "show" && words.length === 2) return { do: "show", id: second };
  if (first === "repair" && words.length === 2) return { do: "repair", id: second, write };
  if (first === "fork" && words.length === 2) return readFork(second);
  if (first === "prune" && words.length === 2) return { do: "prune", age: readAge(second) };
  if (["resume", "show", "fork", "repair"].includes(first)) throw wrong(`lastcall ${first} needs the id of a session`);
  if (words.length > 1) {
    throw wrong(`The task must be one word to the shell, but there are ${String(words.length)}; put it in quotes`);
  }
  if (first.trim() === "") throw wrong("The task is empty; say what to do");
  return { do: "run", task: first };
}

const ageUnits: Readonly<Record<string, number>> = { h: 3_600_000, d: 24 * 3_600_000, w: 7 * 24 * 3_600_000 };

function readAge(word: string): number {
  const [, number = "", unit = ""] = /^([1-9]\d{0,4})([hdw])$/.exec(word) ?? [];
  const age = Number(number) * (ageUnits[unit] ?? 0);
  if (age > 0) return age;
  throw wrong(`${JSON.stringify(word)} is no age of sessions to delete, such as 12h, 30d or 4w`);
}

function readFork(word: string): Order {
  const [, id = "", at] = /^(.+?)(?:@(\d{1,9}))?$/.exec(word) ?? [];
  if (id === "")
    throw wrong(`${JSON.stringify(word)} is no session and record to fork, for example 20260101-1200-abcd@42`);
  return { do: "fork", id, at: at === undefined ? undefined : Number(at) };
}
