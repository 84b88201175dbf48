// The server of Restate as this host uses it: its ingress and its admin API over HTTP.

import { LastcallError, systemRuntime } from "../core/index.js";
import { explain, follow, headOf } from "../core/internal.js";
import { waitOver } from "../host/host-parts.js";

/** The name of the handler of a delivery. */
export const handlerName = "deliver";

/** Milliseconds for which a request is tried again while the server is not there. */
const patience = 10_000;
/** The same for the registration of workers: the server and the balancer may begin later. */
const startPatience = 30_000;
const between = 200;
/** Milliseconds of one wait for a result: no balancer has to bear a longer wait. */
const longPoll = 50_000;

/** The answer to a request. */
interface Answer {
  readonly status: number;
  readonly text: string;
}

/** A request. */
interface Asked {
  readonly method?: "POST" | "PATCH";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** A delivery that the server has not ended. */
export interface LiveInvocation {
  readonly id: string;
  readonly service: string;
  /** The name of the delivery. */
  readonly name: string;
}

/** The addresses of a server. */
export interface ServerPlace {
  readonly ingress: string;
  readonly admin: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A delivery for the server. */
export interface Sent {
  readonly service: string;
  readonly session: string;
  readonly name: string;
  readonly work: unknown;
  /** Milliseconds before it is made. */
  readonly delay: number | undefined;
}

/** A server of Restate. */
export class RestateServer {
  readonly #place: ServerPlace;
  readonly #closed = new AbortController();

  constructor(place: ServerPlace) {
    this.#place = place;
  }

  /**
   * Keeps a delivery, and returns the id of its invocation. A delivery that is given again has the same id.
   * @throws LastcallError `store` without a server; `configuration` if no process works on the agent, or if the server refuses.
   */
  async send({ service, session, name, work, delay }: Sent): Promise<string> {
    const later = delay === undefined || delay <= 0 ? "" : `?delay=${String(Math.ceil(delay))}ms`;
    const url = `${at(this.#place.ingress)}${service}/${encodeURIComponent(session)}/${handlerName}/send${later}`;
    const asked = { method: "POST", url, headers: { "idempotency-key": name }, body: work } as const;
    // 404: no process has registered the agent yet.
    const { status, text } = await this.#persist(asked, ({ status }) => status !== 404);
    if (status === 404)
      throw new LastcallError(
        "configuration",
        `Restate has no agent ${service}: start a process that works on it. ${text}`,
      );
    return (parsed(status, text) as { readonly invocationId: string }).invocationId;
  }

  /**
   * Waits for the result of an invocation, over restarts of the server, until `close`. Undefined if the server has forgotten it.
   * @throws Refusal if the invocation was cancelled or failed.
   */
  async result(invocation: string): Promise<unknown> {
    const url = `${at(this.#place.ingress)}restate/invocation/${invocation}/attach`;
    while (!this.#closed.signal.aborted) {
      const answer = await this.#poll(url);
      if (answer?.status === 404) return undefined;
      if (answer !== undefined && answer.status < 500) return parsed(answer.status, answer.text);
      // 500 is also the answer for an invocation that was killed.
      if (answer?.status === 500) throw new Refusal(answer.status, answer.text);
      await this.#sleep();
    }
    throw waitOver();
  }

  /** The deliveries to a session that have no end yet. */
  async live(session: string): Promise<readonly LiveInvocation[]> {
    const text = session.replaceAll("'", "''");
    const query = `select id, target_service_name as service, coalesce(idempotency_key, '') as name from sys_invocation
      where target_service_key = '${text}' and target_handler_name = '${handlerName}' and status != 'completed'`;
    const asked = { method: "POST", url: `${at(this.#place.admin)}query`, body: { query } } as const;
    const { status, text: rows } = await this.#persist(asked);
    return (parsed(status, rows) as { readonly rows: readonly LiveInvocation[] }).rows;
  }

  /** Cancels an invocation. An invocation that has ended meanwhile stays ended. */
  async cancel(invocation: string): Promise<void> {
    const url = `${at(this.#place.admin)}invocations/${invocation}/cancel`;
    const { status, text } = await this.#persist({ method: "PATCH", url });
    if (status !== 404 && status !== 409) parsed(status, text);
  }

  /**
   * Tells the server where processes work. It asks them at this address for their agents.
   * @throws LastcallError `configuration` if it could not for half a minute.
   */
  async register(uri: string): Promise<void> {
    const asked = { method: "POST", url: `${at(this.#place.admin)}deployments`, body: { uri, force: true } } as const;
    const isFine = ({ status }: Answer): boolean => status < 300;
    const answer = await this.#persist(asked, isFine, startPatience).catch((thrown: unknown) => explain(thrown));
    if (typeof answer !== "string" && isFine(answer)) return;
    const why = typeof answer === "string" ? answer : answer.text;
    const advice = `Start Restate, and see that it reaches the workers at ${uri} (option address).`;
    throw new LastcallError("configuration", `Restate did not register the workers. ${advice} ${why}`);
  }

  /** Ends all waits. */
  close(): void {
    this.#closed.abort();
  }

  /** Asks until the server answers and the answer is fine, or until the patience is over. */
  async #persist(asked: Asked, isFine: (answer: Answer) => boolean = () => true, most = patience): Promise<Answer> {
    const begun = Date.now();
    for (;;) {
      const isOver = Date.now() - begun > most || this.#closed.signal.aborted;
      try {
        const answer = await this.#ask(asked, most);
        if ((answer.status < 500 && isFine(answer)) || isOver) return answer;
      } catch (cause) {
        const message = `Restate does not answer at ${new URL(asked.url).origin}: ${explain(cause)}`;
        if (isOver) throw new LastcallError("store", message, { cause });
      }
      await this.#sleep();
    }
  }

  async #poll(url: string): Promise<Answer | undefined> {
    try {
      return await this.#ask({ url }, longPoll);
    } catch {
      // The server is not there, or has no result yet.
      return undefined;
    }
  }

  async #ask({ method, url, headers = {}, body }: Asked, most: number): Promise<Answer> {
    const abort = new AbortController();
    const unfollow = method === undefined ? follow(abort, this.#closed.signal) : () => undefined;
    const timer = setTimeout(() => {
      abort.abort(new DOMException("no answer in time", "TimeoutError"));
    }, most);
    try {
      const response = await fetch(url, {
        method: method ?? "GET",
        headers: { accept: "application/json", "content-type": "application/json", ...this.#place.headers, ...headers },
        signal: abort.signal,
        // The headers may have a key, and the body has the words of a person.
        redirect: "manual",
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const { status, headers: told } = response;
      const text = await response.text();
      if (status < 300 || status >= 400) return { status, text };
      const where = told.get("location") ?? "nowhere";
      return { status, text: `It redirects to ${where}, and nothing is sent there: give the address itself.` };
    } finally {
      clearTimeout(timer);
      unfollow();
    }
  }

  async #sleep(): Promise<void> {
    await systemRuntime.sleep(between, this.#closed.signal).catch(() => undefined);
  }
}

/** An answer of the server that is no result. */
export class Refusal extends LastcallError {
  /** The status of HTTP: 409 if the invocation was cancelled. */
  readonly http: number;

  constructor(status: number, text: string) {
    super(status >= 500 ? "store" : "configuration", `Restate refused with ${String(status)}: ${headOf(text, 500)}`);
    this.http = status;
  }
}

function parsed(status: number, text: string): unknown {
  if (status >= 300) throw new Refusal(status, text);
  return text === "" ? undefined : JSON.parse(text);
}

/** The URL with a slash at its end. */
function at(url: string): string {
  return url.endsWith("/") ? url : `${url}/`;
}
