// A host on Restate: its server queues the inputs, owns the runs, and gives the runs of a dead process to another.

import { atCaller, explain, headOf } from "../core/internal.js";
import type { Host, RunEnd, RunWatcher } from "../host/index.js";
import {
  abortOver,
  endInJournal,
  awaitEnd,
  givenUp,
  hostOver,
  stopPrefix,
  withdrawn,
  type Agents,
  type Engine,
  type Given,
  type GivenWith,
  type Work,
  type WorkResult,
} from "../host/host-parts.js";
import type { Store } from "../memory/index.js";
import { checkRestateOptions, serviceOf, type RestateHostOptions } from "./restate-options.js";
import { loadRestate } from "./restate-package.js";
import { Refusal, RestateServer } from "./restate-server.js";
import { RestateWorker } from "./restate-worker.js";

/** The most characters of the reason of an abort that a run at work gets to know. */
const longest = 500;

/**
 * Makes a host on Restate, and takes deliveries unless `work` is false: it listens, and registers its address with the server. Restate
 * keeps inputs and ends of runs for a week; the journal, in the store, is the truth. It has neither priorities nor tenants.
 * @throws LastcallError `configuration` for wrong options, without the package `@restatedev/restate-sdk`, and if the server can't be
 * reached, or can't reach the address, for half a minute.
 */
export async function hostOnRestate(options: RestateHostOptions): Promise<Host> {
  atCaller(hostOnRestate, () => {
    checkRestateOptions(options);
  });
  const { ingress, admin, headers = {}, queue = "lastcall", work = true, address } = options;
  const server = new RestateServer({ ingress, admin, headers });
  if (!work) return hostOver(new OnRestate({ server, queue, worker: undefined, options }));
  const reasonOf = (session: string): Promise<string | undefined> => reasonIn(server, session);
  const worker = new RestateWorker({ restate: await loadRestate(), queue, options, reasonOf });
  const own = await worker.listen();
  try {
    await server.register(address ?? own);
  } catch (thrown) {
    await worker.close(0);
    throw thrown;
  }
  return hostOver(new OnRestate({ server, queue, worker, options }));
}

/** The things that the engine is made of. */
interface EngineParts {
  readonly server: RestateServer;
  readonly queue: string;
  /** Undefined in a process that only gives inputs. */
  readonly worker: RestateWorker | undefined;
  readonly options: RestateHostOptions;
}

class OnRestate implements Engine {
  readonly name = "hostOnRestate";
  readonly agents: Agents;
  readonly store: Store;
  readonly terms = [];
  readonly #parts: EngineParts;

  constructor(parts: EngineParts) {
    this.#parts = parts;
    this.agents = parts.options.agents;
    this.store = parts.options.store;
  }

  async give(work: Work, { at }: GivenWith = {}): Promise<Given> {
    const invocation = await this.#send(work.first, work, at === undefined ? undefined : at - Date.now());
    return { ended: () => awaitEnd(invocation, (id) => this.#resultOf(id, work)) };
  }

  abort(session: string, reason: string): Promise<boolean> {
    const { server, queue } = this.#parts;
    return abortOver(
      this.store,
      { session, reason },
      {
        live: async () => {
          const known = (await server.live(session)).filter(({ service }) => service.startsWith(`${queue}.`));
          return known.map(({ id, name, service }) => ({ id, name, agent: service.slice(queue.length + 1) }));
        },
        // A process whose delivery is cancelled reads the reason in this name. The delivery itself ends what a dead process left.
        give: async (stop) => {
          await this.#send(`${stop.first}:${encodeURIComponent(shortened(reason))}`, stop, undefined);
        },
        withdraw: async (live) => {
          await Promise.all(live.map(({ id }) => server.cancel(id)));
        },
      },
    );
  }

  watch(watcher: RunWatcher): () => void {
    return this.#parts.worker?.watch(watcher) ?? (() => undefined);
  }

  async close(timeout: number): Promise<readonly string[]> {
    const { worker, server } = this.#parts;
    const late = (await worker?.close(timeout)) ?? [];
    server.close();
    return late;
  }

  #send(name: string, work: Work, delay: number | undefined): Promise<string> {
    const { server, queue } = this.#parts;
    return server.send({ service: serviceOf(queue, work.agent), session: work.session, name, work, delay });
  }

  async #resultOf(invocation: string, work: Work): Promise<WorkResult> {
    let result: unknown;
    try {
      result = await this.#parts.server.result(invocation);
    } catch (thrown) {
      if (!(thrown instanceof Refusal)) throw thrown;
      if (thrown.http === 409) return withdrawn;
      throw givenUp(invocation, explain(thrown), thrown);
    }
    return result === undefined ? this.#endKept(invocation, work) : (result as WorkResult);
  }

  /** The end of a delivery that Restate has forgotten: a week after its end, or by order. */
  async #endKept(invocation: string, work: Work): Promise<RunEnd> {
    const end = await endInJournal(this.store, work);
    if (end !== undefined) return end;
    throw givenUp(invocation, "it knows it no more, and the journal has no end of its run. Give the input again.");
  }
}

/** The reason with which the last abort of a session was asked for. */
async function reasonIn(server: RestateServer, session: string): Promise<string | undefined> {
  const begin = stopPrefix(session);
  const [stop] = (await server.live(session)).filter(({ name }) => name.startsWith(begin));
  const reason = stop?.name.slice(begin.length).split(":")[1]?.split("~")[0];
  return reason === undefined ? undefined : decodeURIComponent(reason);
}

/** A text without its end if it is long, and without halves of characters. */
function shortened(text: string): string {
  return headOf(text, longest).toWellFormed();
}
