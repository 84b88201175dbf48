// The answers for a page of one session, from the records that stand in it. It asks nobody.

import type { JournalRecord, Session } from "../../core/index.js";
import { promptAt, sessionStats } from "../../memory/index.js";
import { unpacked, type PackedSession } from "../../memory/stores.js";
import type { SessionSummary, StoreStats } from "../../server/index.js";
import type { Api, Prompt, Records } from "../data/server-api.js";

/** The session of a page, unpacked. */
export interface Opened {
  readonly packed: PackedSession;
  /** The session and the sessions below it, by id. */
  readonly sessions: ReadonlyMap<string, Session>;
}

/**
 * Unpacks the text of the element.
 * @throws Error with words for people if it is none.
 */
export async function opened(text: string): Promise<Opened> {
  const packed = (await unpacked(text.trim())) as PackedSession;
  const { session } = packed;
  const all = [session, ...Object.values(session.children ?? {})];
  return { packed, sessions: new Map(all.map((one) => [one.id, one])) };
}

/** The answers of a server, without one. Whatever would change a session is refused. */
export class PageApi implements Api {
  readonly #opened: Opened;

  constructor(page: Opened) {
    this.#opened = page;
  }

  agents(): ReturnType<Api["agents"]> {
    return Promise.resolve({ agents: [], readOnly: true, changes: false });
  }

  async sessions(): Promise<readonly SessionSummary[]> {
    return [await this.session(this.#opened.packed.session.id)];
  }

  session(id: string): Promise<SessionSummary> {
    const { summaries } = this.#opened.packed;
    const summary = Object.hasOwn(summaries, id) ? summaries[id] : undefined;
    return summary === undefined ? Promise.reject(missing(id)) : Promise.resolve(summary as unknown as SessionSummary);
  }

  lastRecords(id: string, count: number): Promise<Records> {
    return this.#part(id, (records) => records.slice(-count));
  }

  firstRecords(id: string, count: number): Promise<Records> {
    return this.#part(id, (records) => records.slice(0, count));
  }

  async record(id: string, seq: number): Promise<JournalRecord> {
    const record = this.#read(id).records[seq];
    if (record === undefined) throw missing(`${id}, record ${String(seq)}`);
    return record;
  }

  async redacted(id: string): Promise<readonly number[]> {
    const { redacted } = this.#opened.packed;
    return Object.hasOwn(redacted, id) ? (redacted[id] ?? []) : [];
  }

  async prompt(id: string, seq: number): Promise<Prompt> {
    const { system, tools, messages } = await promptAt(this.#read(id), seq);
    return { messages, ...(system !== undefined && { system }), ...(tools !== undefined && { tools }) };
  }

  async numbers(id: string = this.#opened.packed.session.id): Promise<StoreStats> {
    const below = [...this.#opened.sessions].filter(([one]) => one.startsWith(`${id}/`)).map(([, session]) => session);
    return { stats: await sessionStats([this.#read(id), ...below]), read: 1, of: 1, unreadable: 0 };
  }

  /** Nothing happens any more: it waits until nobody looks. */
  async *frames(_id: string, _after: string, signal: AbortSignal): ReturnType<Api["frames"]> {
    await new Promise((resolve) => {
      signal.addEventListener("abort", resolve, { once: true });
    });
    yield* [];
  }

  begin(): Promise<string> {
    return Promise.reject(onlyShown());
  }

  send(): Promise<void> {
    return Promise.reject(onlyShown());
  }

  approve(): Promise<void> {
    return Promise.reject(onlyShown());
  }

  resume(): Promise<void> {
    return Promise.reject(onlyShown());
  }

  abort(): Promise<void> {
    return Promise.reject(onlyShown());
  }

  fork(): Promise<string> {
    return Promise.reject(onlyShown());
  }

  changes(): ReturnType<Api["changes"]> {
    return Promise.reject(onlyShown());
  }

  turnBack(): ReturnType<Api["turnBack"]> {
    return Promise.reject(onlyShown());
  }

  page(): Promise<Blob> {
    return Promise.reject(onlyShown());
  }

  async #part(id: string, cut: (records: readonly JournalRecord[]) => readonly JournalRecord[]): Promise<Records> {
    return { records: cut(this.#read(id).records), more: false, cursor: "" };
  }

  #read(id: string): Session {
    const session = this.#opened.sessions.get(id);
    if (session === undefined) throw missing(id);
    return session;
  }
}

function missing(id: string): Error {
  return new Error(`This page does not have ${id}.`);
}

function onlyShown(): Error {
  return new Error("This page shows a session, and can't change it.");
}
