// Foreign server: the calls of one server's tools, and the questions that it asks meanwhile. It is left alone if it keeps failing.

import { LastcallError, type JsonObject } from "../../core/index.js";
import { explain } from "../../core/internal.js";
import { makeBreaker, type Breaker } from "../../breaker/index.js";
import type { Connection } from "../connect/connection.js";
import { foreignLine } from "../foreign/foreign-text.js";
import { isSessionOver, statusOf } from "../connect/request-errors.js";
import { signInNeededBy } from "../connect/sign-in-needed.js";
import { endFault, endOf, Refusal, toldError } from "./call-faults.js";
import { readQuestion, unansweredText, type Elicitation, type ElicitationAnswer } from "./elicitation.js";
import type { ListedTool, Listing } from "./listing.js";
import type { Settings } from "./mcp-options.js";
import { ServerLife } from "./server-life.js";
import type { Listed } from "./tool-list.js";

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
  readonly #life: ServerLife;
  readonly #breaker: Breaker;
  readonly #calls = new Set<OpenCall>();

  constructor(settings: Settings, listed: Listed) {
    this.settings = settings;
    this.#life = new ServerLife(settings, (params) => this.#answer(params), listed);
    this.#breaker = makeBreaker(this.#life.subject, settings.circuit);
  }

  get listing(): Listing {
    return this.#life.listing;
  }

  /**
   * The open connection. It is opened if there is none, after the wait that its ends ask for.
   * @throws LastcallError if the server can't be reached or its list can't be used.
   */
  ready(signal: AbortSignal): Promise<Connection> {
    return this.#life.ready(signal);
  }

  /**
   * Calls a tool, in the definition that the caller knows.
   * @throws Error that says what failed and whether the outcome is known; SignInNeeded if the server wants a sign-in first.
   */
  async call(call: ServerCall): Promise<unknown> {
    const { signal } = call;
    const passage = await this.#breaker.enter();
    const open: OpenCall = { signal, ask: call.ask, unanswered: undefined };
    let result: unknown;
    try {
      result = await this.#send(call, open);
      passage.succeeded();
      this.#life.worked();
    } catch (thrown) {
      if (signal.aborted) {
        passage.abandoned();
        throw signal.reason;
      }
      const needed = signInNeededBy(thrown);
      if (needed !== undefined) {
        passage.abandoned();
        throw needed;
      }
      const fault = this.#faultOf(thrown);
      if (fault === undefined) passage.succeeded();
      else passage.failed(fault);
      if (open.unanswered !== undefined) throw new Error(unansweredText(open.unanswered));
      const { subject, ending } = this.#life;
      const { target, timeout } = this.settings;
      throw toldError(thrown, { subject, ending: target.kind === "command" ? ending : "", timeout });
    } finally {
      this.#calls.delete(open);
    }
    if (open.unanswered !== undefined) throw new Error(unansweredText(open.unanswered));
    return result;
  }

  /** Ends the server. Its tools fail from now on. */
  close(): Promise<void> {
    return this.#life.close();
  }

  /**
   * Sends the call. If the session at the server is over, it begins another one and sends the call once more: a server does not look at a
   * call of such a session.
   */
  async #send(call: ServerCall, open: OpenCall): Promise<unknown> {
    const connection = await this.ready(call.signal);
    try {
      return await this.#sendOver(connection, call, open);
    } catch (thrown) {
      if (!isSessionOver(thrown) || call.signal.aborted) throw thrown;
      this.#life.forget(connection);
      return await this.#sendOver(await this.ready(call.signal), call, open);
    }
  }

  async #sendOver(
    connection: Connection,
    { tool, input, signal, onProgress }: ServerCall,
    open: OpenCall,
  ): Promise<unknown> {
    this.#expectSame(tool);
    this.#calls.add(open);
    const result = await connection.callTool(
      { name: tool.original, arguments: { ...input } },
      {
        signal,
        timeout: this.settings.timeout,
        maxTotalTimeout: this.settings.timeout * 10,
        resetTimeoutOnProgress: true,
        onprogress: onProgress,
        // Its output schema is left out: a stranger's schema would be compiled to code.
        toolDefinition: { name: tool.original, inputSchema: tool.schema },
      },
    );
    await this.#life.settled(connection, signal);
    return result;
  }

  /** @throws Error if the server has the tool no longer, or if its definition differs from the approved definition. */
  #expectSame({ original, digest }: ListedTool): void {
    const now = this.listing.tools.find((one) => one.original === original);
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
    const question = readQuestion(name, params, this.#life.closing);
    const [only, ...others] = this.#calls;
    try {
      if (elicit !== undefined) return { ...(await elicit(question)) };
      if (only !== undefined && others.length === 0) return { ...(await only.ask(question)) };
    } catch (thrown) {
      // The run waits for the answer, and the call runs again with it.
      if (only?.signal.aborted === true) return { action: "cancel" };
      this.settings.tell(`${this.#life.subject} asked a question that could not be answered: ${explain(thrown)}`);
    }
    for (const call of this.#calls) call.unanswered = question;
    return { action: "cancel" };
  }

  /** The fault of a server that did not answer; undefined if it answered, with an error for example. Breaks a connection that is no use. */
  #faultOf(thrown: unknown): LastcallError | undefined {
    const unavailable = (why: string): LastcallError => new LastcallError("provider_unavailable", why);
    const status = statusOf(thrown);
    switch (endOf(thrown)) {
      case "answered":
        return undefined;
      case "refused":
        // A request that is wrong in itself says nothing about the server.
        return status === 401 || status === 403 || status === 429
          ? unavailable(`it refused a request with HTTP ${String(status)}`)
          : undefined;
      case "unsent":
        return unavailable("it can't be used");
      case "late":
        return unavailable("it did not answer in time");
      case "failed":
        return unavailable(`it failed with HTTP ${String(status)}`);
      case "broken":
        this.#life.drop(foreignLine(explain(thrown), 500));
        return endFault(this.#life.ending);
    }
  }
}
