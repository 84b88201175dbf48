// A host without an engine: runs of this process over the store alone.

import { LastcallError, type AnyOutcome, type Event } from "../core/index.js";
import { atCaller, checkOptions, explain, hasNoEnd } from "../core/internal.js";
import type { Store } from "../memory/index.js";
import { readStored } from "../memory/stores.js";
import { aboutOf, pickAgent, type AgentOf, type Agents } from "./agents.js";
import type { Work } from "./delivery/delivery.js";
import { driveSession, type Driven, type DriveOptions } from "./delivery/drive-session.js";
import type { HostAgent } from "./delivery/host-agent.js";
import { endOf } from "./delivery/run-end.js";
import type { RunWatcher } from "./delivery/run-watcher.js";
import { placeOfInput } from "./delivery/told.js";
import { mostEarly, pause, type Engine, type Given, type GivenWith } from "./engine.js";
import { HeldHere } from "./held-here.js";
import type { Host } from "./host.js";
import { closing, hostOver } from "./host-over.js";
import { leftIn } from "./left-sessions.js";
import { until } from "./plans.js";
import { RunsHere, type RunSignals } from "./runs-here.js";
import { broughtBy, stopping } from "./work.js";

/** The options of `hostInProcess`. */
export interface InProcessOptions {
  /** The agents by name. A new session that names none gets the first. */
  readonly agents: Readonly<Record<string, HostAgent>>;
  readonly store: Store;
  /** The number of times that a run is resumed without getting further: after that it is aborted. Default 10. */
  readonly attempts?: number | undefined;
  /** Sees every event of the runs of this process, among them `definition-drift`. It must not throw. Default: nobody does. */
  readonly onEvent?: ((event: Event, session: string) => void) | undefined;
  /**
   * Finds the agent of a session that has none of these names, because another program began it. A session without an agent is only shown.
   * Default: there is none.
   */
  readonly agentOf?: AgentOf | undefined;
  /** Gets the ids of the sessions that a dead process left, once their runs go on. Default: nobody does. */
  readonly onLeft?: ((sessions: readonly string[]) => void) | undefined;
}

const inProcessOptions = {
  ...{ agents: true, store: true, attempts: true, onEvent: true, agentOf: true, onLeft: true },
} satisfies Record<keyof InProcessOptions, true>;

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
 * Makes the host of this process, and the function that goes on with what was left.
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

/** The number of times that a delivery is made again after faults of the store. */
const mostFaults = 8;

/** The first attempt at a delivery. */
interface First extends Pick<GivenWith, "seen"> {
  /** Called once the input is kept, with its place. */
  readonly keep?: ((place: "journal" | "inbox") => void) | undefined;
}

class InProcess implements Engine {
  readonly name = "hostInProcess";
  readonly terms = [];
  readonly agents: Agents;
  readonly store: Store;
  readonly #options: InProcessOptions;
  readonly agentOf: AgentOf | undefined;
  readonly #runs = new RunsHere();
  readonly #held = new HeldHere();
  readonly #closed = new AbortController();

  constructor(options: InProcessOptions) {
    this.#options = options;
    this.agents = options.agents;
    this.store = options.store;
    this.agentOf = options.agentOf;
    this.#runs.watch(this.#held);
  }

  /** Goes on with the sessions that a dead process left, and returns their ids. */
  async goOn(): Promise<readonly string[]> {
    const left = await leftIn(this.store, Object.keys(this.agents));
    for (const work of left) this.#deliver(work).catch(warnOf(work.session));
    return [...new Set(left.map(({ session }) => session))];
  }

  async give(work: Work, { at, seen }: GivenWith = {}): Promise<Given> {
    const { session } = work;
    if (at !== undefined && at > Date.now()) {
      const later = until(at, this.#closed.signal).then(() => {
        // The wait is over early if the host closes, and the time has not come.
        if (this.#closed.signal.aborted) throw closing();
        return this.#deliver(work);
      });
      later.catch((thrown: unknown) => {
        if (!this.#closed.signal.aborted) warnOf(session)(thrown);
      });
      return { ended: async () => endOf((await later).outcome) };
    }
    let keep: First["keep"];
    const kept = new Promise<"journal" | "inbox">((resolve) => (keep = resolve));
    const run = this.#deliver(work, { seen, keep });
    // The caller learns of a fault from `ended`, or here if it comes before the input is kept.
    run.catch(() => undefined);
    const first = await Promise.race([kept, run]);
    if (typeof first !== "string") expectTaken(first.outcome, work);
    return { waits: first === "inbox", ended: async () => endOf((await run).outcome) };
  }

  async abort(session: string, reason: string): Promise<boolean> {
    const isHeld = this.#held.has(session);
    const wasHere = this.#runs.abort(session, reason);
    if (isHeld) return true;
    const { about, records } = await readStored(this.store, session);
    if (!hasNoEnd(records)) return wasHere;
    // A dead process left the run, or another process has it.
    const agent = typeof about?.["agent"] === "string" ? about["agent"] : "";
    const stop = stopping(session, agent, reason, records.length);
    const { again } = await this.#runs.begin(session, (signals) => this.#drive(stop, { ...signals, busy: "leave" }));
    return again === undefined;
  }

  watch(watcher: RunWatcher): () => void {
    return this.#runs.watch(watcher);
  }

  async close(grace: number): Promise<readonly string[]> {
    this.#closed.abort();
    return this.#runs.close("the host closes", grace);
  }

  /** Delivers until there is an end, or until the host closes. A fault of the store is thrown unless it is known that the input is kept. */
  #deliver(work: Work, { keep, seen }: First = {}): Promise<Driven> {
    let isKept = keep === undefined;
    const onKept = (place: "journal" | "inbox"): void => {
      isKept = true;
      keep?.(place);
    };
    const onEvent = (event: Event): void => {
      const place = placeOfInput(event);
      if (place === "journal") onKept(place);
      // Nobody would go on with words for a session that has no journal: the inbox does not say whose they are.
      if (place === "inbox")
        void readStored(this.store, work.session).then(({ about, records }) => {
          if (about !== undefined || records.length > 0) onKept(place);
        }, ignore);
    };
    return this.#runs.begin(work.session, async (signals) => {
      for (let times = 0; ; times += 1) {
        try {
          const driven = await this.#drive(work, { ...signals, onEvent, ...(times === 0 && { seen }) });
          if (driven.again === undefined || signals.suspend.aborted) return driven;
          if (driven.again === "early" && times >= mostEarly) return driven;
        } catch (thrown) {
          if (!isKept || times === mostFaults || signals.suspend.aborted) throw thrown;
        }
        await until(Date.now() + pause(times), signals.suspend);
      }
    });
  }

  async #drive(work: Work, how: RunSignals & Pick<DriveOptions, "seen" | "busy" | "onEvent">): Promise<Driven> {
    const { attempts, onEvent } = this.#options;
    const { store } = this;
    const { agent, about } = await this.#agent(work);
    return driveSession({
      ...broughtBy(work),
      ...{ agent, store, about, attempts },
      ...how,
      onEvent(event) {
        how.onEvent?.(event);
        onEvent?.(event, work.session);
      },
    });
  }

  /** The agent of a session, and the data with which a new session is stored. */
  async #agent({ session: id, agent: name }: Work): Promise<Pick<DriveOptions, "agent" | "about">> {
    if (!Object.hasOwn(this.agents, name) && this.agentOf !== undefined) {
      const { about } = await readStored(this.store, id);
      const agent = about === undefined ? undefined : await this.agentOf({ id, about });
      if (agent !== undefined) return { agent };
    }
    return { agent: pickAgent(this.agents, id, { own: name, wanted: undefined }).agent, about: aboutOf(name) };
  }
}

/** A run that ended at once has taken its input, or says why it can't. The host may close before it does. */
function expectTaken(outcome: AnyOutcome, { inputId, answers }: Work): void {
  const isLeft = outcome.status === "aborted" && outcome.suspended === true;
  if ((outcome.status !== "failed" && !isLeft) || outcome.joined === true) return;
  const isTaken = outcome.session.records.some(
    (record) =>
      (inputId !== undefined && "sent" in record && record.sent === inputId) ||
      (answers !== undefined && "answers" in record && record.answers === answers),
  );
  if (isTaken) return;
  throw outcome.status === "failed" ? outcome.fault : closing();
}

/** A store that fails here fails the run as well, which tells of it. */
function ignore(): void {
  return undefined;
}

/** A session that the start resumes has no caller who would learn of a fault. */
function warnOf(session: string): (thrown: unknown) => void {
  return (thrown) => {
    console.warn(`lastcall: the session ${session} could not go on: ${explain(thrown)}`);
  };
}
