// The store in memory, for tests and for sessions that need not outlive the process.

import type { AttachmentStore } from "../../core/index.js";
import { checkDigest } from "../disk/file-attachments.js";
import { changesHeard } from "./changes.js";
import { LockJudge, type Holder } from "../../lock/index.js";
import { TextsHere } from "./live-texts.js";
import { checkLine } from "./log-line.js";
import { checkId } from "./session-id.js";
import { lostLock, stillWritten } from "../disk/store-fault.js";
import type { Lock, Store, StoredMessage } from "./store.js";

interface Kept {
  lines: string[];
  updated: number;
  inbox: readonly StoredMessage[];
  readonly attachments: Map<string, Uint8Array>;
  held: { readonly by: Holder; renewed: number } | undefined;
}

/** The functions that are told about the changes of a session. */
type Listeners = Set<() => void>;

/** Keeps sessions until the process ends. `now` is the clock in milliseconds, for tests. Default: the machine's. */
export function memoryStore(now: () => number = Date.now): Store {
  const sessions = new Map<string, Kept>();
  const kept = (id: string): Kept => {
    const known = sessions.get(checkId(id));
    if (known !== undefined) return known;
    const fresh: Kept = { lines: [], updated: now(), inbox: [], attachments: new Map(), held: undefined };
    sessions.set(id, fresh);
    return fresh;
  };
  const listeners = new Map<string, Listeners>();
  const tell = (id: string): void => {
    for (const ring of listeners.get(id) ?? []) ring();
  };
  const judge = new LockJudge(now);
  const holderOf = (id: string): Holder | undefined => {
    const held = sessions.get(checkId(id))?.held;
    return held !== undefined && judge.counts(id, held.by, held.renewed) ? held.by : undefined;
  };
  return {
    name: "memory",
    live: new TextsHere(),
    async list() {
      return [...sessions].filter(([, { lines }]) => lines.length > 0).map(([id, { updated }]) => ({ id, updated }));
    },
    async read(id, from) {
      const lines = sessions.get(checkId(id))?.lines ?? [];
      return lines.length === 0 ? undefined : lines.slice(from);
    },
    changes: (id, signal) =>
      changesHeard((ring) => {
        const rings = listeners.get(checkId(id)) ?? new Set();
        listeners.set(id, rings.add(ring));
        return () => {
          rings.delete(ring);
          if (rings.size === 0) listeners.delete(id);
        };
      }, signal),
    async lock(id, holder) {
      const other = holderOf(id);
      const session = kept(id);
      if (other !== undefined) return other;
      const takenFrom = session.held?.by;
      session.held = { by: holder, renewed: now() };
      return { ...lockOf(id, session, holder, { now, tell }), ...(takenFrom !== undefined && { takenFrom }) };
    },
    async send(id, message) {
      const session = kept(id);
      if (!session.inbox.some((other) => other.id === message.id)) session.inbox = [...session.inbox, message];
    },
    async messages(id) {
      return sessions.get(checkId(id))?.inbox ?? [];
    },
    async drop(id, messages) {
      const session = kept(id);
      session.inbox = session.inbox.filter((message) => !messages.includes(message.id));
    },
    attachments: (id) => attachmentsOf(kept(id).attachments),
    async delete(id) {
      if (holderOf(id) !== undefined) throw stillWritten(id);
      const session = sessions.get(id);
      // A holder that lost its lock (it was stale) must not be able to write on.
      if (session !== undefined) session.held = undefined;
      sessions.delete(id);
      tell(id);
    },
  };
}

function attachmentsOf(kept: Map<string, Uint8Array>): AttachmentStore {
  return {
    async write(digest, bytes) {
      if (!kept.has(checkDigest(digest))) kept.set(digest, bytes.slice());
    },
    read: async (digest) => kept.get(checkDigest(digest))?.slice(),
    async remove(digest) {
      kept.delete(checkDigest(digest));
    },
  };
}

/** The clock of a store, and its way to tell that a session has changed. */
interface Means {
  readonly now: () => number;
  readonly tell: (id: string) => void;
}

function lockOf(id: string, session: Kept, holder: Holder, { now, tell }: Means): Lock {
  const holds = (): boolean => session.held?.by.id === holder.id;
  const mustHold = (): void => {
    if (!holds()) throw lostLock(id);
  };
  return {
    async append(lines) {
      mustHold();
      lines.forEach(checkLine);
      for (const line of lines) session.lines.push(line);
      session.updated = now();
      tell(id);
    },
    async cut(lines) {
      mustHold();
      session.lines = session.lines.slice(0, lines);
      tell(id);
    },
    async renew() {
      if (session.held !== undefined && holds()) session.held.renewed = now();
      return holds();
    },
    async release() {
      if (holds()) session.held = undefined;
    },
  };
}
