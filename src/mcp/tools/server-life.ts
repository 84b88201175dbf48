// Server life: the connection of one server, opened when it is needed, again after growing waits, and the list of tools that it has now.

import { setTimeout as sleep } from "node:timers/promises";
import { LastcallError } from "../../core/index.js";
import { asFault, explain, unlessAborted } from "../../core/internal.js";
import { connect, type Connection } from "../connect/connection.js";
import { readListing, type Listing } from "./listing.js";
import type { Settings } from "./mcp-options.js";

/** The longest wait before a server is started again, in milliseconds. The first is half a second, and each doubles. */
const longestWait = 30_000;

/** The number of odd things that a person is told about a server. */
const mostOddities = 5;

/** Milliseconds between two readings of a list that keeps changing. */
const readingPause = 200;

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
  /** The reading of a list that the server said is another. */
  #reading: Promise<void> | undefined;
  /** Ends in a row, and the earliest time of the next start. */
  #ends = { count: 0, why: "", notBefore: 0 };
  #oddities = 0;
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
    await unlessAborted(this.#reading ?? Promise.resolve(), signal);
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
    void open.then((connection) => connection.close()).catch(() => undefined);
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
      const connection = await this.#connect();
      await this.#list(connection);
      return connection;
    } catch (thrown) {
      this.#ended(asFault(thrown).message);
      throw thrown;
    }
  }

  async #connect(): Promise<Connection> {
    const { name: server, target, startTimeout, beforeStart } = this.settings;
    await beforeStart?.();
    let isCurrent = true;
    let open: Connection | undefined = undefined;
    const receivers = {
      // A change before the first reading needs no second reading.
      listChanged: () => {
        if (isCurrent && open !== undefined) this.#readAgain(open);
      },
      asked: this.#asked,
      closed: (why: string) => {
        if (!isCurrent) return;
        isCurrent = false;
        this.#ended(why);
        if (!this.#closing.signal.aborted) this.settings.tell(`${this.subject} ended: ${why}`);
      },
      odd: (what: string) => {
        this.#oddities += 1;
        if (this.#oddities <= mostOddities) this.settings.tell(`${this.subject}: ${what}`);
      },
    };
    open = await connect({ server, target, startTimeout, receivers, signal: this.#closing.signal });
    return open;
  }

  #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  #ended(why: string): void {
    const count = this.#ends.count + 1;
    const wait = Math.min(longestWait, 500 * 2 ** (count - 1));
    this.#ends = { count, why, notBefore: performance.now() + wait };
    this.#connection = undefined;
  }

  /** Reads the list of tools, and takes it if it can be used. */
  async #list({ client, listTools }: Connection): Promise<void> {
    const { name, timeout } = this.settings;
    if (client.getServerCapabilities()?.tools === undefined)
      throw new LastcallError("configuration", `The MCP server "${name}" has no tools.`);
    const sent: unknown[] = [];
    let cursor: string | undefined;
    for (let page = 1; ; page += 1) {
      const part = await listTools(cursor, { timeout, signal: this.#closing.signal });
      if (sent.length + part.tools.length > mostListed)
        throw new LastcallError("configuration", `${this.subject} has more than ${String(mostListed)} tools.`);
      sent.push(...part.tools);
      cursor = part.next;
      if (cursor === undefined) break;
      if (page === mostPages)
        throw new LastcallError("configuration", `${this.subject} has a list of tools without an end.`);
    }
    this.#listing = readListing(sent, this.settings);
    const { leftOut, remarks } = this.#listing;
    for (const [tool, why] of leftOut) this.settings.tell(`${this.subject}: its tool ${tool} is left out: ${why}`);
    for (const remark of remarks) this.settings.tell(`${this.subject}: ${remark}`);
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
        await this.#list(connection);
      } catch (thrown) {
        if (this.#isClosed()) return;
        this.settings.tell(`${this.subject} has another list of tools, which is not used: ${explain(thrown)}`);
      }
    }
  }
}
