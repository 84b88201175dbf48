// A process that takes deliveries from Restate: an HTTP/2 server, with one virtual object for each agent.

import { once } from "node:events";
import { createServer, type Http2Server, type ServerHttp2Session } from "node:http2";
import type { AddressInfo } from "node:net";
import { LastcallError } from "../core/index.js";
import { explain } from "../core/internal.js";
import { Worker, type Attempted, type Hold, type Work } from "../host/host-parts.js";
import type { RunWatcher } from "../host/index.js";
import { serviceOf, type RestateHostOptions } from "./restate-options.js";
import type { Restate, SessionContext } from "./restate-package.js";
import { handlerName } from "./restate-server.js";

const day = 86_400_000;

/** The terms of the service. A delivery is tried until it has an end: the journal counts the attempts that got no further. */
const terms = {
  retryPolicy: { initialInterval: 100, exponentiationFactor: 2, maxInterval: 5000, maxAttempts: 1_000_000_000 },
  idempotencyRetention: 7 * day,
  journalRetention: 7 * day,
  // A run is one step without a sign in between: no run is to be interrupted for its length.
  inactivityTimeout: 30 * day,
  abortTimeout: day,
};

/** The things that a worker works with. */
export interface WorkerParts {
  readonly restate: Restate;
  readonly queue: string;
  readonly options: RestateHostOptions;
  /** The reason why the deliveries of a session are cancelled. */
  reasonOf(session: string): Promise<string | undefined>;
}

/** A process that takes deliveries. */
export class RestateWorker {
  readonly #parts: WorkerParts;
  readonly #worker: Worker;
  readonly #server: Http2Server;
  readonly #connections = new Set<ServerHttp2Session>();

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    const { restate, queue, options } = parts;
    this.#worker = new Worker(options);
    const services = Object.keys(options.agents).map((agent) =>
      restate.object({
        name: serviceOf(queue, agent),
        handlers: {
          [handlerName]: (context: SessionContext, work: Work) =>
            this.#worker.deliver(work, this.#holdOf(context, work)),
        },
        options: terms,
      }),
    );
    const identityKeys = [...(options.identityKeys ?? [])];
    const logger = (): void => undefined;
    this.#server = createServer(
      restate.createEndpointHandler({ services, ...(identityKeys.length > 0 && { identityKeys }), logger }),
    );
    this.#server.on("session", (connection) => {
      this.#connections.add(connection);
      connection.once("close", () => this.#connections.delete(connection));
      // A connection that breaks ends its requests, which Restate makes again.
      connection.on("error", () => undefined);
    });
  }

  /**
   * Listens, and returns the URL of this process.
   * @throws LastcallError `configuration` if the place is taken.
   */
  async listen(): Promise<string> {
    const { port = 0, host = "127.0.0.1" } = this.#parts.options.listen ?? {};
    try {
      this.#server.listen(port, host);
      await once(this.#server, "listening");
    } catch (cause) {
      const message = `hostOnRestate can't listen at ${host}:${String(port)}: ${explain(cause)}`;
      throw new LastcallError("configuration", message, { cause });
    }
    const { port: taken } = this.#server.address() as AddressInfo;
    return `http://${host.includes(":") ? `[${host}]` : host}:${String(taken)}`;
  }

  /** Watches the runs of this process. */
  watch(watcher: RunWatcher): () => void {
    return this.#worker.watch(watcher);
  }

  /**
   * Takes no deliveries any more, and suspends the runs: Restate gives them to other processes. Returns the sessions that are at work
   * still.
   */
  async close(timeout: number): Promise<readonly string[]> {
    this.#server.close();
    // Each connection ends after its last request; Restate opens other connections, elsewhere.
    for (const connection of this.#connections) connection.close();
    const late = await this.#worker.close(timeout);
    for (const connection of this.#connections) connection.destroy();
    return late;
  }

  #holdOf(context: SessionContext, { agent, session }: Work): Hold {
    return {
      keep: (step) => this.#keep(context, step),
      // It never sleeps, since all of the session waits behind it.
      give: ({ name, work, delay }) =>
        context.genericSend({
          service: serviceOf(this.#parts.queue, agent),
          method: handlerName,
          key: session,
          parameter: work,
          inputSerde: this.#parts.restate.serde.json,
          delay,
          idempotencyKey: name,
        }).invocationId,
      leave: () =>
        Promise.reject(new Error("The host closes, or the connection to it broke: another process goes on.")),
      again: (thrown) => Promise.reject(deliveredAgain(thrown)),
      isTaken: isCancelled,
    };
  }

  async #keep(context: SessionContext, step: Parameters<Hold["keep"]>[0]): Promise<Attempted> {
    const cancel = new AbortController();
    const lost = context.request().attemptCompletedSignal;
    let made: Promise<Attempted> | undefined;
    try {
      const signals = { signal: cancel.signal, reasonOf: this.#parts.reasonOf, lost };
      return await context.run("drive", () => (made = step(signals)));
    } catch (thrown) {
      // A cancelled invocation does not wait for its step.
      cancel.abort();
      await made?.catch(() => undefined);
      throw thrown;
    }
  }
}

/** The names of the errors after which Restate does not deliver again. */
const terminal: ReadonlySet<string> = new Set(["TerminalError", "CancelledError", "TimeoutError"]);

/** True for the error with which Restate ends a handler whose invocation was cancelled. */
function isCancelled(thrown: unknown): boolean {
  return thrown instanceof Error && terminal.has(thrown.name) && "code" in thrown && thrown.code === 409;
}

/** An error after which Restate delivers again, whatever was thrown. */
function deliveredAgain(thrown: unknown): Error {
  if (thrown instanceof Error && !terminal.has(thrown.name)) return thrown;
  return new Error(`The delivery failed: ${explain(thrown)}`, { cause: thrown });
}
