// A hub whose agents run in this process: its clients see each piece of a reply as it comes.

import { LastcallError, type AnyOutcome, type Input, type JsonObject, type OpenSession } from "../../core/index.js";
import {
  aboutOf,
  isLive,
  LiveRun,
  placeOfInput,
  leftIn,
  pickAgent,
  RunsHere,
  type HostAgent,
} from "../../host/host-parts.js";
import { openSession, recordsAfter, type Store } from "../../memory/index.js";
import { Feeds } from "../feed/feeds.js";
import type { Frame } from "../feed/frame.js";
import { tapped } from "../feed/tapped-session.js";
import { checkCloseOptions, checkFrameOptions } from "./hub-options.js";
import type { CloseOptions, FrameOptions, Hub, HubInput, StartedRun } from "./hub.js";

/** A session that another program began. */
export interface ForeignSession {
  readonly id: string;
  /** The data that its host keeps with it. */
  readonly about: JsonObject;
}

/** Finds the agent of a session that another program began. */
type AgentOf = (session: ForeignSession) => Promise<HostAgent | undefined>;

/** The agents, the store, and whoever finds the agents of other sessions. */
interface ProcessHubOptions {
  readonly agents: Readonly<Record<string, HostAgent>>;
  readonly store: Store;
  readonly agentOf?: AgentOf | undefined;
}

/** The start of a run, with or without new words. */
interface RunStart {
  readonly agent: string | undefined;
  readonly input: Input | undefined;
  readonly answers: string | undefined;
  readonly inputId: string | undefined;
}

/** A hub whose agents run in this process. */
export class ProcessHub implements Hub {
  readonly store: Store;
  readonly #agents: Readonly<Record<string, HostAgent>>;
  readonly #agentOf: AgentOf;
  readonly #feeds: Feeds;
  readonly #runs = new RunsHere();

  constructor({ agents, store, agentOf = async () => undefined }: ProcessHubOptions) {
    this.#agents = agents;
    this.#agentOf = agentOf;
    this.#feeds = new Feeds(store);
    this.store = store;
  }

  get agents(): readonly string[] {
    return Object.keys(this.#agents);
  }

  async start({ session = crypto.randomUUID(), agent, input, inputId, answers }: HubInput): Promise<StartedRun> {
    return this.#run(session, { agent, input, answers, inputId: inputId ?? crypto.randomUUID() });
  }

  async resume(session: string): Promise<StartedRun> {
    return this.#run(session, { agent: undefined, input: undefined, answers: undefined, inputId: undefined });
  }

  async resumeLeft(): Promise<readonly string[]> {
    const left = await leftIn(this.store, this.agents);
    const started: string[] = [];
    for (const { id, inputs } of left) {
      if (this.#runs.has(id)) continue;
      if (inputs.length === 0) await this.resume(id);
      for (const input of inputs) await this.start({ session: id, ...input });
      started.push(id);
    }
    return started;
  }

  async abort(session: string, reason = "aborted over the server"): Promise<boolean> {
    return this.#runs.abort(session, reason);
  }

  frames(session: string, options: FrameOptions): AsyncGenerator<Frame, void, void> {
    checkFrameOptions(options);
    return this.#feeds.frames(session, options.after, options.signal);
  }

  get isClosed(): boolean {
    return this.#runs.isClosed;
  }

  async close(options: CloseOptions = {}): Promise<readonly string[]> {
    checkCloseOptions(options);
    const { grace = 10_000 } = options;
    return this.#runs.close("the server closes", grace);
  }

  async #run(id: string, { agent: wanted, input, answers, inputId }: RunStart): Promise<StartedRun> {
    if (this.isClosed) throw new LastcallError("configuration", "The hub closes, and takes no inputs any more.");
    const { agent, session } = await this.#open(id, wanted);
    const feed = this.#feeds.of(id);
    feed.beginRun();
    let keep: (waits: boolean) => void = () => undefined;
    const kept = new Promise<boolean>((resolve) => (keep = resolve));
    // For those who watch in other processes.
    const live = this.store.live && new LiveRun(this.store.live, id);
    const outcome = this.#runs
      .begin(id, async (signals) => {
        const stream = agent.stream(input, { session: live?.over(session) ?? session, ...signals, answers, inputId });
        for await (const event of stream) {
          if (isLive(event)) feed.event(event);
          live?.event(event);
          const place = placeOfInput(event);
          if (place !== undefined) keep(place === "inbox");
        }
        return stream.outcome;
      })
      .finally(() => {
        live?.close();
        feed.endRun();
      });
    const waits = await Promise.race([kept, outcome]);
    if (typeof waits !== "boolean") await this.#expectTaken(id, inputId, waits);
    return { session: id, inputId, waits: waits === true, outcome };
  }

  /** A run that ended at once has taken its input, or says why it can't. */
  async #expectTaken(id: string, inputId: string | undefined, outcome: AnyOutcome): Promise<void> {
    if (outcome.status !== "failed") return;
    const records = await recordsAfter({ store: this.store, id });
    const isTaken = records.some((record) => "sent" in record && record.sent === inputId);
    if (inputId === undefined || !isTaken) throw outcome.fault;
  }

  /** The session with its feed, and its agent: a new session gets the one that is wanted, or the first. */
  async #open(
    id: string,
    wanted: string | undefined,
  ): Promise<{ readonly agent: HostAgent; readonly session: OpenSession }> {
    const about = await openSession({ store: this.store, id }).about();
    const own = typeof about?.["agent"] === "string" ? about["agent"] : undefined;
    const isKnown = Object.hasOwn(this.#agents, own ?? "");
    const foreign = about !== undefined && !isKnown ? await this.#agentOf({ id, about }) : undefined;
    if (foreign !== undefined && wanted === undefined)
      return { agent: foreign, session: tapped(openSession({ store: this.store, id }), this.#feeds.of) };
    const { name, agent } = pickAgent(this.#agents, id, { own, wanted, by: "hub" });
    const session = openSession({ store: this.store, id, about: aboutOf(name) });
    return { agent, session: tapped(session, this.#feeds.of) };
  }
}
