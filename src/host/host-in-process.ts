// A host without an engine: runs of this process over the store alone.

import { LastcallError, type Event } from "../core/index.js";
import { atCaller, checkOptions, explain } from "../core/internal.js";
import type { Store } from "../memory/index.js";
import { aboutOf, nameKept, pickAgent, type Agents } from "./agents.js";
import { driveSession, type Driven } from "./delivery/drive-session.js";
import { mostEarly, pause, type Delivery, type Engine, type Given } from "./engine.js";
import type { HostAgent } from "./delivery/host-agent.js";
import type { Host } from "./host.js";
import { hostOver } from "./host-over.js";
import { leftIn } from "./left-sessions.js";
import { until } from "./plans.js";
import { endOf } from "./delivery/run-end.js";
import { RunsHere, type RunSignals } from "./runs-here.js";
import { placeOfInput } from "./delivery/told.js";

/** The options of `hostInProcess`. */
export interface InProcessOptions {
  /** The agents by name. A new session that names none gets the first. */
  readonly agents: Readonly<Record<string, HostAgent>>;
  readonly store: Store;
  /** The number of times that a run is resumed without getting further: after that it is aborted. Default 10. */
  readonly attempts?: number | undefined;
  /** Sees every event of the runs of this process, among them `definition-drift`. It must not throw. Default: nobody does. */
  readonly onEvent?: ((event: Event, session: string) => void) | undefined;
}

const inProcessOptions = {
  ...{ agents: true, store: true, attempts: true, onEvent: true },
} satisfies Record<keyof InProcessOptions, true>;

/**
 * Makes a host that runs agents in this process, and goes on with the runs and inputs that a dead process left in the store. It has no
 * queue, so `priority` and `tenant` are refused, and a plan lasts as long as this process: state it at each start.
 * @throws LastcallError `configuration` without an agent; `store` if the store can't be read.
 */
export async function hostInProcess(options: InProcessOptions): Promise<Host> {
  atCaller(hostInProcess, () => {
    checkOptions("hostInProcess", options, inProcessOptions);
    if (Object.keys(options.agents).length === 0)
      throw new LastcallError("configuration", "hostInProcess needs an agent: agents: { name: createAgent(...) }.");
  });
  const engine = new InProcess(options);
  await engine.goOn();
  return hostOver(engine);
}

/** The number of times that a delivery is made again after faults of the store. */
const mostFaults = 8;

/** A delivery, or a session that goes on without an input. */
interface Due extends Partial<Pick<Delivery, "input" | "inputId" | "answers" | "resumeFrom">> {
  readonly agent: string;
  /** The reason to end the last run. */
  readonly stop?: string;
  /** Called once the input is kept. */
  readonly keep?: () => void;
}

class InProcess implements Engine {
  readonly name = "hostInProcess";
  readonly terms = [];
  readonly agents: Agents;
  readonly store: Store;
  readonly #options: InProcessOptions;
  readonly #runs = new RunsHere();
  readonly #closed = new AbortController();

  constructor(options: InProcessOptions) {
    this.#options = options;
    this.agents = options.agents;
    this.store = options.store;
  }

  /** Goes on with the sessions that a dead process left. */
  async goOn(): Promise<void> {
    for (const { id, agent, inputs } of await leftIn(this.store, Object.keys(this.agents))) {
      if (inputs.length === 0) this.#deliver(id, { agent }).catch(warnOf(id));
      for (const input of inputs) this.#deliver(id, { agent, ...input }).catch(warnOf(id));
    }
  }

  async give(delivery: Delivery, at?: number): Promise<Given> {
    const { session } = delivery;
    if (at !== undefined && at > Date.now()) {
      const later = until(at, this.#closed.signal).then(() => this.#deliver(session, delivery));
      later.catch(warnOf(session));
      return { ended: async () => endOf((await later).outcome) };
    }
    let keep: () => void = () => undefined;
    const kept = new Promise<void>((resolve) => (keep = resolve));
    const run = this.#deliver(session, { ...delivery, keep });
    // The caller learns of a fault from `ended`, or here if it comes before the input is kept.
    run.catch(() => undefined);
    await Promise.race([kept, run]);
    return { ended: async () => endOf((await run).outcome) };
  }

  async abort(session: string, reason: string): Promise<boolean> {
    if (this.#runs.abort(session, reason)) return true;
    const left = await leftIn(this.store, Object.keys(this.agents), session);
    const [open] = left.filter(({ inputs }) => inputs.length === 0);
    if (open === undefined) return false;
    await this.#deliver(session, { agent: open.agent, stop: reason });
    return true;
  }

  async close(grace: number): Promise<readonly string[]> {
    this.#closed.abort();
    return this.#runs.close("the host closes", grace);
  }

  #deliver(id: string, due: Due): Promise<Driven> {
    return this.#runs.begin(id, (signals) => this.#redeliver(id, due, signals));
  }

  /** Delivers until there is an end, or until the host closes. A fault of the store is thrown unless it is known that the input is kept. */
  async #redeliver(id: string, due: Due, signals: RunSignals): Promise<Driven> {
    let isKept = due.keep === undefined;
    const keep = (): void => {
      isKept = true;
      due.keep?.();
    };
    for (let times = 0; ; times += 1) {
      try {
        const driven = await this.#drive(id, { ...due, keep }, signals);
        if (driven.again === undefined || signals.suspend.aborted) return driven;
        if (driven.again === "early" && times >= mostEarly) return driven;
      } catch (thrown) {
        if (!isKept || times === mostFaults || signals.suspend.aborted) throw thrown;
      }
      await until(Date.now() + pause(times), signals.suspend);
    }
  }

  #drive(id: string, due: Due, signals: RunSignals): Promise<Driven> {
    const { input, inputId, answers, resumeFrom, stop, keep } = due;
    const { attempts, onEvent, store } = this.#options;
    const { agent } = pickAgent(this.agents, id, { own: due.agent, wanted: undefined });
    return driveSession({
      ...{ agent, store, session: id, about: aboutOf(due.agent), input, inputId, answers, stop, attempts },
      resumeFrom,
      ...signals,
      onEvent(event) {
        const place = placeOfInput(event);
        if (place === "journal") keep?.();
        // The inbox does not say which agent is meant, so whoever goes on after a crash has to find it in the journal.
        if (place === "inbox") void nameKept(store, id).then((name) => name !== undefined && keep?.(), ignore);
        onEvent?.(event, id);
      },
    });
  }
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
