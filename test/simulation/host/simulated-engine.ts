// The part of a simulated engine that works in one process: it calls our worker, also after the close began, and throws errors of its own.

import { setMaxListeners } from "node:events";
import type { Store } from "../../../src/memory/index.js";
import {
  abortOver,
  awaitEnd,
  givenUp,
  hostOver,
  waitOver,
  withdrawn,
  Worker,
  type Agents,
  type Attempted,
  type Engine,
  type Given,
  type GivenWith,
  type Hold,
  type StepParts,
  type Work,
  type WorkResult,
} from "../../../src/host/host-parts.js";
import type { Host, RunWatcher } from "../../../src/host/index.js";
import { ConnectionLost, Connections } from "../store/connection.js";
import type { Life } from "../world/life.js";
import type { World } from "../world/world.js";
import { NotOurs, type Claim, type EngineServer, type Taker } from "./engine-server.js";

/** The things that the engine of a process is made of. */
export interface EngineParts {
  readonly world: World;
  readonly server: EngineServer;
  readonly life: Life;
  readonly agents: Agents;
  readonly store: Store;
}

/** The delivery was withdrawn. */
class Withdrawn extends Error {
  override readonly name = "Withdrawn";
}

/** An engine in one process. */
export class SimulatedEngine implements Engine, Taker {
  readonly name: string;
  readonly terms = [];
  readonly agents: Agents;
  readonly store: Store;
  readonly #parts: EngineParts;
  readonly #worker: Worker;
  readonly #connections: Connections;
  readonly #closed = new AbortController();
  #isDown = false;

  constructor(parts: EngineParts) {
    this.#parts = parts;
    this.name = parts.life.name;
    this.agents = parts.agents;
    this.store = parts.store;
    this.#worker = new Worker(parts);
    setMaxListeners(0, this.#closed.signal);
    this.#connections = new Connections(parts.world, parts.life);
  }

  /** The host over it. */
  host(): Host {
    return hostOver(this);
  }

  get isGone(): boolean {
    return this.#parts.life.isDead;
  }

  take(claim: Claim): void {
    const { world, life } = this.#parts;
    world.scheduler.after(1, () => void this.#deliver(claim), life);
  }

  async give(work: Work, { at }: GivenWith = {}): Promise<Given> {
    const delay = at === undefined ? 0 : at - Date.now();
    await this.#insist(() => {
      this.#parts.server.enqueue(work.first, work, delay);
    });
    const isWithdrawn = await this.#insist(() => this.#parts.server.isWithdrawn(work.first));
    return { isWithdrawn, ended: () => awaitEnd(work.first, (name) => this.#resultOf(name)) };
  }

  abort(session: string, reason: string): Promise<boolean> {
    const { server } = this.#parts;
    return abortOver(
      this.store,
      { session, reason },
      {
        live: () => this.#insist(() => server.live(session).map((item) => ({ ...item, agent: item.work.agent, item }))),
        give: (stop) =>
          this.#insist(() => {
            server.enqueue(stop.first, stop, 0);
          }),
        withdraw: (live) =>
          this.#insist(() => {
            server.reasons.set(session, reason);
            server.withdraw(live.map(({ item }) => item));
          }),
      },
    );
  }

  watch(watcher: RunWatcher): () => void {
    return this.#worker.watch(watcher);
  }

  async close(timeout: number): Promise<readonly string[]> {
    const { server } = this.#parts;
    const late = await this.#worker.close(timeout);
    // From here on the engine's own parts are gone, although calls still begin.
    this.#isDown = true;
    await this.#insist(() => {
      server.putBack(this.name);
    });
    this.#closed.abort();
    return late;
  }

  async #deliver(claim: Claim): Promise<void> {
    const { server } = this.#parts;
    try {
      const result = await this.#worker.deliver(claim.item.work, this.#holdOf(claim));
      await this.#untilHeard(() => {
        server.complete(claim, result);
      });
    } catch (thrown) {
      await this.#untilHeard(() => {
        server.fail(claim, thrown);
      });
    }
  }

  #holdOf(claim: Claim): Hold {
    const { world, server, life } = this.#parts;
    const cancel = new AbortController();
    claim.onCancel = () => {
      world.scheduler.after(
        1,
        () => {
          cancel.abort(new Withdrawn("it was withdrawn"));
        },
        life,
      );
    };
    const never = (): Promise<never> => new Promise<never>(() => undefined);
    const give: Hold["give"] = async ({ name, work, delay }) => {
      this.#trip();
      await this.#once(() => {
        server.enqueue(name, work, delay);
      });
      return name;
    };
    return {
      keep: (step) => this.#keep(claim, cancel.signal, step),
      give,
      leave: () => (server.recordsErrors ? never() : Promise.reject(new Error("this process ends"))),
      again: async (thrown, next) => {
        if (!server.recordsErrors) throw thrown;
        for (;;) {
          const name = await give(next).catch(() => undefined);
          if (name !== undefined) return name;
          if (this.#worker.isClosed()) return never();
          await world.scheduler.wait(1000);
        }
      },
      isTaken: (thrown) => thrown instanceof NotOurs || thrown instanceof Withdrawn,
    };
  }

  async #keep(claim: Claim, signal: AbortSignal, step: Parameters<Hold["keep"]>[0]): Promise<Attempted> {
    const { server } = this.#parts;
    const { kept } = await this.#once(() => claim.item);
    if (kept !== undefined) return kept;
    this.#trip();
    const reasonOf = (session: string): Promise<string | undefined> => this.#insist(() => server.reasons.get(session));
    const isWithdrawn: StepParts["isWithdrawn"] = ({ first }) =>
      first === claim.item.work.first ? this.#look(claim) : this.#insist(() => server.isWithdrawn(first));
    const attempted = await step({ signal, reasonOf, isWithdrawn });
    if (signal.aborted) throw signal.reason;
    this.#trip();
    await this.#once(() => {
      server.keep(claim, attempted);
    });
    return attempted;
  }

  /**
   * True if the delivery was withdrawn. Now and then the process stands still before it does something about the answer: then somebody may
   * abort the session. It may die before it looks again: then words of a withdrawn delivery stay in the inbox, and no run takes them.
   */
  async #look({ item }: Claim): Promise<boolean> {
    const { world, server, life } = this.#parts;
    const { random, scheduler } = world;
    const isWithdrawn = await this.#insist(() => server.isWithdrawn(item.work.first));
    if (!world.strikes(0.1)) return isWithdrawn;
    const ms = random.pick([2000, 10_000, 25_000, 50_000]);
    life.pause(ms);
    world.count("pauses after a look");
    server.onStill(item.work.session);
    const die = (): void => {
      life.die();
    };
    if (random.chance(0.5)) scheduler.after(ms + random.whole(1, 500), die, nature);
    // The next event of this process: it happens once the process moves again.
    await scheduler.wait(1);
    return isWithdrawn;
  }

  /** Throws an error of the engine's own, now and then, and most of the time once its parts are gone. */
  #trip(): void {
    const { world } = this.#parts;
    const isTripped = this.#isDown ? world.random.chance(0.8) : world.strikes(this.#worker.isClosed() ? 0.3 : 0.01);
    if (isTripped) throw new TypeError("Cannot read properties of undefined (reading 'ctxLogger')");
  }

  #resultOf(name: string): Promise<WorkResult> {
    const { world, server, life } = this.#parts;
    return new Promise((resolve, reject) => {
      const item = server.items.get(name)!;
      const over = (): void => {
        reject(waitOver());
      };
      const tell = (): void => {
        this.#closed.signal.removeEventListener("abort", over);
        if (item.state === "ended") resolve(item.result!);
        else if (item.state === "withdrawn") resolve(withdrawn);
        else reject(givenUp(name, String(item.error)));
      };
      const ring = (): void => {
        world.scheduler.after(1, tell, life);
      };
      if (this.#closed.signal.aborted) over();
      this.#closed.signal.addEventListener("abort", over, { once: true });
      if (item.state === "waiting" || item.state === "claimed") item.waiters.push(ring);
      else ring();
    });
  }

  /** One statement to the engine. @throws ConnectionLost: an error of the engine's own. */
  #once<Answer>(work: () => Answer): Promise<Answer> {
    return this.#connections.query({ work });
  }

  /** @throws ConnectionLost if it is lost three times. */
  async #insist<Answer>(work: () => Answer): Promise<Answer> {
    for (let left = 3; ; left -= 1) {
      try {
        return await this.#once(work);
      } catch (thrown) {
        if (left === 1 || !(thrown instanceof ConnectionLost)) throw thrown;
        await this.#parts.world.scheduler.wait(100);
      }
    }
  }

  async #untilHeard(work: () => void): Promise<void> {
    const isHeard = await this.#insist(work).then(
      () => true,
      () => false,
    );
    if (isHeard) return;
    await this.#parts.world.scheduler.wait(1000);
    await this.#untilHeard(work);
  }
}

const nature = { name: "nature", skew: 0, isDead: false, awake: 0 };
