// A simulated process: a host over the engine, or over the store alone. It is killed, stands still and is told to stop, and starts again.

import { sharedLimits, type SharedLimits } from "../../../src/core/index.js";
import { hostInProcess, type Host, type HostAgent } from "../../../src/host/index.js";
import type { Store } from "../../../src/memory/index.js";
import { agents } from "../agent/agents.js";
import { simulatedStore } from "../store/simulated-store.js";
import { Life } from "../world/life.js";
import type { Taker } from "./engine-server.js";
import { buggySession } from "./planted-session.js";
import { SimulatedEngine } from "./simulated-engine.js";
import { sharedIterations, toldOf, type Site } from "./site.js";

/** The name of an agent by its number. */
export function nameOfAgent(number: number): string {
  return `agent${String(number)}`;
}

/** A process, which starts again some time after it died. */
export class Process {
  readonly #site: Site;
  readonly #name: string;
  readonly #skew: number;
  #lives = 0;
  #active = 0;
  #life: Life;
  #engine: SimulatedEngine | undefined;
  #host: Host | undefined;

  constructor(site: Site, name: string) {
    const { random, weather } = site.world;
    this.#site = site;
    this.#name = name;
    this.#skew = weather.skew === 0 ? 0 : random.whole(-weather.skew, weather.skew);
    this.#life = this.#born();
  }

  /** The number of its runs that have not ended. */
  get active(): number {
    return this.#life.isDead ? 0 : this.#active;
  }

  /** The engine's part of this life. Undefined before it is there. */
  get taker(): Taker | undefined {
    return this.#engine;
  }

  /** Has the process do something with its host, and returns the answer. It never settles if the process dies meanwhile. */
  call<Answer>(work: (host: Host) => Promise<Answer>): Promise<Answer> {
    const { scheduler } = this.#site.world;
    const [life, host, caller] = [this.#life, this.#host, scheduler.owner];
    return new Promise((resolve, reject) => {
      const answer = (settle: () => void): void => {
        scheduler.after(1, settle, caller);
      };
      if (life.isDead || host === undefined) {
        answer(() => {
          reject(new Error("nobody listens"));
        });
        return;
      }
      const ask = (): void => {
        work(host).then(
          (value) => {
            answer(() => {
              resolve(value);
            });
          },
          (thrown: unknown) => {
            answer(() => {
              reject(thrown instanceof Error ? thrown : new Error(String(thrown)));
            });
          },
        );
      };
      scheduler.after(1, ask, life);
    });
  }

  /** Begins to live. From then on it is killed, stands still and is told to stop, until the weather is calm. */
  start(): void {
    const { world } = this.#site;
    const { scheduler, random } = world;
    const life = this.#life;
    scheduler.after(0, () => void this.#launch(life), life);
    const trouble = (): void => {
      if (world.isCalm || life.isDead) return;
      const kind = random.whole(1, 10);
      if (kind <= 2) life.die();
      else if (kind <= 4) life.pause(random.pick([500, 5000, 35_000, 60_000]));
      else if (kind <= 6) this.retire();
      scheduler.after(random.whole(5000, 40_000), trouble, nature);
    };
    scheduler.after(random.whole(1000, 40_000), trouble, nature);
  }

  /** Stops as on a deploy: closes its host, and exits. Now and then it is killed before that. */
  retire(): void {
    const { world } = this.#site;
    const [life, host] = [this.#life, this.#host];
    if (life.isDead) return;
    world.count("closes");
    const timeout = world.random.pick([0, 1000, 10_000]);
    const exit = (): void => {
      life.die();
    };
    const close = async (): Promise<void> => {
      await host?.close({ timeout }).catch(() => undefined);
      world.scheduler.after(world.random.whole(0, 500), exit, nature);
    };
    world.scheduler.after(0, () => void close(), life);
    world.scheduler.after(world.strikes(0.3) ? world.random.whole(0, 3000) : 30_000, exit, nature);
  }

  #born(): Life {
    const { world } = this.#site;
    const { random, weather } = world;
    this.#lives += 1;
    const words = random.whole(1, 2 * weather.words);
    const life = new Life(world, `${this.#name}.${String(this.#lives)}`, { skew: this.#skew, words });
    life.onDeath = () => {
      world.scheduler.after(
        random.whole(500, 15_000),
        () => {
          this.#life = this.#born();
          this.#engine = undefined;
          this.#host = undefined;
          this.#active = 0;
          this.start();
        },
        nature,
      );
    };
    return life;
  }

  /** A process that can't make its host ends, and starts again. */
  async #launch(life: Life): Promise<void> {
    const { world, server } = this.#site;
    const store = simulatedStore({ ...this.#site, life });
    const known = this.#agents(life, store);
    try {
      if (server === undefined) {
        this.#host = await hostInProcess({ agents: known, store });
        return;
      }
      this.#engine = new SimulatedEngine({ world, server, life, agents: known, store });
      this.#host = this.#engine.host();
    } catch {
      life.die();
    }
  }

  #agents(life: Life, store: Store): Readonly<Record<string, HostAgent>> {
    const budget = sharedLimits({ maxIterations: sharedIterations });
    return Object.fromEntries(
      agents.map((_agent, number) => [nameOfAgent(number), this.#agent(number, { life, store, budget })]),
    );
  }

  /** An agent as a host has it. It tells the outcomes of its runs. */
  #agent(
    number: number,
    { life, budget }: { readonly life: Life; readonly store: Store; readonly budget: SharedLimits },
  ): HostAgent {
    const { world, sharesLimits, told } = this.#site;
    return {
      stream: (input, { session, inputId, answers, ...signals }) => {
        const forgets = world.planted === "double-answer";
        const ids = forgets ? { inputId: `${inputId ?? ""}/${String(world.random.next())}` } : { inputId, answers };
        const stream = agents[number]!.stream(input, {
          ...{ session: buggySession(world.planted, session), ...signals },
          ...ids,
          ...(sharesLimits && { budget }),
        });
        this.#active += 1;
        let hasBegun = input !== undefined;
        void stream.outcome.then((outcome) => {
          if (!life.isDead) this.#active -= 1;
          // A session that has ended meanwhile only says once more how.
          if (hasBegun) told.push(toldOf(outcome, { worker: life.name, session: session.id }));
        });
        return {
          outcome: stream.outcome,
          async *[Symbol.asyncIterator]() {
            for await (const event of stream) {
              hasBegun ||= event.type === "run-start";
              yield event;
            }
          },
        };
      },
    };
  }
}

/** What kills processes and starts them. */
const nature = { name: "nature", skew: 0, isDead: false, awake: 0 };
