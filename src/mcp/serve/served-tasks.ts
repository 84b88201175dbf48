// Served tasks: calls whose caller may leave and come back. The journals of their sessions are their only store.

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import {
  LastcallError,
  type AnyOutcome,
  type Input,
  type JournalRecord,
  type Lease,
  type OpenSession,
  type ParkedCall,
  type Principal,
  type ReadableSession,
  type WaitingCall,
} from "../../core/index.js";
import { abortBy, asFault, beginsRun, expectApprover, explain, follow, vainResumes } from "../../core/internal.js";
import { ownedBy, withoutPaths } from "../../guard/index.js";
import type { ServedAgents } from "./agent-server.js";
import {
  answerOf,
  endOf,
  failed,
  ownersAlone,
  ownStart,
  withoutApprovals,
  type ServableAgent,
  type ServedRun,
} from "./serve-call.js";
import type { ToolAnswer } from "./server-package.js";
import { taskIn, taskMark, type Task } from "./task-state.js";

/** The agent and the session of a task, for the caller whose task it is. */
export interface TaskPlace {
  readonly name: string;
  readonly session: string;
  readonly inputId: string;
  readonly caller: Principal | undefined;
}

/** The state of a task for its caller. */
export type ToldTask = Pick<Task, "createdAt" | "updatedAt"> & {
  readonly state:
    | { readonly is: "working"; readonly words: string }
    | { readonly is: "asks"; readonly call: WaitingCall | ParkedCall }
    | { readonly is: "done"; readonly answer: ToolAnswer }
    | { readonly is: "cancelled"; readonly words: string };
};

/** The beginning of a run: it has taken its input, another run has the session, or it was refused and left no trace. */
type Beginning = { readonly is: "begun" | "busy" } | { readonly is: "refused"; readonly fault: LastcallError };

/** A run to begin. */
interface Start {
  readonly place: TaskPlace;
  readonly input: Input | undefined;
  readonly more?: Pick<ServedRun, "answers" | "inputId">;
  /** The session as the run gets it. Default: as it is. */
  readonly over?: (session: OpenSession) => OpenSession;
  /** True if the run is not to wait for a session that is busy. Default false. */
  readonly leaves?: boolean;
  /** Checks the records under the lease: false lets the run not begin. Default: it begins. */
  readonly mayBegin?: (records: readonly JournalRecord[]) => boolean;
  /** Aborts the run as soon as it has begun, with these words. Default: it goes on. */
  readonly stop?: { readonly words: string; readonly by: Principal | undefined };
  /** Aborts the run until it has begun: nobody can come back to it yet. */
  readonly until?: AbortSignal;
}

/** The number of times that a run is resumed without getting further: after that it is aborted. */
const mostAttempts = 10;
/** Milliseconds between two looks at a session that is busy. */
const lookInterval = 200;
/** The number of looks at a busy session before an answer is refused. */
const mostLooks = 25;

/** Milliseconds during which runs are waited for that are to stop: a call that is at work ends first. */
const longestStop = 5000;

/** Milliseconds that a look at a task waits for its run to go on. */
const longestResume = 1000;

/** The sessions of a task as it is read: `openSession` opens such. */
type TaskSession = OpenSession & ReadableSession;

/** The tasks of the agents that one server has, and the runs of these tasks that are at work in this process. */
export class ServedTasks {
  readonly #served: ServedAgents;
  /** The runs that have begun, by their sessions. */
  readonly #atWork = new Map<string, AbortController>();
  /** The runs that are to go on and have not begun, by their sessions. */
  readonly #resuming = new Map<string, Promise<Beginning>>();
  readonly #ends = new Set<Promise<unknown>>();
  readonly #suspend = new AbortController();

  constructor(served: ServedAgents) {
    this.#served = served;
  }

  /** The place of a new task; undefined if the session that the caller names is none of its own, or can't be read without a run. */
  placeFor(name: string, caller: Principal | undefined, known: string | undefined): TaskPlace | undefined {
    const session = known ?? `${ownStart(name, caller)}${randomUUID()}`;
    const place = { name, session, inputId: `${taskMark}${randomUUID()}`, caller };
    return isOwn(place) && "toJSON" in this.#open(place) ? place : undefined;
  }

  /** The place of the task with this id; undefined if no such task can be the caller's. Nothing is read for it. */
  placeOf(taskId: string, caller: Principal | undefined): TaskPlace | undefined {
    const [session = "", inputId = "", ...rest] = taskId.split(".");
    if (rest.length > 0 || !inputId.startsWith(taskMark) || !isUuid.test(inputId.slice(taskMark.length)))
      return undefined;
    return Object.keys(this.#served.agents)
      .map((name) => ({ name, session, inputId, caller }))
      .find(isOwn);
  }

  /**
   * Begins a task with the words of a call. Returns it as soon as its session has taken the words, for then any process can tell it.
   * Until then the end of the request ends the run. Returns an answer if the session did not take them.
   */
  async begin(place: TaskPlace, words: string, request: AbortSignal): Promise<ToldTask | ToolAnswer> {
    const { inputId } = place;
    const over = withoutApprovals;
    const begun = this.#start({ place, input: words, more: { inputId }, over, until: request });
    // A run of another process may take the words.
    const seen = this.#until(async () => (await this.#read(place)) !== undefined, begun);
    const beginning = await Promise.race([begun, seen]);
    const task = await this.#read(place);
    if (task !== undefined) return told(task, place.session, "The agent is at work.");
    const why = beginning.is === "refused" ? beginning.fault.message : "The session did not take the task.";
    return failed(why, place.session).answer;
  }

  /**
   * The task for its caller; undefined if there is none. A run that no process is at work on goes on here: its process has died.
   * @param canAsk True if the caller can be asked a question.
   */
  async get(place: TaskPlace, canAsk: boolean): Promise<ToldTask | undefined> {
    const task = await this.#read(place);
    if (task?.state.is === "waiting") return this.#waiting(place, task, task.state.call, canAsk);
    if (task?.state.is !== "open" || this.#atWork.has(place.session))
      return task && told(task, place.session, iterationOf(task));
    const beginning = await this.#resumeSoon(place);
    if (beginning?.is === "refused")
      return told(task, place.session, `The run can't go on here: ${beginning.fault.message}`);
    return told((await this.#read(place)) ?? task, place.session, iterationOf(task));
  }

  /**
   * Answers the question or the approval that the task waits for. It does nothing if the task does not wait for it any more.
   * @throws LastcallError `configuration` if the session does not take the answer, with the reason.
   */
  async answer(place: TaskPlace, waiting: WaitingCall | ParkedCall, input: Input): Promise<void> {
    await this.#tell(place, waiting, { place, input, ...(!isApproval(waiting) && { over: withoutApprovals }) });
  }

  /**
   * Aborts the run of the task. A question is answered with words that say so, and an approval with a no, before the run ends. False if
   * there is no such task.
   * @throws LastcallError `configuration` if the run is at work in another process, or waits for somebody else's approval.
   */
  async cancel(place: TaskPlace): Promise<boolean> {
    const words = "the caller cancelled the task";
    const stop = { words, by: place.caller };
    const task = await this.#read(place);
    const here = this.#atWork.get(place.session);
    if (task?.state.is === "open" && here !== undefined) here.abort(abortBy(words, place.caller));
    else if (task?.state.is === "open") await this.#stop(place, stop);
    else if (task?.state.is === "waiting") {
      const { call } = task.state;
      const input = isApproval(call) ? { allowed: false, reason: words } : "The caller cancelled the task.";
      const owns = !isApproval(call) || place.caller !== undefined;
      await this.#tell(place, call, { place, input, stop, ...(!owns && { over: withoutApprovals }) });
    }
    return task !== undefined;
  }

  /** Suspends the runs at work here, so that a later process goes on with them. Waits until they have stopped, five seconds at most. */
  async suspend(): Promise<void> {
    this.#suspend.abort();
    const over = new AbortController();
    await Promise.race([
      Promise.all(this.#ends),
      sleep(longestStop, undefined, { signal: over.signal }).catch(() => 0),
    ]);
    over.abort();
  }

  /** The task of the place; undefined if its session has not taken its words. */
  async #read({ inputId, ...place }: TaskPlace): Promise<Task | undefined> {
    const session = this.#open({ inputId, ...place });
    return "toJSON" in session ? taskIn(await (session as TaskSession).toJSON(), inputId, Date.now()) : undefined;
  }

  #open({ session, caller }: TaskPlace): OpenSession {
    return this.#served.sessions(session, caller && ownedBy(caller));
  }

  /** The task that waits, for its caller: asked, or told that somebody else has to answer. */
  async #waiting(place: TaskPlace, task: Task, call: WaitingCall | ParkedCall, canAsk: boolean): Promise<ToldTask> {
    const { createdAt, updatedAt } = task;
    const asks: ToldTask = { createdAt, updatedAt, state: { is: "asks", call } };
    if (!isApproval(call)) return asks;
    const waits = (words: string): ToldTask => ({ createdAt, updatedAt, state: { is: "working", words } });
    if (place.caller === undefined || !canAsk) return waits(ownersAlone);
    try {
      const { records } = await (this.#open(place) as TaskSession).toJSON();
      const yes = { input: { allowed: true }, answers: call.id, by: place.caller };
      await expectApprover(this.#agentOf(place), records, yes);
      return asks;
    } catch (thrown) {
      return waits(`The agent waits for an approval of somebody else. ${explain(thrown)}`);
    }
  }

  #agentOf({ name }: TaskPlace): ServableAgent {
    const served = this.#served.agents[name];
    if (served === undefined) throw new LastcallError("configuration", `There is no agent ${name}.`);
    return served.agent;
  }

  /** Goes on with the run of a task. Undefined if that takes long: an agent may have its runs one after the other. */
  async #resumeSoon(place: TaskPlace): Promise<Beginning | undefined> {
    const { session } = place;
    const resuming = this.#resuming.get(session) ?? this.#resume(place);
    this.#resuming.set(session, resuming);
    const end = (): boolean => this.#resuming.delete(session);
    void resuming.then(end, end);
    return Promise.race([resuming, sleep(longestResume, undefined, { ref: false })]);
  }

  /** Goes on with the run of a task that no process is at work on, or ends it. */
  async #resume(place: TaskPlace, stop?: Start["stop"]): Promise<Beginning> {
    const { records } = await (this.#open(place) as TaskSession).toJSON();
    const vain = vainResumes(records);
    const words = `The run was resumed ${String(vain)} times and got no further: its process may die of it.`;
    const mayBegin = (last: readonly JournalRecord[]): boolean =>
      taskIn({ id: place.session, records: last }, place.inputId, Date.now())?.state.is === "open";
    const ending = stop ?? (vain >= mostAttempts ? { words, by: undefined } : undefined);
    return this.#start({ place, input: undefined, leaves: true, mayBegin, ...(ending && { stop: ending }) });
  }

  /** Ends a run that no process is at work on. */
  async #stop(place: TaskPlace, stop: Start["stop"]): Promise<void> {
    const beginning = await this.#resume(place, stop);
    if (beginning.is === "refused") throw beginning.fault;
    const elsewhere = "Another process is at work on the task: the cancellation has to go there.";
    if (beginning.is === "busy") throw new LastcallError("configuration", elsewhere);
  }

  /** Gives an answer to the call that waits, as soon as the session is free. Another answer may have come before: then nothing is done. */
  async #tell(place: TaskPlace, { id }: WaitingCall | ParkedCall, start: Start): Promise<void> {
    const waitsOn = async (): Promise<boolean> => {
      const state = (await this.#read(place))?.state;
      return state?.is === "waiting" && state.call.id === id;
    };
    const more = { answers: id, inputId: `answer-${randomUUID()}` };
    for (let looks = 0; looks < mostLooks && (await waitsOn()); looks += 1) {
      const beginning = await this.#start({ ...start, more, leaves: true });
      if (beginning.is === "begun") return;
      if (beginning.is === "refused" && (await waitsOn())) throw beginning.fault;
      await sleep(lookInterval);
    }
    if (await waitsOn()) throw new LastcallError("configuration", "The session is busy: give the answer once more.");
  }

  /** Begins a run in this process. It goes on when the returned promise has resolved. */
  #start(start: Start): Promise<Beginning> {
    const { place, input, more = {}, stop, until } = start;
    const { caller, session } = place;
    const abort = new AbortController();
    const unfollow = follow(abort, until);
    let isBegun = false;
    let isBusy = false;
    const begun = new Promise<Beginning>((resolve) => {
      const onBegun = (): void => {
        unfollow();
        isBegun = true;
        this.#atWork.set(session, abort);
        resolve({ is: "begun" });
      };
      const onBusy = (): void => {
        isBusy = true;
      };
      const opened = watched(this.#open(place), start, { onBegun, onBusy });
      const options: ServedRun = {
        session: start.over?.(opened) ?? opened,
        signal: abort.signal,
        suspend: this.#suspend.signal,
        ...more,
        ...(caller && { by: caller }),
        ...(this.#served.budget && { budget: this.#served.budget }),
        onEvent: ({ type }) => {
          if (type === "run-start" && stop !== undefined) abort.abort(abortBy(stop.words, stop.by));
        },
      };
      const ended = (async () => faultOf(await this.#agentOf(place).run(input, options)))()
        .catch(asFault)
        .then((fault) => {
          unfollow();
          if (this.#atWork.get(session) === abort) this.#atWork.delete(session);
          resolve(isBusy ? { is: "busy" } : isBegun ? { is: "begun" } : { is: "refused", fault });
          this.#ends.delete(ended);
        });
      this.#ends.add(ended);
    });
    return begun;
  }

  /** Looks until it is true, or until the beginning is there. */
  async #until(isTrue: () => Promise<boolean>, beginning: Promise<Beginning>): Promise<Beginning> {
    let isOver = false;
    void beginning.then(() => (isOver = true));
    for (;;) {
      await sleep(lookInterval);
      if (isOver) return beginning;
      if (await isTrue()) return { is: "begun" };
    }
  }
}

const isUuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** True for a session that this server made for this agent and this caller. */
function isOwn({ name, session, caller }: TaskPlace): boolean {
  const start = ownStart(name, caller);
  return session.startsWith(start) && isUuid.test(session.slice(start.length));
}

/** True for a call that waits for a yes or no. */
export function isApproval(call: WaitingCall | ParkedCall): boolean {
  return call.approval !== undefined || call.approves !== undefined;
}

function iterationOf({ iterations }: Task): string {
  return `iteration ${String(iterations + 1)}`;
}

/** The reason why a run took no input. */
function faultOf(outcome: AnyOutcome): LastcallError {
  if (outcome.status === "failed") return outcome.fault;
  return new LastcallError("configuration", "message" in outcome ? outcome.message : "The run has ended.");
}

/** The task as its caller is told of it. `working`: the words about a run that has no end. */
function told({ createdAt, updatedAt, state }: Task, id: string, working: string): ToldTask {
  const as = (one: ToldTask["state"]): ToldTask => ({ createdAt, updatedAt, state: one });
  switch (state.is) {
    case "open":
      return as({ is: "working", words: withoutPaths(working) });
    case "waiting":
      return as({ is: "asks", call: state.call });
    case "left":
      return as({ is: "cancelled", words: "The run was broken off, and its session went on with other words." });
    case "late":
      return as({ is: "done", answer: failed("Nobody answered the question of the agent in time.", id).answer });
    case "over":
      if (state.outcome.status === "aborted")
        return as({ is: "cancelled", words: withoutPaths(state.outcome.message) });
      return as({ is: "done", answer: answerOf(endOf(state.outcome, id)) });
  }
}

/** The session of a run, watched until the run begins. */
function watched(
  session: OpenSession,
  { leaves = false, mayBegin = () => true }: Start,
  { onBegun, onBusy }: { onBegun(): void; onBusy(): void },
): OpenSession {
  return {
    ...session,
    async lease(tell) {
      const lease = await session.lease(tell);
      if (lease !== undefined && mayBegin(lease.records)) return telling(lease, onBegun);
      if (lease === undefined && !leaves) return undefined;
      await lease?.release();
      onBusy();
      throw new LastcallError("configuration", "Another process is at work on the session.");
    },
  };
}

/** The lease, which says when its run has begun. A process that dies right after it counts as an attempt. */
function telling(lease: Lease, onBegun: () => void): Lease {
  return {
    ...lease,
    async append(record) {
      await lease.append(record);
      if (record.type === "resume") await lease.stored();
      if (beginsRun(record)) onBegun();
    },
  };
}
