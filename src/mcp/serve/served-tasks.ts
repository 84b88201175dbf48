// Served tasks: calls whose caller may leave and come back. The journals of their sessions are their only store.

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import {
  LastcallError,
  type Input,
  type JournalRecord,
  type OpenSession,
  type ParkedCall,
  type Principal,
  type ReadableSession,
  type WaitingCall,
} from "../../core/index.js";
import { abortBy, expectApprover, explain, vainResumes } from "../../core/internal.js";
import { withoutPaths } from "../../guard/index.js";
import type { ServedAgents } from "./served-agents.js";
import {
  answerOf,
  endOf,
  failed,
  isOwnSession,
  isUuid,
  ownersWords,
  ownStart,
  withoutApprovals,
} from "./serve-call.js";
import type { ToolAnswer } from "./server-package.js";
import { TaskRuns, type Beginning, type Start, type TaskPlace } from "./task-runs.js";
import { taskIn, taskMark, type Task } from "./task-state.js";

/** The state of a task for its caller. */
export type ToldTask = Pick<Task, "createdAt" | "updatedAt"> & {
  readonly state:
    | { readonly is: "working"; readonly words: string }
    | { readonly is: "asks"; readonly call: WaitingCall | ParkedCall }
    | { readonly is: "done"; readonly answer: ToolAnswer }
    | { readonly is: "cancelled"; readonly words: string };
};

/** The number of times that a run is resumed without getting further: after that it is aborted. */
const mostAttempts = 10;
/** Milliseconds between two looks at a session that is busy. */
const lookInterval = 200;
/** The number of looks at a busy session before an answer is refused. */
const mostLooks = 25;

/** Milliseconds that a look at a task waits for its run to go on. */
const longestResume = 1000;

/** The sessions of a task as it is read: `openSession` opens such. */
type TaskSession = OpenSession & ReadableSession;

/** The tasks of the agents that one server has, and the runs of these tasks that are at work in this process. */
export class ServedTasks {
  readonly #served: ServedAgents;
  readonly #runs: TaskRuns;
  /** The runs that are to go on and have not begun, by their sessions. */
  readonly #resuming = new Map<string, Promise<Beginning>>();

  constructor(served: ServedAgents) {
    this.#served = served;
    this.#runs = new TaskRuns(served);
  }

  /**
   * The place of a new task; undefined if the caller names a session that this server did not make for the caller, or that can't be read
   * without a run.
   */
  placeFor(name: string, caller: Principal | undefined, known: string | undefined): TaskPlace | undefined {
    const session = known ?? `${ownStart(name, caller)}${randomUUID()}`;
    const place = { name, session, inputId: `${taskMark}${randomUUID()}`, caller };
    return isOwn(place) && "toJSON" in this.#runs.open(place) ? place : undefined;
  }

  /** The place of the task with this id; undefined if no such task can be the caller's. Nothing is read for it. */
  placeOf(taskId: string, caller: Principal | undefined): TaskPlace | undefined {
    const [session = "", inputId = "", ...rest] = taskId.split(".");
    if (rest.length > 0 || !inputId.startsWith(taskMark) || !isUuid(inputId.slice(taskMark.length))) return undefined;
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
    const begun = this.#runs.start({ place, input: words, more: { inputId }, over, until: request });
    // A run of another process may take the words.
    const seen = until(async () => (await this.#read(place)) !== undefined, begun);
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
    if (task?.state.is !== "open" || this.#runs.at(place.session) !== undefined)
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
    const here = this.#runs.at(place.session);
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

  /** Suspends the runs at work here, so that a later process goes on with them. */
  async suspend(): Promise<void> {
    await this.#runs.suspend();
  }

  /** The task of the place; undefined if its session has not taken its words. */
  async #read({ inputId, ...place }: TaskPlace): Promise<Task | undefined> {
    const session = this.#runs.open({ inputId, ...place });
    return "toJSON" in session ? taskIn(await (session as TaskSession).toJSON(), inputId, Date.now()) : undefined;
  }

  /** The task that waits, for its caller: asked, or told that somebody else has to answer. */
  async #waiting(place: TaskPlace, task: Task, call: WaitingCall | ParkedCall, canAsk: boolean): Promise<ToldTask> {
    const { createdAt, updatedAt } = task;
    const asks: ToldTask = { createdAt, updatedAt, state: { is: "asks", call } };
    const owners = ownersWords(call);
    if (owners === undefined) return asks;
    const waits = (words: string): ToldTask => ({ createdAt, updatedAt, state: { is: "working", words } });
    if (place.caller === undefined || !canAsk) return waits(owners);
    try {
      const { records } = await (this.#runs.open(place) as TaskSession).toJSON();
      const yes = { input: { allowed: true }, answers: call.id, by: place.caller };
      await expectApprover(this.#runs.agentOf(place), records, yes);
      return asks;
    } catch (thrown) {
      return waits(`The agent waits for an approval of somebody else. ${explain(thrown)}`);
    }
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
    const { records } = await (this.#runs.open(place) as TaskSession).toJSON();
    const vain = vainResumes(records);
    const words = `The run was resumed ${String(vain)} times and got no further: its process may die of it.`;
    const mayBegin = (last: readonly JournalRecord[]): boolean =>
      taskIn({ id: place.session, records: last }, place.inputId, Date.now())?.state.is === "open";
    const ending = stop ?? (vain >= mostAttempts ? { words, by: undefined } : undefined);
    return this.#runs.start({ place, input: undefined, leaves: true, mayBegin, ...(ending && { stop: ending }) });
  }

  /** Ends a run that no process is at work on. */
  async #stop(place: TaskPlace, stop: Start["stop"]): Promise<void> {
    const beginning = await this.#resume(place, stop);
    if (beginning.is === "refused") throw beginning.fault;
    const elsewhere = "Another process is at work on the task: the cancellation has to go there.";
    const isOpen = beginning.is === "busy" && (await this.#read(place))?.state.is === "open";
    if (isOpen) throw new LastcallError("configuration", elsewhere);
  }

  /** Gives an answer to the call that waits, as soon as the session is free. Another answer may have come before: then nothing is done. */
  async #tell(place: TaskPlace, { id }: WaitingCall | ParkedCall, start: Start): Promise<void> {
    const waitsOn = async (): Promise<boolean> => {
      const state = (await this.#read(place))?.state;
      return state?.is === "waiting" && state.call.id === id;
    };
    const more = { answers: id, inputId: `answer-${randomUUID()}` };
    for (let looks = 0; looks < mostLooks && (await waitsOn()); looks += 1) {
      const beginning = await this.#runs.start({ ...start, more, leaves: true });
      if (beginning.is === "begun") return;
      if (beginning.is === "refused" && (await waitsOn())) throw beginning.fault;
      await sleep(lookInterval);
    }
    if (await waitsOn()) throw new LastcallError("configuration", "The session is busy: give the answer once more.");
  }
}

function isOwn({ name, session, caller }: TaskPlace): boolean {
  return isOwnSession(session, name, caller);
}

/** True for a call that waits for a yes or no. */
export function isApproval(call: WaitingCall | ParkedCall): boolean {
  return call.approval !== undefined || call.approves !== undefined;
}

function iterationOf({ iterations }: Task): string {
  return `iteration ${String(iterations + 1)}`;
}

/** The task in the form for its caller. `working`: the words about a run that has no end. */
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

/** Looks until it is true, or until the run has begun or was refused. */
async function until(isTrue: () => Promise<boolean>, beginning: Promise<Beginning>): Promise<Beginning> {
  for (;;) {
    const first = await Promise.race([beginning, sleep(lookInterval)]);
    if (first !== undefined) return first;
    if (await isTrue()) return { is: "begun" };
  }
}
