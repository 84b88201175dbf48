// A simulated world: its time, its choices, its weather, and what the checks will look at.

import type { Usage } from "../../../src/core/index.js";
import { randomOf, type Random } from "./random.js";
import type { Bug } from "./planted.js";
import { Scheduler } from "./scheduler.js";

/** How bad things are. */
export interface Weather {
  /** The share of statements whose connection breaks. */
  readonly lost: number;
  /** The share of statements that take seconds. */
  readonly slow: number;
  /** Milliseconds of an ordinary way to the store, at most. */
  readonly way: number;
  /** The share of hints that get lost. */
  readonly deaf: number;
  /** Milliseconds by which a worker's clock is wrong, at most. */
  readonly skew: number;
  /** Words to the outside that a worker says before it dies, on average. */
  readonly words: number;
  /** Milliseconds after which no more faults happen. */
  readonly until: number;
  /** The times at which nobody reaches the store, nor the engine. */
  readonly outages: readonly { readonly from: number; readonly to: number }[];
}

/** Something that a tool did at the outside. */
export interface Effect {
  readonly callId: string;
  readonly tool: string;
  readonly worker: string;
  /** The time at which the worker asked for it. */
  readonly sent: number;
  readonly at: number;
}

/** A reply that a provider charged for. */
export interface Charge {
  readonly key: string;
  readonly worker: string;
  /** The time at which the worker asked for it. */
  readonly sent: number;
  readonly usage: Usage;
}

/** A world that runs from a seed. */
export class World {
  readonly scheduler = new Scheduler();
  readonly random: Random;
  readonly effects: Effect[] = [];
  readonly charges: Charge[] = [];
  /** What was seen to be wrong while it happened. */
  readonly findings: string[] = [];
  /** The findings of the database's own list of leases: an additional check, which does not end the world. */
  readonly facts: string[] = [];
  /** How often things happened. */
  readonly counts = new Map<string, number>();
  readonly weather: Weather;
  readonly planted: Bug | undefined;

  constructor(seed: number, planted: Bug | undefined) {
    this.random = randomOf(seed);
    this.planted = planted;
    const { random } = this;
    const until = random.whole(60, 300) * 1000;
    this.weather = {
      lost: random.pick([0, 0.005, 0.02, 0.06]),
      slow: random.pick([0, 0.01, 0.04]),
      way: random.pick([1, 4, 20]),
      deaf: random.pick([0, 0.1, 0.5]),
      skew: random.pick([0, 1000, 90_000]),
      words: random.pick([20, 60, 200, 1000]),
      until,
      outages: Array.from({ length: random.pick([0, 0, 1, 3]) }, () => {
        const from = random.whole(0, until);
        return { from, to: Math.min(until, from + random.whole(500, 15_000)) };
      }),
    };
  }

  /** True while nobody reaches the store, nor the engine. */
  get isOut(): boolean {
    const { now } = this.scheduler;
    return this.weather.outages.some(({ from, to }) => now >= from && now < to);
  }

  /** True once no more faults happen. */
  get isCalm(): boolean {
    return this.scheduler.now > this.weather.until;
  }

  /** True with this probability, and never once the weather is calm. */
  strikes(probability: number): boolean {
    return this.random.chance(probability) && !this.isCalm;
  }

  count(what: string, times = 1): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + times);
  }

  /** The database's list of leases does not hold. What comes of it is for the journals to show. */
  doubt(fact: string): void {
    this.facts.push(fact);
  }

  /** Something is wrong: nothing more has to happen. */
  find(finding: string): void {
    this.findings.push(finding);
    this.scheduler.stop();
  }
}
