// The sessions that a dead process left: the sessions whose run is open, and the sessions with inputs that nobody took.

import type { Input, SentInput } from "../core/index.js";
import { isPlainObject, runState } from "../core/internal.js";
import type { Store, StoredMessage } from "../memory/index.js";
import { readStored } from "../memory/stores.js";
import { nameIn } from "./agents.js";
import type { Work } from "./delivery/delivery.js";
import { workOf } from "./work.js";

/**
 * The deliveries that go on with the sessions of these agents that were left: a delivery for each input that nobody took, oldest first,
 * or a delivery without an input if a run has no end, which takes the inputs. It reads each session that may be, one after the other. A
 * session that can't be read is passed over: its next opener learns why. A session that another process works on counts too: a process
 * that goes on with it waits for its lease.
 */
export async function leftIn(store: Store, agents: readonly string[]): Promise<readonly Work[]> {
  const left: Work[] = [];
  for (const session of (await store.unfinished?.()) ?? (await store.list()).map(({ id }) => id)) {
    const read = await Promise.all([readStored(store, session), store.messages(session)]).catch(() => undefined);
    if (read === undefined) continue;
    const [{ about, records }, messages] = read;
    const agent = nameIn(about);
    if (agent === undefined || !agents.includes(agent)) continue;
    const inputs = runState(records) === "open" ? [{}] : messages.map(readMessage);
    left.push(...inputs.map((input) => workOf({ session, agent, ...input })));
  }
  return left;
}

/**
 * The input that a message of an inbox is. An answer may be an object, such as an approval: it was sent as JSON. Words that only look like
 * an approval say no digest, and words approve nothing.
 */
export function readMessage({
  id,
  text,
}: StoredMessage): Pick<Work, "answers" | "attachments" | "by"> & { readonly input: Input; readonly inputId: string } {
  const { text: words, answers, attachments, by } = JSON.parse(text) as Omit<SentInput, "id">;
  const whose = by === undefined ? {} : { by };
  if (answers !== undefined) return { inputId: id, input: objectIn(words) ?? words, answers, ...whose };
  return { inputId: id, input: words, ...whose, ...(attachments !== undefined && { attachments }) };
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
