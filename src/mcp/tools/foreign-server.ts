// Foreign server: one server over its lives, started when it is needed, again after growing waits, and left alone if it keeps failing.

import { setTimeout as sleep } from "node:timers/promises";
import { LastcallError, type JsonObject } from "../../core/index.js";
import { asFault, explain, unlessAborted } from "../../core/internal.js";
import { makeBreaker, type Breaker } from "../../breaker/index.js";
import { connect, type Connection } from "../connect/connection.js";
import { foreignLine } from "../words/foreign-text.js";
import { readQuestion, unansweredText, type Elicitation, type ElicitationAnswer } from "./elicitation.js";
import { readListing, type ListedTool, type Listing } from "./listing.js";
import type { Settings } from "./mcp-options.js";

/** The longest wait before a server is started again, in milliseconds. The first is half a second, and each doubles. */
const longestWait = 30_000;

/** The number of odd things that a person is told about a server. */
const mostOddities = 5;

/** Milliseconds between two readings of a list that keeps changing. */
const readingPause = 200;

/** The number of pages of a list that are read, and of tools in them. */
const [mostPages, mostListed] = [64, 10_000];

/** A call under way. */
interface OpenCall {
  readonly signal: AbortSignal;
  readonly ask: ServerCall["ask"];
  /** A question that nobody answered. */
  unanswered: Elicitation | undefined;
}

/** One call of a server's tool. */
export interface ServerCall {
  readonly tool: ListedTool;
  readonly input: JsonObject;
  readonly signal: AbortSignal;
  /** Asks the user. It rejects, and the signal aborts, if the run ends to wait for the answer. */
  readonly ask: (question: Elicitation) => Promise<ElicitationAnswer>;
  readonly onProgress: (progress: {
    progress: number;
    total?: number | undefined;
    message?: string | undefined;
  }) => void;
}

/** A server, and the tools that it has now. */
export class ForeignServer {
  readonly settings: Settings;
  #listing: Listing = { tools: [], leftOut: new Map(), remarks: [] };
  readonly #breaker: Breaker;
  readonly #closing = new AbortController();
  readonly #calls = new Set<OpenCall>();
  #connection: Promise<Connection> | undefined;
  /** The reading of a list that the server said is another. */
  #reading: Promise<void> | undefined;
  /** Ends in a row, and the earliest time of the next start. */
  #ends = { count: 0, why: "", notBefore: 0 };
  #oddities = 0;
  /** True if the server has said that its list changed, and nobody has asked for it since. */
  #isStale = false;

  constructor(settings: Settings) {
    this.settings = settings;
    this.#breaker = makeBreaker(this.#subject, settings.circuit);
  }

  get listing(): Listing {
    return this.#listing;
  }

  get #subject(): string {
    return `The MCP server "${this.settings.name}"`;
  }

  /**
   * The open connection. It is opened if there is none, after the wait that its ends ask for.
   * @throws LastcallError if the server can't be reached or its list can't be used.
   */
  async ready(signal: AbortSignal): Promise<Connection> {
    if (this.#closing.signal.aborted)
      throw new LastcallError("configuration", `${this.#subject} was closed: make its tools again with mcpTools.`);
    this.#connection ??= this.#start();
    const connection = await unlessAborted(this.#connection, signal);
    await unlessAborted(this.#reading ?? Promise.resolve(), signal);
    return connection;
  }

  /**
   * Calls a tool, in the definition that the caller knows.
   * @throws Error that says what failed and whether the outcome is known.
   */
  async call(call: ServerCall): Promise<unknown> {
    const { signal } = call;
    const passage = await this.#breaker.enter();
    const open: OpenCall = { signal, ask: call.ask, unanswered: undefined };
    try {
      const { client } = await this.ready(signal);
      this.#expectSame(call.tool);
      this.#calls.add(open);
      const result = await client.callTool(
        { name: call.tool.original, arguments: { ...call.input } },
        {
          signal,
          timeout: this.settings.timeout,
          maxTotalTimeout: this.settings.timeout * 10,
          resetTimeoutOnProgress: true,
          onprogress: call.onProgress,
          // Its output schema is left out: a stranger's schema would be compiled to code.
          toolDefinition: { name: call.tool.original, inputSchema: call.tool.schema },
        },
      );
      passage.succeeded();
      this.#ends.count = 0;
      if (open.unanswered !== undefined) throw new Error(unansweredText(open.unanswered));
      return result;
    } catch (thrown) {
      if (signal.aborted) {
        passage.abandoned();
        throw signal.reason;
      }
      const fault = this.#faultOf(thrown);
      if (fault === undefined) passage.succeeded();
      else passage.failed(fault);
      throw open.unanswered === undefined ? this.#told(thrown) : new Error(unansweredText(open.unanswered));
    } finally {
      this.#calls.delete(open);
    }
  }

  /** Ends the server. Its tools fail from now on. */
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
    const { name: server, target, startTimeout } = this.settings;
    let isCurrent = true;
    let open: Connection | undefined = undefined;
    const receivers = {
      // A change before the first reading needs no second one.
      listChanged: () => {
        if (isCurrent && open !== undefined) this.#readAgain(open);
      },
      asked: (params: unknown) => this.#answer(params),
      closed: (why: string) => {
        if (!isCurrent) return;
        isCurrent = false;
        this.#ended(why);
        if (!this.#closing.signal.aborted) this.settings.tell(`${this.#subject} ended: ${why}`);
      },
      odd: (what: string) => {
        this.#oddities += 1;
        if (this.#oddities <= mostOddities) this.settings.tell(`${this.#subject}: ${what}`);
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
        throw new LastcallError("configuration", `${this.#subject} has more than ${String(mostListed)} tools.`);
      sent.push(...part.tools);
      cursor = part.next;
      if (cursor === undefined) break;
      if (page === mostPages)
        throw new LastcallError("configuration", `${this.#subject} has a list of tools without an end.`);
    }
    this.#listing = readListing(sent, this.settings);
    const { leftOut, remarks } = this.#listing;
    for (const [tool, why] of leftOut) this.settings.tell(`${this.#subject}: its tool ${tool} is left out: ${why}`);
    for (const remark of remarks) this.settings.tell(`${this.#subject}: ${remark}`);
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
        this.settings.tell(`${this.#subject} has another list of tools, which is not used: ${explain(thrown)}`);
      }
    }
  }

  /** @throws Error if the server has the tool no longer, or in another definition than the one that was offered and approved. */
  #expectSame({ original, digest }: ListedTool): void {
    const now = this.#listing.tools.find((one) => one.original === original);
    if (now === undefined) throw new Refusal("The server no longer has this tool, so nothing was called.");
    if (now.digest === digest) return;
    throw new Refusal(
      "The server has changed the definition of this tool since it was offered and approved, so nothing was called.",
    );
  }

  /**
   * Answers a question of the server: by `elicit`, or else as a question of the run, if one call alone is under way. A question does not
   * say which call it is about. If nobody can be asked, the calls under way fail with the question.
   */
  async #answer(params: unknown): Promise<Record<string, unknown>> {
    const { name, elicit } = this.settings;
    const question = readQuestion(name, params, this.#closing.signal);
    const [only, ...others] = this.#calls;
    try {
      if (elicit !== undefined) return { ...(await elicit(question)) };
      if (only !== undefined && others.length === 0) return { ...(await only.ask(question)) };
    } catch (thrown) {
      // The run waits for the answer, and the call runs again with it.
      if (only?.signal.aborted === true) return { action: "cancel" };
      this.settings.tell(`${this.#subject} asked a question that could not be answered: ${explain(thrown)}`);
    }
    for (const call of this.#calls) call.unanswered = question;
    return { action: "cancel" };
  }

  /** The fault of a server that did not answer; undefined if it answered, with an error for example. Breaks a connection that is no use. */
  #faultOf(thrown: unknown): LastcallError | undefined {
    if (thrown instanceof Refusal || isAnswer(thrown)) return undefined;
    if (thrown instanceof LastcallError) return new LastcallError("provider_unavailable", "it can't be used");
    if (isTimeout(thrown)) return new LastcallError("provider_unavailable", "it did not answer in time");
    const open = this.#connection;
    if (open !== undefined) {
      this.#ended(foreignLine(explain(thrown), 500));
      void open.then((connection) => connection.close()).catch(() => undefined);
    }
    return new LastcallError("provider_unavailable", `it ended (${firstLine(this.#ends.why)})`);
  }

  /** The error for the model. */
  #told(thrown: unknown): Error {
    if (thrown instanceof Refusal || thrown instanceof LastcallError) return thrown;
    if (isTimeout(thrown)) {
      const seconds = String(this.settings.timeout / 1000);
      return new Error(
        `The server gave no answer and no sign of progress within ${seconds} s, so the call was cancelled. Its outcome is unknown.`,
      );
    }
    if (isAnswer(thrown)) return new Error(foreignLine(explain(thrown), 4000));
    return new Error(
      `${this.#subject} ended during this call: ${this.#ends.why}. The outcome of the call is unknown: find out before you call it again. The next call starts the server again.`,
    );
  }
}

/** A call that was not made. */
class Refusal extends Error {}

function codeOf(thrown: unknown): unknown {
  return (thrown as { readonly code?: unknown } | null)?.code;
}

/** True for an error with which the server answered, and for an answer that is none of the protocol. */
function isAnswer(thrown: unknown): boolean {
  const code = codeOf(thrown);
  return (
    typeof code === "number" ||
    code === "INVALID_RESULT" ||
    code === "UNSUPPORTED_RESULT_TYPE" ||
    code === "INPUT_REQUIRED_ROUNDS_EXCEEDED"
  );
}

function isTimeout(thrown: unknown): boolean {
  return codeOf(thrown) === "REQUEST_TIMEOUT";
}

function firstLine(text: string): string {
  return (text.split("\n", 1)[0] ?? "").replace(/\. The end of its error output:$/, "");
}
