// The sessions of the agents that calls of a run run: in the store of its session, or plain data within its session.

import type { JournalRecord } from "../journal/record.js";
import type { Lease, NewInput, OpenSession, ReadableSession, SentInput, Session } from "../journal/session.js";
import type { AroundRun, ChildSession } from "../ports/child-session.js";
import { PlainAttachments } from "./attachment-box.js";

/** A session, in a store or as plain data. */
type KeptSession = OpenSession & ReadableSession;

/** The sessions of one run's children, and of the agents below them. */
export class ChildSessions {
  readonly #lease: Lease | undefined;
  readonly #open = new Map<string, PlainChild>();
  /** The children as plain data. It grows in place, since records are added to each child as they happen. */
  readonly #kept: Record<string, Session> = {};

  constructor(kept: Session["children"], lease: Lease | undefined) {
    this.#lease = lease;
    for (const session of Object.values(kept ?? {})) this.#add(session);
  }

  /** The children of a session that is plain data. Undefined if there are none, or if a store has them. */
  get plain(): Session["children"] {
    return this.#open.size === 0 ? undefined : this.#kept;
  }

  /** The session of the agent that this call runs. A new session if the call has none yet. */
  open(callId: string): KeptSession {
    if (this.#lease !== undefined) return this.#lease.child(callId);
    return this.#open.get(callId) ?? this.#add({ version: 1, id: callId, records: [] });
  }

  /** The session that this call runs its agent in, and the sessions below it, by id. */
  async sessionsOf(callId: string): Promise<Readonly<Record<string, Session>>> {
    if (this.#lease === undefined) return this.#kept;
    const { children, ...session } = await this.#lease.child(callId).toJSON();
    return { ...children, [callId]: session };
  }

  #add(session: Session): PlainChild {
    const child = new PlainChild(session, (id) => this.open(id));
    this.#open.set(session.id, child);
    this.#kept[session.id] = child.plain;
    return child;
  }
}

/** The same session, whose runs are bound to the run around. */
export function guarded(child: KeptSession, around: AroundRun): ChildSession {
  return {
    id: child.id,
    around,
    lease: (onBusy) => child.lease(onBusy),
    send: (input) => child.send(input),
    toJSON: () => child.toJSON(),
  };
}

/** A session that is plain data, and that one run after the other works on. */
class PlainChild implements KeptSession {
  readonly id: string;
  readonly plain: Session;
  readonly #records: JournalRecord[];
  readonly #attachments: PlainAttachments;
  readonly #child: (id: string) => KeptSession;
  #inbox: readonly SentInput[] = [];
  #isLeased = false;

  constructor({ id, records, attachments = {} }: Session, child: (id: string) => KeptSession) {
    this.id = id;
    this.#records = [...records];
    this.#attachments = new PlainAttachments(attachments);
    this.#child = child;
    this.plain = plainView(id, this.#records, this.#attachments);
  }

  toJSON(): Promise<Session> {
    return Promise.resolve({ ...this.plain, records: [...this.#records] });
  }

  send({ id, text, answers }: NewInput): Promise<SentInput> {
    const sent = {
      id: id ?? `${this.id}/sent:${String(this.#inbox.length)}`,
      text,
      ...(answers !== undefined && { answers }),
    };
    this.#inbox = [...this.#inbox, sent];
    return Promise.resolve(sent);
  }

  lease(): Promise<Lease | undefined> {
    if (this.#isLeased) return Promise.resolve(undefined);
    this.#isLeased = true;
    return Promise.resolve({
      records: [...this.#records],
      signal: new AbortController().signal,
      attachments: this.#attachments,
      child: this.#child,
      append: (record) => {
        this.#records.push(record);
        return Promise.resolve();
      },
      stored: () => Promise.resolve(),
      inbox: () => Promise.resolve(this.#inbox),
      drop: (ids) => {
        this.#inbox = this.#inbox.filter(({ id }) => !ids.includes(id));
        return Promise.resolve();
      },
      release: () => {
        this.#isLeased = false;
        return Promise.resolve();
      },
    });
  }
}

/** The session as plain data that follows its records and its attachments. */
function plainView(id: string, records: readonly JournalRecord[], attachments: PlainAttachments): Session {
  return Object.defineProperty({ version: 1 as const, id, records }, "attachments", {
    enumerable: true,
    get: () => attachments.kept,
  });
}
