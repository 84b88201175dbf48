// The sessions of agents that calls run: they are known by their ids, which are the ids of the calls.

import type { JournalRecord, Session } from "../../core/index.js";

/** The id of a call: `<session>/<life>/<run>/call:<iteration>:<place>`, and a later life if there is one. */
const callId = /^(.+)\/[^/]+\/\d+\/call:\d+:\d+(?::[^:/]+)?$/;

/**
 * The id of the session that the tree of agents begins with, for the session of an agent that a call runs. The id itself for any other
 * session. A list for people leaves out the sessions whose root is another session.
 */
export function rootOf(id: string): string {
  let root = id;
  for (let parent = callId.exec(root)?.[1]; parent !== undefined; parent = callId.exec(root)?.[1]) root = parent;
  return root;
}

/**
 * Reads the sessions of the agents that these records' calls run, and of the agents below those agents. They are plain data by id.
 * Sessions that are gone are left out.
 */
export async function plainChildren(
  records: readonly JournalRecord[],
  read: (id: string) => Promise<Session>,
): Promise<Pick<Session, "children">> {
  const found: Record<string, Session> = {};
  for (const record of records) {
    if (record.type !== "child") continue;
    const { children = {}, ...session } = await read(record.callId);
    if (session.records.length === 0) continue;
    found[session.id] = session;
    Object.assign(found, children);
  }
  return Object.keys(found).length === 0 ? {} : { children: found };
}
