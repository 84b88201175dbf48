// The outside part of a simulated engine: it keeps deliveries, makes them again, at times twice, and at times loses that one was made.

import type { Attempted, Work, WorkResult } from "../../../src/host/host-parts.js";
import type { World } from "../world/world.js";

/** A process that takes deliveries. */
export interface Taker {
  readonly name: string;
  /** True if it is dead: nothing that it was given comes to an end. */
  readonly isGone: boolean;
  take(claim: Claim): void;
}

/** A call of a process for a delivery. */
export interface Claim {
  readonly item: Item;
  readonly taker: Taker;
  /** Called at the engine once the delivery is withdrawn. */
  onCancel: () => void;
}

/** A delivery. */
export interface Item {
  readonly name: string;
  readonly work: Work;
  state: "waiting" | "claimed" | "ended" | "withdrawn" | "failed";
  /** The call that counts: the last one. */
  owner: Claim | undefined;
  /** The result of its step. */
  kept: Attempted | undefined;
  result: WorkResult | undefined;
  /** The error that the engine took for its end. */
  error: unknown;
  readonly waiters: (() => void)[];
}

/** The call is not the one that counts any more. */
export class NotOurs extends Error {
  override readonly name = "NotOurs";
}

/** The server of an engine. */
export class EngineServer {
  readonly items = new Map<string, Item>();
  readonly reasons = new Map<string, string>();
  /** True if an error that a process throws is the end of a delivery, as with DBOS. Otherwise it is made again, as with Restate. */
  readonly recordsErrors: boolean;
  /** Called if a process stands still that has just looked whether a delivery to the session was withdrawn. */
  onStill: (session: string) => void = () => undefined;
  readonly #world: World;
  readonly #takers: () => readonly Taker[];

  constructor(world: World, takers: () => readonly Taker[]) {
    this.#world = world;
    this.#takers = takers;
    this.recordsErrors = world.random.chance(0.6);
  }

  /** The number of deliveries without an end. */
  get open(): number {
    return [...this.items.values()].filter(({ state }) => state === "waiting" || state === "claimed").length;
  }

  /** The first delivery without an end, for people. */
  get firstOpen(): string {
    const first = [...this.items.values()].find(({ state }) => state === "waiting" || state === "claimed");
    return first === undefined ? "" : `(${first.name}: ${first.state}, ${JSON.stringify(first.work)})`;
  }

  /** Keeps a delivery. The same one given again is one. */
  enqueue(name: string, work: Work, delay: number): void {
    if (this.items.has(name)) return;
    const rest = { state: "waiting", owner: undefined, kept: undefined, result: undefined, error: undefined } as const;
    const item: Item = { name, work, ...rest, waiters: [] };
    this.items.set(name, item);
    // Now and then a delivery waits behind many others.
    const behind = this.#world.strikes(0.15) ? this.#world.random.whole(0, 30_000) : 0;
    this.#later(delay + behind, () => {
      this.#dispatch(item);
    });
  }

  /** Keeps the result of a step. @throws NotOurs if another call has the delivery. */
  keep(claim: Claim, attempted: Attempted): void {
    this.check(claim);
    claim.item.kept = attempted;
  }

  /** @throws NotOurs if another call has the delivery, or if it was withdrawn. */
  check({ item, taker }: Claim): void {
    if (item.state !== "claimed" || item.owner?.taker !== taker) throw new NotOurs(`${item.name} is not ours`);
  }

  /** The delivery has come to its end, unless the word of it gets lost: then it is made again. */
  complete(claim: Claim, result: WorkResult): void {
    const { item } = claim;
    if (item.state !== "claimed" || item.owner !== claim) return;
    if (this.#world.strikes(0.05)) {
      this.#again(item, 2000);
      return;
    }
    item.result = result;
    this.#settle(item, "ended");
    if (this.#world.strikes(0.05)) this.#stray(item);
  }

  /** The process threw. */
  fail(claim: Claim, thrown: unknown): void {
    const { item } = claim;
    if (item.state !== "claimed" || item.owner !== claim) return;
    if (!this.recordsErrors) {
      this.#again(item, 500);
      return;
    }
    item.error = thrown;
    this.#settle(item, "failed");
  }

  /** Gives the deliveries that a process has to others. */
  putBack(name: string): void {
    for (const item of this.items.values())
      if (item.state === "claimed" && item.owner?.taker.name === name) this.#again(item, 0);
  }

  /** The deliveries to a session that have no end yet. */
  live(session: string): readonly Item[] {
    return [...this.items.values()].filter(
      ({ state, work }) => work.session === session && (state === "waiting" || state === "claimed"),
    );
  }

  /** True if the last attempt at a delivery was withdrawn. */
  isWithdrawn(first: string): boolean {
    const item = this.items.get(first);
    const { result } = item ?? {};
    return result !== undefined && "next" in result ? this.isWithdrawn(result.next) : item?.state === "withdrawn";
  }

  withdraw(items: readonly Item[]): void {
    for (const item of items) {
      if (item.state !== "waiting" && item.state !== "claimed") continue;
      const { owner } = item;
      this.#settle(item, "withdrawn");
      owner?.onCancel();
    }
  }

  #settle(item: Item, state: Item["state"]): void {
    item.state = state;
    for (const tell of item.waiters.splice(0)) tell();
  }

  #again(item: Item, most: number): void {
    item.state = "waiting";
    item.owner = undefined;
    this.#world.count("redeliveries");
    this.#later(this.#world.random.whole(0, most), () => {
      this.#dispatch(item);
    });
  }

  #dispatch(item: Item): void {
    if (item.state !== "waiting" && item.state !== "claimed") return;
    const { random } = this.#world;
    const takers = this.#takers();
    if (takers.length === 0) {
      this.#again(item, 1000);
      return;
    }
    const claim: Claim = { item, taker: random.pick(takers), onCancel: () => undefined };
    item.state = "claimed";
    item.owner = claim;
    claim.taker.take(claim);
    this.#watch(claim);
    // Taken for dead, and alive.
    if (this.#world.strikes(0.05))
      this.#later(random.whole(0, 3000), () => {
        this.#dispatch(item);
      });
  }

  /** Looks whether the process lives. */
  #watch(claim: Claim): void {
    const { item, taker } = claim;
    this.#later(this.#world.random.whole(1000, 15_000), () => {
      if (item.state !== "claimed" || item.owner !== claim) return;
      if (taker.isGone) this.#again(item, 1000);
      else if (this.#world.strikes(0.03)) this.#dispatch(item);
      else this.#watch(claim);
    });
  }

  /** A delivery that has ended, once more. */
  #stray(item: Item): void {
    this.#later(this.#world.random.whole(100, 20_000), () => {
      const takers = this.#takers();
      if (takers.length === 0) return;
      const taker = this.#world.random.pick(takers);
      taker.take({ item, taker, onCancel: () => undefined });
    });
  }

  /** The engine itself never dies. */
  #later(ms: number, work: () => void): void {
    this.#world.scheduler.after(ms, work, engine);
  }
}

const engine = { name: "engine", skew: 0, isDead: false, awake: 0 };
