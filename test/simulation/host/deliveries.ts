// A queue that delivers each input at least once: again if nobody acknowledged it in time, at times twice, and at times after its end.

import type { Input } from "../../../src/core/index.js";
import type { World } from "../world/world.js";

/** An input of somebody. */
export interface SentInput {
  /** The id of the input. Its words have it too. */
  readonly id: string;
  readonly session: string;
  readonly input: Input;
  /** The call that it answers, if it answers one. */
  readonly answers?: string | undefined;
}

/** The end of an input, as the host that acknowledged it saw it. */
export type Ending = "taken" | "joined" | "too late" | "failed";

/** An input, and how far its delivery is. */
export interface Delivery extends SentInput {
  attempts: number;
  ending: Ending | undefined;
}

/** A process that takes deliveries. */
export interface Taker {
  /** False if it is dead. */
  take(delivery: Delivery): boolean;
}

/** The queue. */
export class Deliveries {
  readonly all: Delivery[] = [];
  readonly #world: World;
  readonly #takers: () => readonly Taker[];

  constructor(world: World, takers: () => readonly Taker[]) {
    this.#world = world;
    this.#takers = takers;
  }

  /** The number of inputs that nobody has acknowledged. */
  get open(): number {
    return this.all.filter(({ ending }) => ending === undefined).length;
  }

  add(input: SentInput): void {
    const delivery: Delivery = { ...input, attempts: 0, ending: undefined };
    this.all.push(delivery);
    this.#later(0, () => {
      this.#deliver(delivery);
    });
  }

  /** Takes the input off the queue, unless the word of it gets lost. */
  acknowledge(delivery: Delivery, ending: Ending): void {
    const { random } = this.#world;
    if (this.#world.strikes(0.03)) return;
    delivery.ending ??= ending;
    if (this.#world.strikes(0.1))
      this.#later(random.whole(100, 20_000), () => {
        this.#give(delivery);
      });
  }

  /** Gives the input back, to be delivered soon. */
  refuse(delivery: Delivery): void {
    this.#later(this.#world.random.whole(500, 4000), () => {
      if (delivery.ending === undefined) this.#give(delivery);
    });
  }

  #deliver(delivery: Delivery): void {
    if (delivery.ending !== undefined) return;
    const { random } = this.#world;
    delivery.attempts += 1;
    if (delivery.attempts > 1) this.#world.count("redeliveries");
    this.#give(delivery);
    if (this.#world.strikes(0.08)) this.#give(delivery);
    const visible = random.chance(0.1) ? random.whole(2000, 20_000) : random.whole(30_000, 50_000);
    this.#later(visible, () => {
      this.#deliver(delivery);
    });
  }

  #give(delivery: Delivery): void {
    this.#world.random.pick(this.#takers()).take(delivery);
  }

  /** The queue itself never dies. */
  #later(ms: number, work: () => void): void {
    this.#world.scheduler.after(ms, work, queueItself);
  }
}

const queueItself = { name: "queue", skew: 0, isDead: false, awake: 0 };
