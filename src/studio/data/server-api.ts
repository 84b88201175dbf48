// The server's answers, as the page asks for them.

import type { Event, JournalRecord, Message, ToolDescription } from "../../core/index.js";
import type { SessionSummary, StoreStats, TurnedBack } from "../../server/index.js";

/** Characters of a text that lists and timelines get. The whole text comes on demand. */
const clip = 2000;

/** A frame of a session, as it comes over the wire. */
export type WireFrame = { readonly cursor: string } & (
  | { readonly record: JournalRecord; readonly event?: undefined; readonly reset?: undefined }
  | { readonly event: Event; readonly record?: undefined; readonly reset?: undefined }
  | { readonly reset: string; readonly record?: undefined; readonly event?: undefined }
);

/** The request of an iteration. */
export interface Prompt {
  readonly system?: string;
  readonly tools?: readonly ToolDescription[];
  readonly messages: readonly Message[];
}

/** Some records of a session. */
export interface Records {
  readonly records: readonly JournalRecord[];
  /** True if more records follow. */
  readonly more: boolean;
  /** The cursor behind the last record. */
  readonly cursor: string;
}

/** The answer to an approval. */
export interface Approval {
  readonly callId: string;
  readonly digest: string;
  readonly allowed: boolean;
  readonly reason?: string;
}

/** The changes of a session in its workspace. */
export interface Changes {
  /** The paths, the first of very many. */
  readonly paths: readonly string[];
  /** The number of all paths. */
  readonly count: number;
  /** The paths that a redo would make again. */
  readonly undone: readonly string[];
  /** True as long as a run or an undo is at work on them. */
  readonly isAtWork: boolean;
  /** The diff of the path that was asked for. */
  readonly diff?: string;
  readonly isCut?: boolean;
}

/** The terms of an undo: the iteration of the last run behind which it begins, and the plan that was seen. */
export interface TurnTerms {
  readonly after?: number | undefined;
  readonly dryRun?: boolean;
  readonly plan?: string;
}

/** The server refused a request, or could not be reached. */
export class ApiError extends Error {
  /** The HTTP status; 0 without an answer. */
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The browser's function that fetches. */
type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** The answers that the views ask for: of a server, or of a page that has one session. */
export type Api = Pick<ServerApi, keyof ServerApi>;

/** Asks the server. Each request brings the token. */
export class ServerApi {
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #fetch: Fetch;

  constructor(base: string, token: string | undefined, fetcher: Fetch) {
    this.#base = base;
    this.#headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    this.#fetch = fetcher;
  }

  agents(): Promise<{ readonly agents: readonly string[]; readonly readOnly: boolean; readonly changes: boolean }> {
    return this.#get("agents");
  }

  async sessions(): Promise<readonly SessionSummary[]> {
    const { sessions } = await this.#get<{ readonly sessions: readonly SessionSummary[] }>("sessions?limit=200");
    return sessions;
  }

  session(id: string): Promise<SessionSummary> {
    return this.#get(at(id));
  }

  /** The last records of a session. */
  lastRecords(id: string, count: number): Promise<Records> {
    return this.#get(`${at(id)}/records?last=${String(count)}&clip=${String(clip)}`);
  }

  /** The first records of a session. */
  firstRecords(id: string, count: number): Promise<Records> {
    return this.#get(`${at(id)}/records?limit=${String(count)}&clip=${String(clip)}`);
  }

  /** A record with its whole texts. */
  record(id: string, seq: number): Promise<JournalRecord> {
    return this.#get(`${at(id)}/records/${String(seq)}`);
  }

  /** The numbers of the records that lost a secret after they were written. A server has none. */
  redacted(_id: string): Promise<readonly number[]> {
    return Promise.resolve([]);
  }

  prompt(id: string, seq: number): Promise<Prompt> {
    return this.#get(`${at(id)}/prompt/${String(seq)}?clip=20000`);
  }

  /** Begins a session of an agent. Returns its id. */
  async begin(agent: string, input: string): Promise<string> {
    const { session } = await this.#post<{ readonly session: string }>("sessions", {
      ...{ agent, input, inputId: crypto.randomUUID() },
    });
    return session;
  }

  /** Gives a session words, or the answer to the question with this id. */
  async send(id: string, input: unknown, answers?: string): Promise<void> {
    await this.#post(`${at(id)}/runs`, {
      input,
      inputId: crypto.randomUUID(),
      ...(answers !== undefined && { answers }),
    });
  }

  async approve(id: string, approval: Approval): Promise<void> {
    await this.#post(`${at(id)}/approvals`, approval);
  }

  async resume(id: string): Promise<void> {
    await this.#post(`${at(id)}/resume`, {});
  }

  async abort(id: string): Promise<void> {
    await this.#post(`${at(id)}/abort`, { reason: "aborted in the studio" });
  }

  /** Copies a session up to a record. Returns the id of the copy. */
  async fork(id: string, seq: number): Promise<string> {
    const { session } = await this.#post<{ readonly session: string }>(`${at(id)}/fork`, { at: seq });
    return session;
  }

  /** The changes of a session, with the diff of one path if it is named. */
  changes(
    id: string,
    { after, path }: { readonly after?: number | undefined; readonly path?: string },
  ): Promise<Changes> {
    const query = new URLSearchParams();
    if (after !== undefined) query.set("after", String(after));
    if (path !== undefined) query.set("path", path);
    return this.#get(`${at(id)}/changes?${query.toString()}`);
  }

  /** Takes back what a session has changed, or makes it again. */
  turnBack(id: string, kind: "undo" | "redo", terms: TurnTerms): Promise<TurnedBack> {
    return this.#post(`${at(id)}/${kind}`, terms);
  }

  /** The numbers of a session. Without an id: of the sessions that were used last. */
  numbers(id?: string): Promise<StoreStats> {
    return this.#get(id === undefined ? "stats" : `${at(id)}/stats`);
  }

  /** The session as one page. */
  async page(id: string): Promise<Blob> {
    return (await this.#ask(`${at(id)}/page`, { headers: this.#headers })).blob();
  }

  /** Yields the frames of a session behind a cursor, until the connection ends. */
  async *frames(id: string, after: string, signal: AbortSignal): AsyncGenerator<WireFrame, void, void> {
    const path = `${at(id)}/events?after=${encodeURIComponent(after)}&clip=${String(clip)}`;
    const { body } = await this.#ask(path, { headers: this.#headers, signal });
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
    for (let text = ""; ;) {
      const piece = await reader?.read();
      if (piece === undefined || piece.done) return;
      const events = (text + piece.value).split("\n\n");
      text = events.pop() ?? "";
      for (const event of events) {
        const [, cursor = ""] = /^id: (.*)$/m.exec(event) ?? [];
        const [, data] = /^data: (.*)$/m.exec(event) ?? [];
        if (data !== undefined) yield { cursor, ...(JSON.parse(data) as object) } as WireFrame;
      }
    }
  }

  async #get<T>(path: string): Promise<T> {
    return (await (await this.#ask(path, { headers: this.#headers })).json()) as T;
  }

  async #post<T>(path: string, body: object): Promise<T> {
    const headers = { ...this.#headers, "content-type": "application/json" };
    return (await (await this.#ask(path, { method: "POST", headers, body: JSON.stringify(body) })).json()) as T;
  }

  async #ask(path: string, init: RequestInit): Promise<Response> {
    const response = await this.#fetch(`${this.#base}${path}`, init).catch((thrown: unknown) => {
      if (init.signal?.aborted === true) throw thrown;
      throw new ApiError(0, "The server can't be reached.");
    });
    if (response.ok) return response;
    const answer = (await response.json().catch(() => ({}))) as { readonly error?: string };
    const message = answer.error ?? `The server answers ${String(response.status)}.`;
    const remedy = response.status === 401 ? " Open the address that the server printed when it started." : "";
    throw new ApiError(response.status, `${message}${remedy}`);
  }
}

function at(id: string): string {
  return `sessions/${encodeURIComponent(id)}`;
}
