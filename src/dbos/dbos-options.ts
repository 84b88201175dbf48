// The options of a host on DBOS, and the queues that follow from them.

import { LastcallError, type Budget, type Event } from "../core/index.js";
import {
  checkOptions,
  portKinds,
  needed,
  recordOf,
  listOf,
  type OptionKinds,
  milliseconds,
  wholeNumber,
} from "../core/internal.js";
import type { HostAgent } from "../host/index.js";
import { expectLastingStore } from "../host/host-parts.js";
import type { Store } from "../memory/index.js";
import type { DbosPool } from "./dbos-pool.js";

/** The options of `hostOnDbos`. */
export interface DbosHostOptions {
  /**
   * The agents by name. A new session that names none gets the first. Each has a queue, which is worked on by processes that have the
   * agent.
   */
  readonly agents: Readonly<Record<string, HostAgent>>;
  /** The store, which all processes share. */
  readonly store: Store;
  /** The pool of connections to the database of DBOS. */
  readonly pool: DbosPool;
  /** The address of the database. Default: the `connectionString` of the pool. */
  readonly url?: string | undefined;
  /** The name under which processes work together, of letters, digits, `_` and `-`. Default `lastcall`. */
  readonly queue?: string | undefined;
  /** False for a process that only gives inputs, and runs no agent. Default true. */
  readonly work?: boolean | undefined;
  readonly concurrency?: DbosConcurrencyOptions | undefined;
  /** The most deliveries that begin in a period, in all processes together: one rate for an agent. Default: no limit. */
  readonly rates?: readonly DbosRateOptions[] | undefined;
  /** The number of times that a run is resumed without getting further: after that it is aborted. Default 10. */
  readonly attempts?: number | undefined;
  /**
   * Limits that the runs of this process draw from, such as `sharedLimits({ maxCost: 5, per: "principal", every: "day" })`, or `limits` of
   * `pgStore` for all machines. Default: none.
   */
  readonly budget?: Budget | undefined;
  /** Milliseconds without a sign of life after which a process counts as dead. It gives one five times as often. Default 10,000. */
  readonly heartbeatTimeout?: number | undefined;
  /** Milliseconds between two looks for new inputs, for each agent. Default 1,000. */
  readonly poll?: number | undefined;
  /** Sees every event of the runs of this process, among them `definition-drift`. It must not throw. Default: nobody does. */
  readonly onEvent?: ((event: Event, session: string) => void) | undefined;
}

/** Runs at a time. Runs that wait for an answer or an approval do not count. */
export interface DbosConcurrencyOptions {
  /** Of each agent in one process. Default 8. */
  readonly perWorker?: number | undefined;
  /** Of each agent by its name, in all processes together: for a provider that bears no more. Default: no limit. */
  readonly perAgent?: Readonly<Record<string, number>> | undefined;
  /** Of one agent for one tenant, in all processes together. With it inputs may have a `tenant`. Default: no limit. */
  readonly perTenant?: number | undefined;
}

/** A number of deliveries to an agent in a period. An answer is a delivery, too. */
export interface DbosRateOptions {
  readonly agent: string;
  readonly most: number;
  /** The period in milliseconds, at least 1,000. */
  readonly per: number;
}

const hostOptions = {
  agents: needed(recordOf(portKinds.agent)),
  store: needed(portKinds.store),
  pool: needed("object"),
  url: "text",
  queue: "text",
  work: "flag",
  concurrency: "object",
  rates: listOf("object"),
  attempts: "number",
  budget: portKinds.budget,
  heartbeatTimeout: "number",
  poll: "number",
  onEvent: "function",
} satisfies OptionKinds<DbosHostOptions>;
const concurrencyOptions = {
  perWorker: "number",
  perAgent: "object",
  perTenant: "number",
} satisfies OptionKinds<DbosConcurrencyOptions>;

const rateOptions = {
  agent: needed("text"),
  most: needed("number"),
  per: needed("number"),
} satisfies OptionKinds<DbosRateOptions>;

/** @throws LastcallError `configuration` that names the option and the remedy. */
export function checkDbosOptions(options: DbosHostOptions): void {
  checkOptions("hostOnDbos", options, hostOptions);
  const {
    agents,
    concurrency = {},
    rates = [],
    queue = defaultQueue,
    heartbeatTimeout = 10_000,
    poll = 1000,
    attempts = 10,
  } = options;
  checkOptions("hostOnDbos: concurrency", concurrency, concurrencyOptions);
  const refuse = (message: string): LastcallError => new LastcallError("configuration", message);
  if (Object.keys(agents).length === 0) throw refuse("hostOnDbos needs an agent: agents: { name: createAgent(...) }.");
  if (!/^[\w-]{1,50}$/.test(queue)) throw refuse(`queue is ${JSON.stringify(queue)}: use letters, digits, _ and -.`);
  wholeNumber("attempts", attempts);
  wholeNumber("heartbeatTimeout", milliseconds("heartbeatTimeout", heartbeatTimeout), 1000);
  wholeNumber("poll", milliseconds("poll", poll), 10);
  const { perWorker, perAgent = {}, perTenant } = concurrency;
  for (const [name, value] of Object.entries({ perWorker, perTenant, ...perAgent }))
    if (value !== undefined) wholeNumber(`concurrency of ${name}`, value);
  for (const limit of rates) {
    checkOptions("hostOnDbos: rates", limit, rateOptions);
    wholeNumber(`most of the rate of ${limit.agent}`, limit.most);
    wholeNumber(
      `per of the rate of ${limit.agent}`,
      milliseconds(`per of the rate of ${limit.agent}`, limit.per),
      1000,
    );
  }
  for (const [option, named] of [
    ["concurrency.perAgent", Object.keys(perAgent)],
    ["rates", rates.map(({ agent }) => agent)],
  ] as const) {
    const strange = named.find((name) => !Object.hasOwn(agents, name));
    if (strange !== undefined) throw refuse(`${option} names ${strange}, and there is no such agent.`);
  }
  const twice = rates.find(({ agent }, index) => rates.findIndex((rate) => rate.agent === agent) < index);
  if (twice !== undefined) throw refuse(`rates has two of ${twice.agent}: give one.`);
  expectLastingStore("hostOnDbos", options.store);
}

/** The name under which processes work together, if the options say none. */
export const defaultQueue = "lastcall";

/** The queue of an agent. */
export function queueOf(prefix: string, agent: string): string {
  return `${prefix}.${agent}`;
}

/** The parameters of the queue of an agent, in the words of DBOS. */
export interface QueueParameters {
  readonly workerConcurrency: number;
  readonly globalConcurrency?: number;
  readonly partitionConcurrency?: number;
  readonly rateLimit?: { readonly limitPerPeriod: number; readonly periodSec: number };
  readonly minPollingIntervalMs: number;
  readonly onConflict: "always_update";
}

/** The queue of an agent, as the options say. The last process that starts decides for all. */
export function parametersOf(
  { concurrency = {}, rates = [], poll = 1000 }: DbosHostOptions,
  agent: string,
): QueueParameters {
  const { perWorker = 8, perAgent = {}, perTenant } = concurrency;
  const all = Object.hasOwn(perAgent, agent) ? perAgent[agent] : undefined;
  const worker = Math.min(perWorker, all ?? perWorker);
  const limit = rates.find((rate) => rate.agent === agent);
  return {
    workerConcurrency: worker,
    ...(all !== undefined && { globalConcurrency: all }),
    ...(perTenant !== undefined && { partitionConcurrency: Math.min(perTenant, all ?? perTenant) }),
    ...(limit !== undefined && { rateLimit: { limitPerPeriod: limit.most, periodSec: limit.per / 1000 } }),
    minPollingIntervalMs: poll,
    onConflict: "always_update",
  };
}
