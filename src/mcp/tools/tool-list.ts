// Tool list: the tools that a server has now, read page by page, and read again when the server says that they changed.

import { setTimeout as sleep } from "node:timers/promises";
import { LastcallError } from "../../core/index.js";
import { explain, unlessAborted } from "../../core/internal.js";
import type { Connection } from "../connect/connection.js";
import { isSessionOver, reasonOf } from "../connect/request-errors.js";
import { foreignLine } from "../foreign/foreign-text.js";
import { endOf } from "./call-faults.js";
import { readListing, type Listing } from "./listing.js";
import type { Settings } from "./mcp-options.js";

/** Milliseconds between two readings of a list that keeps changing. */
const readingPause = 200;

/** Milliseconds that a result waits for a notice over another stream, and between two looks. */
const [latestNotice, noticePause] = [50, 5];

/** Milliseconds that calls wait for a list that is being read. */
const longestReading = 5000;

/** The number of pages of a list that are read, and of tools in them. */
const [mostPages, mostListed] = [64, 10_000];

/** The server that has the list. */
interface ListedServer {
  /** The server in words. */
  readonly subject: string;
  /** Aborts when the server is closed. */
  readonly closing: AbortSignal;
  /** The way in which the server ended, if no connection is open; empty otherwise. */
  readonly endedBy: () => string;
  /** Forgets a connection whose session at the server is over. */
  readonly forget: (connection: Connection) => void;
  /** Takes a list that was read. */
  readonly listed: Listed;
}

/** Takes a list of tools, what the server sent, and the connection that it came over. */
export type Listed = (listing: Listing, sent: readonly unknown[], connection: Connection) => Promise<void>;

/** The list of the tools of one server. */
export class ToolList {
  readonly #settings: Settings;
  readonly #server: ListedServer;
  #listing: Listing = { tools: [], leftOut: new Map(), remarks: [] };
  /** The reading of a list that the server said is another. */
  #reading: Promise<void> | undefined;
  /** The lines about the list that a person was told. A list that is read again tells what is new. */
  readonly #told = new Set<string>();
  /** True if the server has said that its list changed, and nobody has asked for it since. */
  #isStale = false;

  constructor(settings: Settings, server: ListedServer) {
    this.#settings = settings;
    this.#server = server;
  }

  get listing(): Listing {
    return this.#listing;
  }

  /**
   * Reads the list, and takes it if it can be used. It may take `left` milliseconds.
   * @throws LastcallError if the list can't be read or used.
   */
  async read(connection: Connection, left: number): Promise<void> {
    if (!connection.hasTools)
      throw new LastcallError("configuration", `The MCP server "${this.#settings.name}" has no tools.`);
    const sent = await this.#pages(connection, performance.now() + left);
    this.#listing = readListing(sent, this.#settings);
    await this.#server.listed(this.#listing, sent, connection);
    const { leftOut, remarks } = this.#listing;
    for (const line of [...[...leftOut].map(([tool, why]) => `its tool ${tool} is left out: ${why}`), ...remarks]) {
      if (!this.#told.has(line)) this.#settings.tell(`${this.#server.subject}: ${line}`);
      this.#told.add(line);
    }
  }

  /** Reads the list again after the server said that it changed, at a bounded pace. Calls wait for that. */
  readAgain(connection: Connection): void {
    this.#isStale = true;
    if (this.#reading !== undefined) return;
    this.#reading = this.#readUntilFresh(connection).finally(() => {
      this.#reading = undefined;
    });
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

  /** The tools of all pages, as the server sent them. They have to come before `end`, by `performance.now()`. */
  async #pages({ listTools }: Connection, end: number): Promise<readonly unknown[]> {
    const { subject, closing: signal } = this.#server;
    const sent: unknown[] = [];
    let cursor: string | undefined;
    for (let page = 1; ; page += 1) {
      const timeout = Math.max(1, Math.ceil(end - performance.now()));
      const { tools, nextCursor } = await listTools(cursor, { timeout, signal }).catch((thrown: unknown) => {
        throw this.#fault(thrown);
      });
      if (!Array.isArray(tools)) throw this.#fault(new Error("its answer has no list"));
      if (sent.length + tools.length > mostListed)
        throw new LastcallError("configuration", `${subject} has more than ${String(mostListed)} tools.`);
      sent.push(...(tools as readonly unknown[]));
      // An empty cursor is none, as null is.
      if (typeof nextCursor !== "string" || nextCursor === "") return sent;
      cursor = nextCursor;
      if (page === mostPages)
        throw new LastcallError("configuration", `${subject} has a list of tools without an end.`);
    }
  }

  #fault(thrown: unknown): LastcallError {
    const { subject, closing, endedBy } = this.#server;
    closing.throwIfAborted();
    const end = endOf(thrown);
    const isOver = end === "broken" && endedBy() !== "";
    const why = end === "late" ? "it did not answer in time" : isOver ? endedBy() : foreignLine(reasonOf(thrown), 2000);
    const message = `The tools of ${subject.replace("The", "the")} can't be listed: ${why}.`;
    return new LastcallError("provider_unavailable", message, { cause: thrown });
  }

  async #readUntilFresh(connection: Connection): Promise<void> {
    const { subject, closing: signal, forget } = this.#server;
    for (let count = 1; this.#isStale && !signal.aborted; count += 1) {
      if (count > 1) await sleep(readingPause, undefined, { signal }).catch(() => undefined);
      this.#isStale = false;
      try {
        await this.read(connection, this.#settings.timeout);
      } catch (thrown) {
        if (this.#isClosed()) return;
        if (isSessionOver((thrown as Error).cause)) {
          forget(connection);
          return;
        }
        this.#settings.tell(`${subject} has another list of tools, which is not used: ${explain(thrown)}`);
      }
    }
  }

  #isClosed(): boolean {
    return this.#server.closing.aborted;
  }
}
