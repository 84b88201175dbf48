// The people of a session: they say things at any time, follow the session, and answer its questions, at times twice or too late.

import type { JournalRecord } from "../../../src/core/index.js";
import { followSession, type Store } from "../../../src/memory/index.js";
import { simulatedStore } from "../store/simulated-store.js";
import { Life } from "../world/life.js";
import type { Site } from "./site.js";

/** The people of one session. */
export class People {
  /** The records that they have seen. */
  readonly seen: JournalRecord[] = [];
  readonly session: string;
  readonly #site: Site;
  readonly #life: Life;
  readonly #store: Store;
  readonly #stop = new AbortController();
  #said = 0;
  #answers = 0;
  /** The number of things that they are about to say. */
  pending = 0;

  constructor(site: Site, session: string) {
    this.#site = site;
    this.session = session;
    this.#life = new Life(site.world, `people of ${session}`);
    this.#store = simulatedStore({ ...site, life: this.#life });
  }

  /** Says some things, and follows the session from now on. */
  start(): void {
    const { random, scheduler, weather } = this.#site.world;
    let at = random.whole(0, 5000);
    for (let left = random.whole(1, 4); left > 0; left -= 1) {
      this.#later(at, () => {
        this.#say();
      });
      // Words come in bursts, into a run that is at work, or long after its end.
      at = random.chance(0.5) ? at + random.whole(0, 4000) : random.whole(0, weather.until);
    }
    scheduler.after(random.whole(0, 3000), () => void this.#follow(), this.#life);
  }

  /** Ends the following. */
  stop(): void {
    this.#stop.abort();
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        const after = this.seen.length - 1;
        for await (const records of followSession({ store: this.#store, id: this.session, after, signal })) {
          this.seen.push(...records);
          for (const record of records) this.#see(record);
        }
      } catch (thrown) {
        if (!String(thrown).includes("connection was lost")) {
          this.#site.world.find(`${this.session}: its followers saw ${String(thrown)}`);
          return;
        }
        await this.#site.world.scheduler.wait(1000);
      }
    }
  }

  #see(record: JournalRecord): void {
    const asked = questionIn(record);
    const { random } = this.#site.world;
    if (asked === undefined || random.chance(0.1) || this.#answers >= 6) return;
    this.#answers += 1;
    const delay = random.pick([20, 500, 3000, 20_000, 60_000]);
    this.#later(delay, () => {
      this.#answer(asked);
    });
    if (random.chance(0.3))
      this.#later(random.pick([0, delay, delay + 2000]), () => {
        this.#answer(asked);
      });
  }

  #say(): void {
    const id = this.#newId();
    this.#site.deliveries.add({ id, session: this.session, input: `Do <${id}>, please.` });
  }

  #answer({ id: answers, isApproval }: Asked): void {
    const id = this.#newId();
    const { random } = this.#site.world;
    const input = isApproval ? { allowed: random.chance(0.7), reason: `<${id}>` } : `Answer <${id}>.`;
    this.#site.deliveries.add({ id, session: this.session, input, answers });
  }

  #newId(): string {
    this.#said += 1;
    return `${this.session}-${String(this.#said)}`;
  }

  #later(ms: number, work: () => void): void {
    this.pending += 1;
    const done = (): void => {
      this.pending -= 1;
      work();
    };
    this.#site.world.scheduler.after(ms, done, this.#life);
  }
}

/** A call that waits. */
interface Asked {
  readonly id: string;
  readonly isApproval: boolean;
}

function questionIn(record: JournalRecord): Asked | undefined {
  if (record.type === "claim" && record.ending === "waiting") return { id: record.callId, isApproval: false };
  if (record.type === "question") return { id: record.id, isApproval: false };
  return record.type === "parked" ? { id: record.callId, isApproval: true } : undefined;
}
