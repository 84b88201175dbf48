// The life of a simulated process, from its start to its death. It can die between any two of its words to the outside.

import type { Owner } from "./scheduler.js";
import type { World } from "./world.js";

/** A process that talks to the store, to models and to the outside by way of `say`. */
export class Life implements Owner {
  isDead = false;
  awake = 0;
  /** True once it stood still: what it says afterwards may be about what has changed meanwhile. */
  hasStoodStill = false;
  readonly name: string;
  readonly skew: number;
  /** Called once, when it dies. */
  onDeath: () => void = () => undefined;
  readonly #world: World;
  /** The number of words to the outside after which it dies. */
  #words: number;

  constructor(world: World, name: string, { skew = 0, words = Infinity }: { skew?: number; words?: number } = {}) {
    this.#world = world;
    this.name = name;
    this.skew = skew;
    this.#words = words;
  }

  /** Says a word to the outside. A dying process may have sent its last word or not, and hears nothing of it. */
  say<Answer>(send: () => Promise<Answer>): Promise<Answer> {
    if (this.isDead) return silence();
    this.#words -= 1;
    if (this.#words > 0 || this.#world.isCalm) return send();
    if (this.#world.random.chance(0.5)) void send();
    this.die();
    return silence();
  }

  die(): void {
    if (this.isDead) return;
    this.isDead = true;
    this.#world.count("crashes");
    this.onDeath();
  }

  /** Stands still for so many milliseconds, as a virtual machine that is moved. */
  pause(ms: number): void {
    this.awake = this.#world.scheduler.now + ms;
    this.hasStoodStill = true;
    this.#world.count("pauses");
  }
}

function silence(): Promise<never> {
  return new Promise(() => undefined);
}
