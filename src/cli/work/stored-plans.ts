// The schedules of the command: rows in the database of the workers, which state them to their hosts.

import { setTimeout as sleep } from "node:timers/promises";
import { LastcallError } from "../../core/index.js";
import { explain } from "../../core/internal.js";
import type { DbosPool } from "../../dbos/index.js";
import type { Host, HostPlan } from "../../host/index.js";
import { visible } from "../display/visible.js";

/** A task that comes at times. */
export type StoredPlan = Pick<HostPlan, "name" | "at" | "every"> & {
  readonly agent: string;
  readonly input: string;
  /** The session of a task that comes once. */
  readonly session?: string;
};

/** Two processes that make a table at once would fail without the lock. One query of several statements is one transaction. */
const table = `select pg_advisory_xact_lock(hashtext('lastcall.plans'));
create table if not exists lastcall_plans (
  queue text, name text, agent text not null, input text not null, at float8, every float8, session text, primary key (queue, name)
)`;

/** The schedules of the workers of one queue. */
export class StoredPlans {
  readonly #pool: DbosPool;
  readonly #queue: string;
  #made: Promise<unknown> | undefined;

  constructor(pool: DbosPool, queue: string) {
    this.#pool = pool;
    this.#queue = queue;
  }

  /** All schedules by name. A schedule of one time is gone once that time is over. */
  async list(): Promise<readonly StoredPlan[]> {
    await this.#run("delete from lastcall_plans where queue = $1 and every is null and at < $2", [Date.now()]);
    const rows = await this.#run(
      "select name, agent, input, at, every, session from lastcall_plans where queue = $1 order by name",
    );
    return rows.map(planIn);
  }

  /** Keeps a schedule in the place of schedules with its name, and returns these. Each is returned to one process alone. */
  async keep({ name, agent, input, at, every, session }: StoredPlan): Promise<readonly StoredPlan[]> {
    const text = "insert into lastcall_plans values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing returning name";
    const values = [name, agent, input, at ?? null, every ?? null, session ?? null];
    const replaced: StoredPlan[] = [];
    do {
      const old = await this.remove(name);
      if (old !== undefined) replaced.push(old);
      // Another process may keep a schedule with the name meanwhile.
    } while ((await this.#run(text, values)).length === 0);
    return replaced;
  }

  /** Removes a schedule, and returns it; undefined if no schedule has that name. */
  async remove(name: string): Promise<StoredPlan | undefined> {
    const text =
      "delete from lastcall_plans where queue = $1 and name = $2 returning name, agent, input, at, every, session";
    return (await this.#run(text, [name])).map(planIn)[0];
  }

  async #run(text: string, values: readonly unknown[] = []): Promise<readonly Readonly<Record<string, unknown>>[]> {
    this.#made ??= this.#pool.query(table).catch((thrown: unknown) => {
      this.#made = undefined;
      throw thrown;
    });
    await this.#made;
    return (await this.#pool.query(text, [this.#queue, ...values])).rows;
  }
}

function planIn(row: Readonly<Record<string, unknown>>): StoredPlan {
  const { at, every, session } = row;
  return {
    name: String(row["name"]),
    agent: String(row["agent"]),
    input: String(row["input"]),
    ...(typeof at === "number" && { at }),
    ...(typeof every === "number" && { every }),
    ...(typeof session === "string" && { session }),
  };
}

/** Milliseconds between two looks for schedules that were made or removed. */
const between = 2000;

/** The parts of a worker that states schedules. */
export interface Stating {
  readonly host: Pick<Host, "schedule">;
  /** The agent of this worker. */
  readonly agent: string;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

/** States the schedules of an agent that come again and again, as they are kept, until the signal aborts. It never throws. */
export async function statePlans(
  plans: Pick<StoredPlans, "list">,
  { host, agent, signal, say }: Stating,
): Promise<void> {
  /** The ends of the schedules that are stated, by what they are. */
  const stated = new Map<string, () => void>();
  /** The schedules that can't be stated, by what they are. */
  const refused = new Set<string>();
  const isOver = (): boolean => signal.aborted;
  const look = async (): Promise<void> => {
    const wanted = (await plans.list()).filter((plan) => plan.every !== undefined && plan.agent === agent);
    const byKey = new Map(wanted.map((plan) => [JSON.stringify(plan), plan]));
    for (const [key, stop] of stated) {
      if (byKey.has(key)) continue;
      stop();
      stated.delete(key);
    }
    for (const key of refused) if (!byKey.has(key)) refused.delete(key);
    for (const [key, plan] of byKey) if (!stated.has(key) && !refused.has(key)) await state(key, plan);
  };
  /** A schedule that can't be stated keeps no other from its times: another version may have written it. */
  const state = async (key: string, plan: StoredPlan): Promise<void> => {
    try {
      stated.set(key, await host.schedule(plan));
    } catch (thrown) {
      if (!(thrown instanceof LastcallError) || thrown.code !== "configuration" || isOver()) throw thrown;
      refused.add(key);
      say(visible(`The schedule ${plan.name} is left out: ${thrown.message}`));
    }
  };
  let isTold = false;
  while (!isOver()) {
    try {
      await look();
      isTold = false;
    } catch (thrown) {
      if (!isTold && !isOver()) say(visible(`The schedules can't be read: ${explain(thrown)} It is tried again.`));
      isTold = true;
    }
    await sleep(between, undefined, { signal }).catch(() => undefined);
  }
  for (const stop of stated.values()) stop();
}
