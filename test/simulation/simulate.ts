// Simulates one seed: workers, sessions and people in one process and no time, and then the checks.

import { createHash } from "node:crypto";
import { enter } from "./agent/place.js";
import { agents } from "./agent/agents.js";
import { checkWorld } from "./check/check-world.js";
import { Deliveries } from "./host/deliveries.js";
import { People } from "./host/people.js";
import type { Site, Told } from "./host/site.js";
import { Worker } from "./host/worker.js";
import { Database } from "./store/database.js";
import { replaceGlobals } from "./world/globals.js";
import { World } from "./world/world.js";
import type { Bug } from "./world/planted.js";
import { randomOf } from "./world/random.js";

/** The result of a seed. */
export interface Simulated {
  readonly seed: number;
  /** The findings: from the journals and from events outside first, then from the facts. Empty if nothing is wrong. */
  readonly findings: readonly string[];
  /** The findings of the database's own list of leases. */
  readonly facts: readonly string[];
  /** The digest of all journals and of all effects. */
  readonly digest: string;
  /** The journals: lines by session. */
  readonly journals: Readonly<Record<string, readonly string[]>>;
  /** How often things happened. */
  readonly counts: ReadonlyMap<string, number>;
}

/** Everybody in a world, and the most events that it may take. */
interface Cast {
  readonly crew: readonly Worker[];
  readonly people: readonly People[];
  readonly most: number;
}

/** The number of workers and sessions of a seed: a few, in each hundredth more, and at times hundreds and thousands. */
function sizeOf(seed: number): { readonly workers: number; readonly sessions: number } {
  const random = randomOf(seed ^ 0x5bd1e995);
  if (seed % 2500 === 0) return { workers: random.whole(200, 300), sessions: random.whole(1000, 1200) };
  if (seed % 100 === 0) return { workers: random.whole(15, 30), sessions: random.whole(20, 40) };
  return { workers: random.whole(2, 6), sessions: random.pick([1, 1, 2, 3]) };
}

/** Simulates a seed, with a bug if one is planted. */
export async function simulate(seed: number, planted?: Bug): Promise<Simulated> {
  const world = new World(seed, planted);
  const { scheduler, random } = world;
  const back = replaceGlobals(scheduler, random);
  enter(world);
  try {
    const { workers, sessions } = sizeOf(seed);
    const crew: Worker[] = [];
    const deliveries = new Deliveries(world, () => crew);
    const database = new Database(world);
    const told: Told[] = [];
    const agentOf = (session: string): number => Number(session.slice(1)) % agents.length;
    const site: Site = { world, database, deliveries, agentOf, told, sharesLimits: random.chance(0.2) };
    for (let index = 0; index < workers; index += 1) crew.push(new Worker(site, `w${String(index)}`));
    const people = Array.from({ length: sessions }, (_none, index) => new People(site, `s${String(index)}`));
    for (const one of [...crew, ...people]) one.start();
    await runToEnd(site, { crew, people, most: 50_000 + 5000 * (workers + sessions) });
    if (world.findings.length === 0) checkWorld(site, people);
    return resultOf(seed, site);
  } finally {
    enter(undefined);
    back();
  }
}

/** Lets time pass until the weather is calm, everything that was said is acknowledged, and nothing has happened for a while. */
async function runToEnd(site: Site, { crew, people, most }: Cast): Promise<void> {
  const { world, deliveries } = site;
  const { scheduler } = world;
  let quiet = 0;
  let isSwept = false;
  const isBusy = (): boolean =>
    !world.isCalm ||
    deliveries.open > 0 ||
    crew.some(({ active }) => active > 0) ||
    people.some(({ pending }) => pending > 0);
  const look = (): void => {
    quiet = isBusy() ? 0 : quiet + 1;
    // What a process left without an input is found by the next one that looks.
    if (quiet >= 2 && !isSwept) {
      crew[quiet % crew.length]?.sweep((found) => {
        isSwept = found === 0;
      });
    }
    if (quiet < 6 || !isSwept) {
      scheduler.after(3000, look);
      return;
    }
    for (const one of people) one.stop();
    scheduler.after(1000, () => {
      scheduler.stop();
    });
  };
  scheduler.after(5000, look);
  await scheduler.run(most).catch((thrown: unknown) => {
    world.find(`It does not end: ${String(thrown)}, ${String(deliveries.open)} inputs are open.`);
  });
}

function resultOf(seed: number, { world, database }: Site): Simulated {
  const journals = Object.fromEntries([...database.rows].map(([id, { lines }]) => [id, lines]));
  const digest = createHash("sha256")
    .update(JSON.stringify([journals, world.effects, world.charges]))
    .digest("hex");
  world.count("events", world.scheduler.events);
  world.count(
    "lines",
    Object.values(journals).reduce((sum, lines) => sum + lines.length, 0),
  );
  return {
    seed,
    findings: [...world.findings, ...world.facts],
    facts: world.facts,
    digest,
    journals,
    counts: world.counts,
  };
}
