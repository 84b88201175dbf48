// The parts of a request that several routes read: numbers of its query, the session that its path names.

import type { StoredSession } from "../../memory/index.js";
import type { Hub } from "../hub/hub.js";
import { BadRequest } from "./json-answer.js";

/** The entry of the session. @throws BadRequest if there is none. */
export async function storedSession(hub: Hub, id: string): Promise<StoredSession> {
  const isIt = (stored: StoredSession): boolean => stored.id === id;
  // A session that somebody looks at was mostly used last.
  const found = (await hub.store.list({ most: 200 })).find(isIt) ?? (await hub.store.list()).find(isIt);
  if (found === undefined) throw new BadRequest(404, `There is no session ${id}.`);
  return found;
}

/** The number of a record in a path. */
export function recordNumber(seq: string): number {
  if (/^\d{1,15}$/.test(seq)) return Number(seq);
  throw new BadRequest(400, `${JSON.stringify(seq.slice(0, 40))} is no number of a record.`);
}

/** A whole number of the query. */
export function wholeIn(url: URL, name: string, usual: number, most: number): number {
  const text = url.searchParams.get(name);
  if (text === null) return usual;
  if (/^\d{1,16}$/.test(text) && Number(text) <= most) return Number(text);
  throw new BadRequest(400, `${name} is no whole number of at most ${String(most)}.`);
}
