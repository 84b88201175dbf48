// Server life: the connection of one server, opened when it is needed, again after growing waits, and the list of tools that it has now.

import { setTimeout as sleep } from "node:timers/promises";
import { LastcallError } from "../../core/index.js";
import { asFault, explain, unlessAborted } from "../../core/internal.js";
import { connect, type Connection } from "../connect/connection.js";
import { isSessionOver, reasonOf } from "../connect/request-errors.js";
import { foreignLine } from "../foreign/foreign-text.js";
import { endOf } from "./call-faults.js";
import { readListing, type Listing } from "./listing.js";
import type { Settings } from "./mcp-options.js";

/** The longest wait before a server is started again, in milliseconds. The first is half a second, and each doubles. */
const longestWait = 30_000;

/** The number of odd things that a person is told about a server. */
const mostOddities = 5;

/** Milliseconds between two readings of a list that keeps changing. */
const readingPause = 200;

/** Milliseconds that a result waits for a notice over another stream, and between two looks. */
const [latestNotice, noticePause] = [50, 5];

/** Milliseconds that calls wait for a list that is being read. */
const longestReading = 5000;

/** The number of pages of a list that are read, and of tools in them. */
const [mostPages, mostListed] = [64, 10_000];

/** Answers a question of the server, from the parameters of its request. */
export type Asked = (params: unknown) => Promise<Record<string, unknown>>;

/** The connection of a server over its lives. */
export class ServerLife {
  readonly settings: Settings;
  readonly #asked: Asked;
  readonly #closing = new AbortController();
  #listing: Listing = { tools: [], leftOut: new Map(), remarks: [] };
  #connection: Promise<Connection> | undefined;
  /** The open connection whose end counts. */
  #current: Connection | undefined;
  /** The reading of a list that the server said is another. */
  #reading: Promise<void> | undefined;
  /** Ends in a row, and the earliest time of the next start. */
  #ends = { count: 0, why: "", notBefore: 0 };
  #oddities = 0;
  /** The lines about the list that a person was told. A list that is read again tells what is new. */
  readonly #told = new Set<string>();
  /** True if the server has said that its list changed, and nobody has asked for it since. */
  #isStale = false;

  constructor(settings: Settings, asked: Asked) {
    this.settings = settings;
    this.#asked = asked;
  }

  get listing(): Listing {
    return this.#listing;
  }

  /** The server in words. */
  get subject(): string {
    return `The MCP server "${this.settings.name}"`;
  }

  /** Aborts when the server is closed. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** The way in which the server ended last; empty if it has not. */
  get ending(): string {
    return this.#ends.why;
  }

  /**
   * The open connection. It is opened if there is none, after the wait that its ends ask for.
   * @throws LastcallError if the server can't be reached or its list can't be used.
   */
  async ready(signal: AbortSignal): Promise<Connection> {
    if (this.#closing.signal.aborted)
      throw new LastcallError("configuration", `${this.subject} was closed: make its tools again with mcpTools.`);
    this.#connection ??= this.#start();
    const connection = await unlessAborted(this.#connection, signal);
    await this.fresh(signal);
    return connection;
  }

  /** Forgets the ends in a row: the server has answered a call. */
  worked(): void {
    this.#ends.count = 0;
  }

  /** Drops a connection that is no use, for the given reason. Without one, nothing happens. */
  drop(why: string): void {
    const open = this.#connection;
    if (open === undefined) return;
    this.#ended(why);
    this.settings.tell(`${this.subject} ended: ${why}`);
    void open.then((connection) => connection.close()).catch(() => undefined);
  }

  /** Forgets the connection, whose session at the server is over: the next is opened without a wait. */
  forget(connection: Connection): void {
    if (this.#current !== connection) return;
    this.#current = undefined;
    this.#connection = undefined;
    void connection.close().catch(() => undefined);
  }

  /** Waits for the reading of a list that a call changed. Its notice may come a moment after the result of the call. */
  async settled({ hasLateNotices }: Connection, signal: AbortSignal): Promise<void> {
    const end = performance.now() + latestNotice;
    while (hasLateNotices && this.#reading === undefined && performance.now() < end)
      await sleep(noticePause, undefined, { signal });
    await this.fresh(signal);
  }

  /** Waits for the reading of a list that changed, for a bounded time. */
  async fresh(signal: AbortSignal): Promise<void> {
    if (this.#reading === undefined) return;
    const timer = new AbortController();
    const late = sleep(longestReading, undefined, { signal: timer.signal, ref: false }).catch(() => undefined);
    await unlessAborted(Promise.race([this.#reading, late]), signal).finally(() => {
      timer.abort();
    });
  }

  /** Ends the server. */
  async close(): Promise<void> {
    this.#closing.abort(new Error("it was closed"));
    const connection = await this.#connection?.catch(() => undefined);
    this.#connection = undefined;
    await connection?.close();
  }

  async #start(): Promise<Connection> {
    const { count, notBefore } = this.#ends;
    const { signal } = this.#closing;
    try {
      if (count > 0) await sleep(Math.max(0, notBefore - performance.now()), undefined, { signal });
      await this.settings.beforeStart?.();
      const start = performance.now();
      const connection = await this.#connect();
      try {
        await this.#list(connection, this.settings.startTimeout - (performance.now() - start));
      } catch (thrown) {
        this.#current = undefined;
        await connection.close().catch(() => undefined);
        throw thrown;
      }
      return connection;
    } catch (thrown) {
      // An end that was seen is counted once.
      if (this.#ends.count === count) this.#ended(asFault(thrown).message);
      throw thrown;
    }
  }

  async #connect(): Promise<Connection> {
    const { name: server, target, startTimeout } = this.settings;
    let open: Connection | undefined = undefined;
    const isCurrent = (): boolean => open !== undefined && this.#current === open;
    const receivers = {
      // A change before the first reading needs no second reading.
      listChanged: () => {
        if (open !== undefined && isCurrent()) this.#readAgain(open);
      },
      asked: this.#asked,
      closed: (why: string) => {
        if (!isCurrent()) return;
        this.#ended(why);
        if (!this.#closing.signal.aborted) this.settings.tell(`${this.subject} ended: ${why}`);
      },
      odd: (what: string) => {
        if (this.#isClosed() || (open !== undefined && !isCurrent())) return;
        this.#oddities += 1;
        if (this.#oddities <= mostOddities) this.settings.tell(`${this.subject}: ${what}`);
      },
    };
    open = await connect({ server, target, startTimeout, receivers, signal: this.#closing.signal });
    this.#current = open;
    return open;
  }

  #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  #ended(why: string): void {
    const count = this.#ends.count + 1;
    const wait = Math.min(longestWait, 500 * 2 ** (count - 1));
    this.#ends = { count, why, notBefore: performance.now() + wait };
    this.#current = undefined;
    this.#connection = undefined;
  }

  /** Reads the list of tools, and takes it if it can be used. It may take `left` milliseconds. */
  async #list({ hasTools, listTools }: Connection, left: number): Promise<void> {
    const { name } = this.settings;
    if (!hasTools) throw new LastcallError("configuration", `The MCP server "${name}" has no tools.`);
    const end = performance.now() + left;
    const sent: unknown[] = [];
    let cursor: string | undefined;
    for (let page = 1; ; page += 1) {
      const timeout = Math.max(1, Math.ceil(end - performance.now()));
      const { tools, nextCursor } = await listTools(cursor, { timeout, signal: this.#closing.signal }).catch(
        (thrown: unknown) => {
          throw this.#listFault(thrown);
        },
      );
      if (!Array.isArray(tools)) throw this.#listFault(new Error("its answer has no list"));
      if (sent.length + tools.length > mostListed)
        throw new LastcallError("configuration", `${this.subject} has more than ${String(mostListed)} tools.`);
      sent.push(...(tools as readonly unknown[]));
      // An empty cursor is none, as null is.
      if (typeof nextCursor !== "string" || nextCursor === "") break;
      cursor = nextCursor;
      if (page === mostPages)
        throw new LastcallError("configuration", `${this.subject} has a list of tools without an end.`);
    }
    this.#listing = readListing(sent, this.settings);
    const { leftOut, remarks } = this.#listing;
    for (const line of [...[...leftOut].map(([tool, why]) => `its tool ${tool} is left out: ${why}`), ...remarks]) {
      if (!this.#told.has(line)) this.settings.tell(`${this.subject}: ${line}`);
      this.#told.add(line);
    }
  }

  #listFault(thrown: unknown): LastcallError {
    this.#closing.signal.throwIfAborted();
    const end = endOf(thrown);
    const isOver = end === "broken" && this.#current === undefined && this.#ends.why !== "";
    const why =
      end === "late" ? "it did not answer in time" : isOver ? this.#ends.why : foreignLine(reasonOf(thrown), 2000);
    const message = `The tools of ${this.subject.replace("The", "the")} can't be listed: ${why}.`;
    return new LastcallError("provider_unavailable", message, { cause: thrown });
  }

  /** Reads the list again after the server said that it changed, at a bounded pace. Calls wait for that. */
  #readAgain(connection: Connection): void {
    this.#isStale = true;
    if (this.#reading !== undefined) return;
    this.#reading = this.#readUntilFresh(connection).finally(() => {
      this.#reading = undefined;
    });
  }

  async #readUntilFresh(connection: Connection): Promise<void> {
    const { signal } = this.#closing;
    for (let count = 1; this.#isStale && !this.#isClosed(); count += 1) {
      if (count > 1) await sleep(readingPause, undefined, { signal }).catch(() => undefined);
      this.#isStale = false;
      try {
        await this.#list(connection, this.settings.timeout);
      } catch (thrown) {
        if (this.#isClosed()) return;
        if (isSessionOver((thrown as Error).cause)) {
          this.forget(connection);
          return;
        }
        this.settings.tell(`${this.subject} has another list of tools, which is not used: ${explain(thrown)}`);
      }
    }
  }
}
