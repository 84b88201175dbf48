// Server life: the connection of one server, opened when it is needed, and again after growing waits.

import { setTimeout as sleep } from "node:timers/promises";
import { LastcallError } from "../../core/index.js";
import { asFault, unlessAborted } from "../../core/internal.js";
import { connect, type Connection } from "../connect/connection.js";
import { signInNeededBy } from "../connect/sign-in-needed.js";
import type { Listing } from "./listing.js";
import type { Settings } from "./mcp-options.js";
import { ToolList, type Listed } from "./tool-list.js";

/** The longest wait before a server is started again, in milliseconds. The first is half a second, and each doubles. */
const longestWait = 30_000;

/** The number of odd things that a person is told about a server. */
const mostOddities = 5;

/** Answers a question of the server, from the parameters of its request. */
export type Asked = (params: unknown) => Promise<Record<string, unknown>>;

/** The connection of a server over its lives. */
export class ServerLife {
  readonly settings: Settings;
  readonly #asked: Asked;
  readonly #closing = new AbortController();
  readonly #list: ToolList;
  #connection: Promise<Connection> | undefined;
  /** The open connection whose end counts. */
  #current: Connection | undefined;
  /** Ends in a row, and the earliest time of the next start. */
  #ends = { count: 0, why: "", notBefore: 0 };
  #oddities = 0;

  constructor(settings: Settings, asked: Asked, listed: Listed) {
    this.settings = settings;
    this.#asked = asked;
    this.#list = new ToolList(settings, {
      subject: this.subject,
      closing: this.closing,
      endedBy: () => (this.#current === undefined ? this.#ends.why : ""),
      forget: (connection) => {
        this.forget(connection);
      },
      listed,
    });
  }

  get listing(): Listing {
    return this.#list.listing;
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
    await this.#list.fresh(signal);
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

  /** Waits for the reading of a list that a call changed. */
  async settled(connection: Connection, signal: AbortSignal): Promise<void> {
    await this.#list.settled(connection, signal);
  }

  /** Waits for the reading of a list that changed, for a bounded time. */
  async fresh(signal: AbortSignal): Promise<void> {
    await this.#list.fresh(signal);
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
        await this.#list.read(connection, this.settings.startTimeout - (performance.now() - start));
      } catch (thrown) {
        this.#current = undefined;
        await connection.close().catch(() => undefined);
        throw thrown;
      }
      return connection;
    } catch (thrown) {
      // A server that wants a sign-in works: the next try comes with one.
      if (signInNeededBy(thrown) !== undefined) {
        this.#connection = undefined;
        throw thrown;
      }
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
        if (open !== undefined && isCurrent()) this.#list.readAgain(open);
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
}
