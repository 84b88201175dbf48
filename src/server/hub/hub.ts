// The hub: agents over a store, their runs in this process, and what clients see of them. It knows no HTTP.

import { LastcallError, type AnyOutcome, type Input, type JsonObject, type OpenSession } from "../../core/index.js";
import { atCaller, checkOptions } from "../../core/internal.js";
import { aboutOf, placeOfInput, leftIn, pickAgent, RunsHere, type HostAgent } from "../../host/host-parts.js";
import { openSession, recordsAfter, type Store } from "../../memory/index.js";
import { Feed, type FeedPlace } from "../feed/feed.js";
import { isLive, readCursor, type Frame, type Position } from "../feed/frame.js";
import { readFrames } from "../feed/read-frames.js";
import { tapped } from "../feed/tapped-session.js";

/** The options of `createHub`. */
export interface HubOptions {
  /** The agents by name. A new session that names none gets the first. */
  readonly agents: Readonly<Record<string, HostAgent>>;
  readonly store: Store;
  /**
   * Finds the agent of a session that has none of these names: one that another program began. Without an answer the session is only
   * shown. Default: there is none.
   */
  readonly agentOf?: ((session: ForeignSession) => Promise<HostAgent | undefined>) | undefined;
}

/** A session that another program began. */
export interface ForeignSession {
  readonly id: string;
  /** The data that its host keeps with it. */
  readonly about: JsonObject;
}

/** An input for a session. */
export interface HubInput {
  /** The session. Default: a new one. */
  readonly session?: string | undefined;
  /** The agent of a new session, by name. Default: the first; a session that exists keeps its own. */
  readonly agent?: string | undefined;
  /** The words of a person, a typed reply, or the answer to an approval. */
  readonly input: Input;
  /** The id of the input: one that comes twice counts once. Default: a new one. */
  readonly inputId?: string | undefined;
  /** The id of the call that the input answers. Default: see `RunOptions`. */
  readonly answers?: string | undefined;
}

/** A run that has begun, or an input that another run took. */
export interface StartedRun {
  readonly session: string;
  readonly inputId: string | undefined;
  /** The input waits in the inbox for a run of another caller, which takes it at its next boundary or leaves it to this one. */
  readonly waits: boolean;
  /** Resolves with the outcome. It never rejects: a fault is an outcome. */
  readonly outcome: Promise<AnyOutcome>;
}

/** Runs of agents over a store, and their frames. */
export interface Hub {
  /** The names of the agents. */
  readonly agents: readonly string[];
  readonly store: Store;
  /**
   * Gives a session an input. Resolves once the input is kept: in the journal, or in the inbox if another run has the session. The run goes
   * on by itself.
   * @throws LastcallError `configuration` if the session can't take the input; `store` if the store can't keep it.
   */
  start(input: HubInput): Promise<StartedRun>;
  /**
   * Goes on with a session without new words, as `agent.resume`.
   * @throws LastcallError as `start`.
   */
  resume(session: string): Promise<StartedRun>;
  /** Goes on with all sessions that a dead process left: runs without an end, and inputs that nobody took. Returns their ids. */
  resumeLeft(): Promise<readonly string[]>;
  /** Aborts the runs of this process on the session. Returns false if there is none. */
  abort(session: string, reason?: string): boolean;
  /**
   * Yields the frames of a session behind a cursor, and then what happens in it, until the signal aborts. The session need not exist yet.
   * @throws LastcallError `configuration` for a text that is no cursor; `store` if the store can't be read.
   */
  frames(session: string, options: FrameOptions): AsyncGenerator<Frame, void, void>;
  /** True once the hub closes: it takes no inputs any more. */
  readonly isClosed: boolean;
  /**
   * Suspends all runs of this process, for the next one: `resumeLeft` goes on with them. A run that waits for its model stops at once, one
   * whose calls are at work after them. Returns the sessions whose runs were still at work when the grace was over; they stay as a dead
   * process would leave them if this process ends then.
   */
  close(options?: CloseOptions): Promise<readonly string[]>;
}

/** The options of `hub.close`. */
export interface CloseOptions {
  /** Milliseconds to wait for calls that are at work. Default 10,000. */
  readonly grace?: number | undefined;
}

/** The options of `hub.frames`. */
export interface FrameOptions {
  /** The cursor of the last frame that the client has. Default: none, so all records come. */
  readonly after?: string | undefined;
  readonly signal: AbortSignal;
}

const frameOptions = { after: true, signal: true } satisfies Record<keyof FrameOptions, true>;
const closeOptions = { grace: true } satisfies Record<keyof CloseOptions, true>;
const hubOptions = { agents: true, store: true, agentOf: true } satisfies Record<keyof HubOptions, true>;

/**
 * Makes a hub.
 * @throws LastcallError `configuration` without an agent, and without `agentOf`.
 */
export function createHub(options: HubOptions): Hub {
  return atCaller(createHub, () => {
    checkOptions("createHub", options, hubOptions);
    if (Object.keys(options.agents).length === 0 && options.agentOf === undefined)
      throw new LastcallError("configuration", "createHub needs an agent: agents: { name: createAgent(...) }.");
    return new RunHub(options);
  });
}

/** The start of a run, with or without new words. */
interface RunStart {
  readonly agent: string | undefined;
  readonly input: Input | undefined;
  readonly answers: string | undefined;
  readonly inputId: string | undefined;
}

class RunHub implements Hub {
  readonly store: Store;
  readonly #agents: Readonly<Record<string, HostAgent>>;
  readonly #agentOf: NonNullable<HubOptions["agentOf"]>;
  readonly #epoch = crypto.randomUUID().slice(0, 8);
  readonly #feeds = new Map<string, Feed>();
  readonly #runs = new RunsHere();

  constructor({ agents, store, agentOf = async () => undefined }: HubOptions) {
    this.#agents = agents;
    this.#agentOf = agentOf;
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

  abort(session: string, reason = "aborted over the server"): boolean {
    return this.#runs.abort(session, reason);
  }

  frames(session: string, options: FrameOptions): AsyncGenerator<Frame, void, void> {
    checkOptions("frames", options, frameOptions);
    const { after = "", signal } = options;
    return this.#read(session, readCursor(after), signal);
  }

  async *#read(session: string, from: Position, signal: AbortSignal): AsyncGenerator<Frame, void, void> {
    yield* readFrames({ feed: this.#feedOf(session), place: this.#placeOf(session), from, signal });
  }

  get isClosed(): boolean {
    return this.#runs.isClosed;
  }

  async close(options: CloseOptions = {}): Promise<readonly string[]> {
    checkOptions("close", options, closeOptions);
    const { grace = 10_000 } = options;
    return this.#runs.close("the server closes", grace);
  }

  #placeOf(id: string): FeedPlace {
    return { store: this.store, id, epoch: this.#epoch };
  }

  readonly #feedOf = (id: string): Feed => {
    const known = this.#feeds.get(id);
    if (known !== undefined) return known;
    const feed = new Feed(this.#placeOf(id), () => this.#feeds.delete(id));
    this.#feeds.set(id, feed);
    return feed;
  };

  async #run(id: string, { agent: wanted, input, answers, inputId }: RunStart): Promise<StartedRun> {
    if (this.isClosed) throw new LastcallError("configuration", "The hub closes, and takes no inputs any more.");
    const { agent, session } = await this.#open(id, wanted);
    const feed = this.#feedOf(id);
    feed.beginRun();
    let keep: (waits: boolean) => void = () => undefined;
    const kept = new Promise<boolean>((resolve) => (keep = resolve));
    const outcome = this.#runs
      .begin(id, async (signals) => {
        const stream = agent.stream(input, { session, ...signals, answers, inputId });
        for await (const event of stream) {
          if (isLive(event)) feed.event(event);
          const place = placeOfInput(event);
          if (place !== undefined) keep(place === "inbox");
        }
        return stream.outcome;
      })
      .finally(() => {
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
      return { agent: foreign, session: tapped(openSession({ store: this.store, id }), this.#feedOf) };
    const { name, agent } = pickAgent(this.#agents, id, { own, wanted, by: "hub" });
    const session = openSession({ store: this.store, id, about: aboutOf(name) });
    return { agent, session: tapped(session, this.#feedOf) };
  }
}
