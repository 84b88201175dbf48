// Simulates one seed: workers, sessions and people in one process and no time, and then the checks.

import { createHash } from "node:crypto";
import { enter } from "./agent/place.js";
import { agents } from "./agent/agents.js";
import { checkWorld } from "./check/check-world.js";
import { EngineServer } from "./host/engine-server.js";
import { People } from "./host/people.js";
import { Process } from "./host/process.js";
import type { Site } from "./host/site.js";
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
  /** The things that people asked for, and what came of each. */
  readonly asks: readonly string[];
  /** How often things happened. */
  readonly counts: ReadonlyMap<string, number>;
}

/** Everybody in a world, and the most events that it may take. */
interface Cast {
  readonly crew: readonly Process[];
  readonly people: readonly People[];
  readonly most: number;
}

/** The most processes without an engine: each of them looks at all sessions when it starts. */
const mostWithoutEngine = 30;

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
  const { random } = world;
  const back = replaceGlobals(world);
  enter(world);
  try {
    const { workers: most, sessions } = sizeOf(seed);
    const crew: Process[] = [];
    const server = random.chance(0.65)
      ? new EngineServer(world, () => crew.flatMap(({ taker }) => taker ?? []))
      : undefined;
    const workers = server === undefined ? Math.min(most, mostWithoutEngine) : most;
    const database = new Database(world);
    const agentOf = (session: string): number => Number(session.slice(1)) % agents.length;
    const sharesLimits = random.chance(0.2);
    const site: Site = { world, database, server, processes: () => crew, agentOf, told: [], asked: [], sharesLimits };
    for (let index = 0; index < workers; index += 1) crew.push(new Process(site, `w${String(index)}`));
    const people = Array.from({ length: sessions }, (_none, index) => new People(site, `s${String(index)}`));
    if (server !== undefined) server.onStill = (id) => people.find(({ session }) => session === id)?.mayAbort();
    for (const one of [...crew, ...people]) one.start();
    await runToEnd(site, { crew, people, most: 50_000 + 12_000 * (workers + sessions) });
    if (world.findings.length === 0) checkWorld(site, people);
    return resultOf(seed, site);
  } finally {
    enter(undefined);
    back();
  }
}

/**
 * Lets time pass until the weather is calm, hosts have acknowledged all that was asked of them, and nothing has happened for a while. Without
 * an engine every process starts again then: the next start goes on with what a dead one left.
 */
async function runToEnd(site: Site, { crew, people, most }: Cast): Promise<void> {
  const { world, server } = site;
  const { scheduler } = world;
  let quiet = 0;
  let haveStarted = server !== undefined;
  const isBusy = (): boolean =>
    !world.isCalm ||
    (server?.open ?? 0) > 0 ||
    crew.some(({ active }) => active > 0) ||
    people.some(({ pending }) => pending > 0);
  const look = (): void => {
    quiet = isBusy() ? 0 : quiet + 1;
    if (quiet === 3 && !haveStarted) {
      for (const one of crew) one.retire();
      haveStarted = true;
      quiet = -15;
    }
    if (quiet < (server === undefined ? 12 : 6)) {
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
    const asks = people.reduce((sum, { pending }) => sum + pending, 0);
    const open = `${String(asks)} asks and ${String(server?.open ?? 0)} deliveries are open ${server?.firstOpen ?? ""}`;
    const first = site.asked.find(({ acknowledged, refused }) => acknowledged === undefined && refused === undefined);
    const waits = first === undefined ? "" : ` The first ask is ${JSON.stringify(first)}.`;
    world.find(`It does not end: ${String(thrown)}, ${open}.${waits}`);
  });
}

function resultOf(seed: number, { world, database, asked, server }: Site): Simulated {
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
    asks: [server === undefined ? "without an engine" : "over an engine", ...asked.map((one) => JSON.stringify(one))],
    counts: world.counts,
  };
}
