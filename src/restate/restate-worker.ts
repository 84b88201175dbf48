// A process that takes deliveries from Restate: an HTTP/2 server, with one virtual object for each agent.

import { once } from "node:events";
import { createServer, type Http2Server, type ServerHttp2Session } from "node:http2";
import type { AddressInfo } from "node:net";
import { LastcallError } from "../core/index.js";
import { explain, follow } from "../core/internal.js";
import {
  attempt,
  attemptAfter,
  pause,
  RunsHere,
  type Attempted,
  type Work,
  type WorkResult,
} from "../host/host-parts.js";
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
  readonly #runs = new RunsHere();
  readonly #server: Http2Server;
  readonly #connections = new Set<ServerHttp2Session>();

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    const { restate, queue, options } = parts;
    const services = Object.keys(options.agents).map((agent) =>
      restate.object({
        name: serviceOf(queue, agent),
        handlers: { [handlerName]: (context: SessionContext, work: Work) => this.#deliver(context, work) },
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
    return this.#runs.watch(watcher);
  }

  /** Takes no deliveries any more, and suspends the runs: Restate gives them to others. Returns the sessions that are at work still. */
  async close(grace: number): Promise<readonly string[]> {
    this.#server.close();
    // Each connection ends after its last request; Restate opens others, elsewhere.
    for (const connection of this.#connections) connection.close();
    const late = await this.#runs.close("the host closes", grace);
    for (const connection of this.#connections) connection.destroy();
    return late;
  }

  /** One delivery: one step, and once more later if it has to come again. It never sleeps, since all of the session waits behind it. */
  async #deliver(context: SessionContext, work: Work): Promise<WorkResult> {
    const cancel = new AbortController();
    let step: Promise<Attempted> | undefined;
    let attempted: Attempted;
    try {
      const lost = context.request().attemptCompletedSignal;
      attempted = await context.run("drive", () => (step = this.#step(work, cancel.signal, lost)));
    } catch (thrown) {
      // A cancelled invocation does not wait for its step.
      cancel.abort();
      await step?.catch(() => undefined);
      throw thrown;
    }
    if (!("again" in attempted)) return attempted;
    const next = attemptAfter(work);
    const sent = context.genericSend({
      service: serviceOf(this.#parts.queue, work.agent),
      method: handlerName,
      key: work.session,
      parameter: next.work,
      inputSerde: this.#parts.restate.serde.json,
      delay: pause(work.times),
      idempotencyKey: next.name,
    });
    return { next: await sent.invocationId };
  }

  async #step(work: Work, cancel: AbortSignal, lost: AbortSignal): Promise<Attempted> {
    if (this.#runs.isClosed) throw new Error("The host closes.");
    const attempted = await this.#runs.begin(work.session, async ({ suspend, ...signals }) => {
      const leave = new AbortController();
      // Restate gives a delivery to others if the connection to this process broke.
      const unfollow = follow(leave, suspend, lost);
      try {
        const cancelled = { signal: cancel, reasonOf: this.#parts.reasonOf };
        return await attempt(this.#parts.options, work, { ...signals, suspend: leave.signal }, cancelled);
      } finally {
        unfollow();
      }
    });
    if ("again" in attempted && attempted.again === "suspended") throw new Error("The run was suspended.");
    return attempted;
  }
}
