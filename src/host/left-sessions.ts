// The sessions that a dead process left: those with a run that has no end, and those with inputs that nobody took.

import type { Input, SentInput } from "../core/index.js";
import { isPlainObject } from "../core/internal.js";
import { openSession, type Store, type StoredMessage } from "../memory/index.js";
import { isOpen } from "./delivery/told.js";

/** A session that somebody has to go on with. */
export interface LeftSession {
  readonly id: string;
  /** The name of its agent. */
  readonly agent: string;
  /** The inputs that nobody took, oldest first. None if a run has no end: going on with it takes them. */
  readonly inputs: readonly LeftInput[];
}

/** An input that nobody took. */
export interface LeftInput {
  readonly inputId: string;
  readonly input: Input;
  readonly answers?: string | undefined;
}

/**
 * The sessions of these agents that were left. It reads each session that may be, one after the other. One that can't be read is passed
 * over: whoever opens it learns why. A session that another process works on counts too: whoever goes on with it waits for its lease.
 * `only` is a session to look at alone.
 */
export async function leftIn(store: Store, agents: readonly string[], only?: string): Promise<readonly LeftSession[]> {
  const left: LeftSession[] = [];
  const all = async (): Promise<readonly string[]> =>
    (await store.unfinished?.()) ?? (await store.list()).map(({ id }) => id);
  for (const id of only === undefined ? await all() : [only]) {
    const session = openSession({ store, id });
    const read = await Promise.all([session.about(), session.toJSON(), store.messages(id)]).catch(() => undefined);
    if (read === undefined) continue;
    const [about, plain, messages] = read;
    if (typeof about?.["agent"] !== "string" || !agents.includes(about["agent"])) continue;
    const goesOn = isOpen(plain.records);
    if (goesOn || messages.length > 0)
      left.push({ id, agent: about["agent"], inputs: goesOn ? [] : messages.map(readMessage) });
  }
  return left;
}

/**
 * The input that a message of an inbox is. An answer may be an object, such as an approval: it was sent as JSON. Words that only look like
 * an approval say no digest, and words approve nothing.
 */
export function readMessage({ id, text }: StoredMessage): LeftInput {
  const { text: words, answers } = JSON.parse(text) as Omit<SentInput, "id">;
  if (answers === undefined) return { inputId: id, input: words };
  return { inputId: id, input: objectIn(words) ?? words, answers };
}

function objectIn(words: string): Exclude<Input, string> | undefined {
  try {
    const value = JSON.parse(words) as unknown;
    if (!isPlainObject(value)) return undefined;
    const isNamed = typeof value["allowed"] !== "boolean" || typeof value["digest"] === "string";
    return isNamed ? (value as Exclude<Input, string>) : undefined;
  } catch {
    return undefined;
  }
}
