// A simulated worker: takes deliveries, runs the agent on their sessions, and acknowledges an input once its run has ended.

import { setMaxListeners } from "node:events";
import {
  outcomeOf,
  sharedLimits,
  type AnyOutcome,
  type Event,
  type OpenSession,
  type SharedLimits,
} from "../../../src/core/index.js";
import { openSession, type Store } from "../../../src/memory/index.js";
import { agents } from "../agent/agents.js";
import { simulatedStore } from "../store/simulated-store.js";
import { Life } from "../world/life.js";
import type { Delivery, Taker } from "./deliveries.js";
import { buggySession } from "./planted-session.js";
import { endingOf, sharedIterations, toldOf, type Site } from "./site.js";

/** A worker, which starts again some time after it died. */
export class Worker implements Taker {
  readonly #site: Site;
  readonly #name: string;
  readonly #skew: number;
  #lives = 0;
  #active = 0;
  #life: Life;
  #store: Store;
  #suspend = suspension();
  #budget = sharedLimits({ maxIterations: sharedIterations });

  constructor(site: Site, name: string) {
    const { random, weather } = site.world;
    this.#site = site;
    this.#name = name;
    this.#skew = weather.skew === 0 ? 0 : random.whole(-weather.skew, weather.skew);
    this.#life = this.#born();
    this.#store = simulatedStore({ ...site, life: this.#life });
  }

  take(delivery: Delivery): boolean {
    if (this.#life.isDead || this.#suspend.signal.aborted) return false;
    this.#site.world.scheduler.after(1, () => void this.#work(delivery), this.#life);
    return true;
  }

  /** Begins to live. From then on it is killed, stands still and is told to stop, until the weather is calm. */
  start(): void {
    const { world } = this.#site;
    const { scheduler, random } = world;
    const life = this.#life;
    const trouble = (): void => {
      if (world.isCalm || life.isDead) return;
      const kind = random.whole(1, 10);
      if (kind <= 2) life.die();
      else if (kind <= 4) life.pause(random.pick([500, 5000, 35_000, 60_000]));
      else if (kind === 5) this.#retire(life);
      scheduler.after(random.whole(5000, 40_000), trouble, nature);
    };
    scheduler.after(random.whole(1000, 40_000), trouble, nature);
    if (this.#lives > 1 && random.chance(0.4)) scheduler.after(10, () => void this.#lookForLeft(5), life);
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
          this.#bornAgain();
        },
        nature,
      );
    };
    return life;
  }

  #bornAgain(): void {
    this.#life = this.#born();
    this.#store = simulatedStore({ ...this.#site, life: this.#life });
    this.#suspend = suspension();
    this.#budget = sharedLimits({ maxIterations: sharedIterations });
    this.#active = 0;
    this.start();
  }

  /** Stops as on a deploy: suspends all runs, and exits after a while. */
  #retire(life: Life): void {
    const { scheduler, random } = this.#site.world;
    this.#site.world.count("suspensions");
    const { owner } = scheduler;
    scheduler.owner = life;
    this.#suspend.abort(new DOMException("The server stops.", "AbortError"));
    scheduler.owner = owner;
    scheduler.after(
      random.whole(1000, 10_000),
      () => {
        life.die();
      },
      nature,
    );
  }

  /** The number of its runs that have not ended. */
  get active(): number {
    return this.#life.isDead ? 0 : this.#active;
  }

  /** Goes on with all that dead processes left. Tells how many sessions that were, if the store could be asked. */
  sweep(onEnd: (found: number) => void): void {
    if (!this.#life.isDead)
      this.#site.world.scheduler.after(0, () => void this.#lookForLeft(Infinity, onEnd), this.#life);
  }

  async #work(delivery: Delivery): Promise<void> {
    const { world } = this.#site;
    const { session: id, input, answers } = delivery;
    const forgets = world.planted === "double-answer";
    const given = forgets
      ? { inputId: `${delivery.id}/${String(world.random.next())}` }
      : { inputId: delivery.id, answers };
    this.#active += 1;
    try {
      const { deliveries } = this.#site;
      const agent = agents[this.#site.agentOf(id)]!;
      const outcome = await agent.run(input, { session: this.#open(id), ...given, ...this.#terms() });
      this.#tell(id, outcome);
      const ending = endingOf(outcome, answers);
      if (ending === undefined) deliveries.refuse(delivery);
      else deliveries.acknowledge(delivery, ending);
    } catch (thrown) {
      world.find(`${id}: a run threw: ${String(thrown)}`);
    }
    this.#active -= 1;
  }

  /** Goes on with the sessions whose run some process left. */
  async #lookForLeft(most: number, onEnd?: (found: number) => void): Promise<void> {
    this.#active += 1;
    let found = 0;
    try {
      for (const { id } of (await this.#store.list()).slice(0, most)) {
        const session = await openSession({ store: this.#store, id }).toJSON();
        if (outcomeOf(session) !== undefined) continue;
        found += 1;
        await this.#resume(id);
      }
      onEnd?.(found);
    } catch {
      // The store could not be asked. The queue delivers what is open, and somebody looks again.
    }
    this.#active -= 1;
  }

  async #resume(id: string): Promise<void> {
    let hasBegun = false;
    const onEvent = ({ type }: Event): void => {
      hasBegun ||= type === "run-start";
    };
    const agent = agents[this.#site.agentOf(id)]!;
    const outcome = await agent.resume(this.#open(id), { ...this.#terms(), onEvent });
    // A session that has ended meanwhile only says once more how.
    if (hasBegun) this.#tell(id, outcome);
  }

  #terms(): { readonly suspend: AbortSignal; readonly budget?: SharedLimits } {
    return { suspend: this.#suspend.signal, ...(this.#site.sharesLimits && { budget: this.#budget }) };
  }

  #open(id: string): OpenSession {
    const { world } = this.#site;
    const onTorn = (_characters: number, message: string): void => {
      world.find(message);
    };
    return buggySession(world.planted, openSession({ store: this.#store, id, onTorn }));
  }

  #tell(session: string, outcome: AnyOutcome): void {
    this.#site.told.push(toldOf(outcome, { worker: this.#life.name, session }));
  }
}

/** Aborts once the worker is told to stop. All of its runs listen. */
function suspension(): AbortController {
  const suspend = new AbortController();
  setMaxListeners(0, suspend.signal);
  return suspend;
}

/** What kills processes and starts them. */
const nature = { name: "nature", skew: 0, isDead: false, awake: 0 };
