// The people of a session: they say things at any time, answer its questions, at times twice, too early or too late, abort it, and resume it.

import type { JournalRecord } from "../../../src/core/index.js";
import { LastcallError } from "../../../src/core/index.js";
import { followSession, type Store } from "../../../src/memory/index.js";
import { simulatedStore } from "../store/simulated-store.js";
import { epoch } from "../world/globals.js";
import { Life } from "../world/life.js";
import { askHost, type Ask, type Given } from "./asks.js";
import { nameOfAgent } from "./process.js";
import type { Asked, Site } from "./site.js";

/** Milliseconds after which a client asks again that heard nothing. */
const patience = 20_000;

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
  /** The number of things that they are about to say, or that no host has acknowledged. */
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
    for (let aborts = random.pick([0, 0, 0, 0, 1, 4]); aborts > 0; aborts -= 1)
      this.#later(random.whole(2000, weather.until), () => {
        this.#ask({ kind: "abort", ...this.#named() });
      });
    scheduler.after(random.whole(0, 3000), () => void this.#follow(), this.#life);
  }

  /** Somebody may abort the session right now: a process stands still that has a delivery to it. */
  mayAbort(): void {
    const { random } = this.#site.world;
    if (random.chance(0.6))
      this.#later(random.whole(1, 1500), () => {
        this.#ask({ kind: "abort", ...this.#named() });
      });
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
    const { random } = this.#site.world;
    if (record.type === "outcome" && ["aborted", "stopped", "failed"].includes(record.status) && random.chance(0.4)) {
      this.#later(random.pick([10, 3000, 30_000]), () => {
        this.#ask({ kind: "resume", ...this.#named() });
      });
    }
    const due = dueIn(record);
    if (due === undefined || random.chance(0.1) || this.#answers >= 6) return;
    this.#answers += 1;
    const delay = random.pick([20, 500, 3000, 20_000, 60_000]);
    this.#later(delay, () => {
      this.#answer(due);
    });
    if (random.chance(0.3))
      this.#later(random.pick([0, delay, delay + 2000]), () => {
        this.#answer(due);
      });
  }

  #say(): void {
    const { world } = this.#site;
    const named = this.#named();
    const words = { ...named, agent: nameOfAgent(this.#site.agentOf(this.session)), text: `Do <${named.id}>, please.` };
    const hasQueue = this.#site.server !== undefined;
    if (this.seen.length > 0 && world.random.chance(0.25)) this.#ask({ kind: "steer", ...words });
    else if (hasQueue && world.random.chance(0.1))
      this.#ask({ kind: "plan", ...words, at: epoch + world.scheduler.now + world.random.whole(0, 20_000) });
    else this.#ask({ kind: "start", ...words });
  }

  #answer({ id: callId, digest }: Due): void {
    const named = this.#named();
    const { random } = this.#site.world;
    if (digest !== undefined) this.#ask({ kind: "approve", ...named, callId, digest, allowed: random.chance(0.7) });
    else this.#ask({ kind: "answer", ...named, callId, text: `Answer <${named.id}>.`, hasId: random.chance(0.7) });
  }

  /** Asks hosts until one of them has it, or refuses it. */
  #ask(ask: Ask): void {
    const { world, database, asked } = this.#site;
    const lines = database.row(this.session).lines.length;
    const one: Asked = { ask, since: world.scheduler.now, lines, times: 0 };
    asked.push(one);
    this.pending += 1;
    void this.#insist(one);
  }

  async #insist(one: Asked): Promise<void> {
    const { world } = this.#site;
    while (one.acknowledged === undefined && one.refused === undefined) {
      const how = await this.#once(one);
      if (how === "again") await world.scheduler.wait(world.random.whole(200, 3000));
    }
    this.pending -= 1;
    // Somebody who aborts has something else to say.
    const { random } = world;
    if (one.ask.kind !== "abort" || random.chance(0.4)) return;
    this.#later(random.pick([1, 100, 2000]), () => {
      this.#say();
    });
  }

  async #once(one: Asked): Promise<"heard" | "again"> {
    const { world, database } = this.#site;
    const process = world.random.pick(this.#site.processes());
    one.times += 1;
    try {
      const asking = process.call((host) => this.#andItsEnd(one, askHost(host, one.ask)));
      const given = await Promise.race([asking, world.scheduler.wait(patience)]);
      if (given === undefined) return "again";
      one.linesThen = database.row(this.session).lines.length;
      one.acknowledged = world.scheduler.now;
      if (!given.isDone) one.refused = "there was nothing to abort";
      return "heard";
    } catch (thrown) {
      const isRefused = thrown instanceof LastcallError && thrown.code === "configuration";
      if (!isRefused || thrown.message.startsWith("The host closes")) return "again";
      one.refused = thrown.message;
      return "heard";
    }
  }

  /** In the process of the host: waits for the end of the run, too, as long as this process lives. */
  async #andItsEnd(one: Asked, asking: Promise<Given>): Promise<Given> {
    const given = await asking;
    given.ended?.().then(
      (end) => {
        if (end.suspended !== true) one.end = end;
      },
      // The host closes, or the engine gave the delivery up: the journal shows what became of the input.
      () => undefined,
    );
    return given;
  }

  #named(): { readonly id: string; readonly session: string } {
    this.#said += 1;
    return { id: `${this.session}-${String(this.#said)}`, session: this.session };
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
interface Due {
  readonly id: string;
  /** For an approval. */
  readonly digest: string | undefined;
}

function dueIn(record: JournalRecord): Due | undefined {
  if (record.type === "claim" && record.ending === "waiting") return { id: record.callId, digest: undefined };
  if (record.type === "question") return { id: record.id, digest: undefined };
  return record.type === "parked" ? { id: record.callId, digest: record.digest } : undefined;
}
