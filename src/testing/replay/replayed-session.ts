// The session of a replay: in memory, with the id of the recorded session, which nothing is written to.

import {
  LastcallError,
  type JournalRecord,
  type Lease,
  type OpenSession,
  type ReadableSession,
  type SentInput,
  type Session,
} from "../../core/index.js";
import type { Replaying } from "./replaying.js";

/** The session that the replay writes. Messages that the user sent during the recorded run come at the same iteration. */
export class ReplayedSession implements OpenSession, ReadableSession {
  readonly id: string;
  readonly #replaying: Replaying;
  readonly #records: JournalRecord[];
  readonly #dropped = new Set<string>();

  constructor(replaying: Replaying) {
    const { session, given } = replaying.recording;
    this.id = session.id;
    this.#replaying = replaying;
    this.#records = session.records.slice(0, given);
    for (const record of this.#records) replaying.reach(record);
  }

  get records(): readonly JournalRecord[] {
    return this.#records;
  }

  toJSON(): Promise<Session> {
    return Promise.resolve({ version: 1, id: this.id, records: this.#records });
  }

  lease(): Promise<Lease> {
    const records = [...this.#records];
    return Promise.resolve({
      records,
      signal: new AbortController().signal,
      child: () => {
        throw new LastcallError("configuration", "A replay runs no agent of a call: it would ask a model.");
      },
      append: (record) => {
        this.#records.push(record);
        this.#replaying.reach(record);
        return Promise.resolve();
      },
      stored: () => Promise.resolve(),
      inbox: () => Promise.resolve(this.#sent()),
      drop: (ids) => {
        for (const id of ids) this.#dropped.add(id);
        return Promise.resolve();
      },
      release: () => Promise.resolve(),
    });
  }

  send(): Promise<SentInput> {
    return Promise.reject(new LastcallError("configuration", "Nothing can be sent to a replay."));
  }

  #sent(): readonly SentInput[] {
    const { recording, place, clock } = this.#replaying;
    return recording.steers(place).flatMap(({ sent: id, text, attachments, at }) => {
      if (this.#dropped.has(id)) return [];
      clock.reach(at);
      return [{ id, text, ...(attachments !== undefined && { attachments }) }];
    });
  }
}
