// A host without an engine outside: this process runs the agents, and keeps its deliveries in memory.

import { LastcallError, type Budget, type Event, type FaultCode } from "../core/index.js";
import {
  asFault,
  atCaller,
  checkOptions,
  portKinds,
  needed,
  recordOf,
  type OptionKinds,
  explain,
  hasNoEnd,
} from "../core/internal.js";
import type { Store } from "../memory/index.js";
import { readStored } from "../memory/stores.js";
import { nameIn, type AgentOf, type Agents } from "./agents.js";
import type { Work } from "./delivery/delivery.js";
import type { HostAgent } from "./delivery/host-agent.js";
import type { RunEnd } from "./delivery/run-end.js";
import type { RunWatcher } from "./delivery/run-watcher.js";
import type { Engine, Given, GivenWith } from "./engine.js";
import type { Host } from "./host.js";
import { closing, hostOver } from "./host-over.js";
import { leftIn } from "./left-sessions.js";
import { until } from "./plans.js";
import { endInJournal, stopDelivery } from "./work.js";
import { Worker, type Attempted, type Hold, type NextAttempt, type StepParts } from "./worker.js";

/** The options of `hostInProcess`. */
export interface InProcessOptions {
  /** The agents by name. A new session that names none gets the first. */
  readonly agents: Readonly<Record<string, HostAgent>>;
  readonly store: Store;
  /** The number of times that a run is resumed without getting further: after that it is aborted. Default 10. */
  readonly attempts?: number | undefined;
  /**
   * Limits that the runs of this process draw from, such as `sharedLimits({ maxCost: 5, per: "principal", every: "day" })`, or `limits` of
   * `pgStore` for all machines. Default: none.
   */
  readonly budget?: Budget | undefined;
  /** Sees every event of the runs of this process, among them `definition-drift`. It must not throw. Default: nobody sees them. */
  readonly onEvent?: ((event: Event, session: string) => void) | undefined;
  /**
   * Finds the agent of a session that another program began, and that names none of `agents`. A session without an agent can be read, and
   * not run. Default: there is none.
   */
  readonly agentOf?: AgentOf | undefined;
  /** Gets the ids of the sessions that a dead process left, as soon as this process goes on with them. Default: nobody is told. */
  readonly onLeft?: ((sessions: readonly string[]) => void) | undefined;
}

const inProcessOptions = {
  agents: needed(recordOf(portKinds.agent)),
  store: needed(portKinds.store),
  attempts: "number",
  budget: portKinds.budget,
  onEvent: "function",
  agentOf: "function",
  onLeft: "function",
} satisfies OptionKinds<InProcessOptions>;

/**
 * Makes a host that runs agents in this process, and goes on with the runs and inputs that a dead process left in the store. It has no
 * queue, so `priority` and `tenant` are refused, and a plan lasts as long as this process: state it at each start. An abort does not reach
 * another process.
 * @throws LastcallError `configuration` without an agent and without `agentOf`; `store` if the store can't be read.
 */
export async function hostInProcess(options: InProcessOptions): Promise<Host> {
  const { host, goOn } = atCaller(hostInProcess, () => {
    checkOptions("hostInProcess", options, inProcessOptions);
    return hostHere(options);
  });
  await goOn();
  return host;
}

/**
 * Makes the host of this process, and the function that goes on with the sessions that a dead process left.
 * @throws LastcallError `configuration` without an agent and without `agentOf`.
 */
export function hostHere(options: InProcessOptions): { readonly host: Host; goOn(): Promise<void> } {
  const { agents, agentOf, onLeft } = options;
  if (Object.keys(agents).length === 0 && agentOf === undefined)
    throw new LastcallError("configuration", "A host needs an agent: agents: { name: createAgent(...) }.");
  const engine = new InProcess(options);
  const goOn = async (): Promise<void> => {
    const left = await engine.goOn();
    onLeft?.(left);
  };
  return { host: hostOver(engine), goOn };
}

/** The maximum number of faults of the store after which a delivery is tried again. */
const maxStoreFaults = 8;

class InProcess implements Engine {
  readonly name = "hostInProcess";
  readonly terms = [];
  readonly agents: Agents;
  readonly store: Store;
  readonly agentOf: AgentOf | undefined;
  readonly #worker: Worker;
  readonly #held = new Set<HeldHere>();
  readonly #closed = new AbortController();

  constructor(options: InProcessOptions) {
    this.#worker = new Worker(options);
    this.agents = options.agents;
    this.store = options.store;
    this.agentOf = options.agentOf;
  }

  /** Goes on with the sessions that a dead process left, and returns their ids. */
  async goOn(): Promise<readonly string[]> {
    const left = await leftIn(this.store, Object.keys(this.agents));
    for (const work of left)
      this.#deliverToEnd(work, new HeldHere(this.store, work, { origin: "left" })).catch((thrown: unknown) => {
        console.warn(`lastcall: the session ${work.session} could not go on: ${explain(thrown)}`);
      });
    return [...new Set(left.map(({ session }) => session))];
  }

  async give(work: Work, { at = 0, seen }: GivenWith = {}): Promise<Given> {
    const isLater = at > Date.now();
    const held = new HeldHere(this.store, work, { origin: isLater ? "plan" : "caller", seen });
    const ended = isLater ? this.#deliverAt(at, work, held) : this.#deliverToEnd(work, held);
    // A rejection that nobody waits for ends the process. The caller gets the fault from `ended`, or from the race below.
    ended.catch(() => undefined);
    const given = { ended: () => ended };
    if (isLater) return given;
    const keptOrEnd = await Promise.race([held.kept, ended]);
    if (typeof keptOrEnd === "string") return { ...given, waits: keptOrEnd === "inbox" };
    await this.#expectTaken(held, work, keptOrEnd);
    return { ...given, waits: false };
  }

  async abort(session: string, reason: string): Promise<boolean> {
    const here = [...this.#held].filter((held) => held.session === session);
    const hasLease = here.some((held) => held.hasLease);
    for (const held of here) held.withdraw(reason);
    if (hasLease) return true;
    const { about, records } = await readStored(this.store, session);
    if (!hasNoEnd(records)) return here.length > 0;
    // A dead process left the run, or another process has it.
    const stop = stopDelivery(session, nameIn(about) ?? "", { stop: reason, before: records.length });
    const result = await this.#worker.deliver(stop, new HeldHere(this.store, stop));
    return !("next" in result);
  }

  /** @throws LastcallError if a run ended without taking its input: the fault of the run, or the fault that the host closes. */
  async #expectTaken(
    { isKept }: HeldHere,
    work: Work,
    { status, suspended, reason, message = "" }: RunEnd,
  ): Promise<void> {
    const isTaken = isKept || (status !== "failed" && suspended !== true);
    if (isTaken || (await endInJournal(this.store, work)) !== undefined) return;
    throw suspended === true ? closing() : new LastcallError(reason as FaultCode, message);
  }

  watch(watcher: RunWatcher): () => void {
    return this.#worker.watch(watcher);
  }

  async close(timeout: number): Promise<readonly string[]> {
    this.#closed.abort();
    return this.#worker.close(timeout);
  }

  async #deliverAt(at: number, work: Work, held: HeldHere): Promise<RunEnd> {
    await until(at, this.#closed.signal);
    // The wait ends early if the host closes.
    if (this.#closed.signal.aborted) throw closing();
    return this.#deliverToEnd(work, held);
  }

  /** Delivers until there is an end, or until the host closes. */
  async #deliverToEnd(work: Work, held: HeldHere): Promise<RunEnd> {
    this.#held.add(held);
    try {
      for (let next: Pick<NextAttempt, "work" | "delay"> = { work, delay: 0 }; ; next = held.next) {
        await until(Date.now() + next.delay, this.#closed.signal);
        const result = await this.#worker.deliver(next.work, held);
        if (!("next" in result)) return result;
      }
    } catch (thrown) {
      if (thrown instanceof LeftToNext) return { status: "aborted", suspended: true, message: thrown.message };
      throw thrown;
    } finally {
      this.#held.delete(held);
    }
  }
}

/** The host closes, and a delivery is left to the next process. */
class LeftToNext extends Error {}

/** The origin of a delivery, and the records of its session if they were just read. */
interface HeldFrom {
  /**
   * `caller`: `give` throws a fault of the store that comes before the input is kept. `plan`: the clock gives it. `left`: a dead process
   * left it. Default `caller`.
   */
  readonly origin?: "caller" | "plan" | "left";
  readonly seen?: StepParts["seen"];
}

/** One delivery that this process has in memory. See `Hold` for the methods. */
class HeldHere implements Hold {
  isKept: boolean;
  /** True while the run of this delivery has the session's lease. False while the run waits for the lease. */
  hasLease = false;
  /** The attempt that follows. */
  next!: NextAttempt;
  readonly kept: Promise<"journal" | "inbox">;
  readonly #store: Store;
  readonly #work: Work;
  readonly #isLeft: boolean;
  readonly #withdrawn = new AbortController();
  #keep!: (place: "journal" | "inbox") => void;
  #seen: StepParts["seen"];
  #faults = 0;

  constructor(store: Store, work: Work, { origin = "caller", seen }: HeldFrom = {}) {
    this.#store = store;
    this.#work = work;
    this.isKept = origin !== "caller";
    this.#isLeft = origin === "left";
    this.#seen = seen;
    this.kept = new Promise((resolve) => {
      this.#keep = (place) => {
        this.isKept = true;
        resolve(place);
      };
    });
  }

  get session(): string {
    return this.#work.session;
  }

  withdraw(reason: string): void {
    this.#withdrawn.abort(reason);
  }

  async keep(step: (parts: StepParts) => Promise<Attempted>): Promise<Attempted> {
    const { signal } = this.#withdrawn;
    const seen = this.#seen;
    this.#seen = undefined;
    const onEvent = (event: Event): void => {
      this.#see(event);
    };
    try {
      const reasonOf = (): Promise<string> => Promise.resolve(String(signal.reason));
      const isWithdrawn: StepParts["isWithdrawn"] = async ({ first }) => first === this.#work.first && this.#isGone();
      return await step({ signal, reasonOf, isWithdrawn, onEvent, seen, waits: this.#work.stop === undefined });
    } finally {
      this.hasLease = false;
    }
  }

  give(next: NextAttempt): Promise<string> {
    this.next = next;
    return Promise.resolve(next.name);
  }

  leave(): Promise<never> {
    return Promise.reject(new LeftToNext("the host closes"));
  }

  again(thrown: unknown): Promise<never> {
    return Promise.reject(asFault(thrown));
  }

  /** This engine has no errors of its own: every error ends the delivery. */
  isTaken(): boolean {
    return true;
  }

  failed(thrown: unknown): void {
    this.#faults += 1;
    if (!this.isKept || this.#faults > maxStoreFaults) throw thrown;
  }

  /** An input that a dead process left lies in the inbox until a run takes it. Without it there, somebody has withdrawn it. */
  async #isGone(): Promise<boolean> {
    const { session, inputId } = this.#work;
    if (!this.#isLeft || inputId === undefined) return false;
    return !(await this.#store.messages(session)).some(({ id }) => id === inputId);
  }

  /** The first event after `run-start` shows that the input is recorded. `run-end` does not: a run may fail before. */
  #see({ type }: Event): void {
    if (type === "lease-wait") void this.#keepInInbox();
    else this.hasLease = true;
    if (type !== "lease-wait" && type !== "run-start" && type !== "run-end") this.#keep("journal");
  }

  /** Words in the inbox are kept only if the session has a journal: without one, nobody knows the agent that they are for. */
  async #keepInInbox(): Promise<void> {
    // If the store fails here, the run fails too, and tells the fault.
    const read = await readStored(this.#store, this.#work.session).catch(() => undefined);
    if (read?.about !== undefined || (read?.records.length ?? 0) > 0) this.#keep("inbox");
  }
}
