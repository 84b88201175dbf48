// Rivals at one task: several runs side by side, each in a folder of its own. The best is kept.

import { join, resolve } from "node:path";
import {
  LastcallError,
  outcomeOf,
  sharedLimits,
  type AnyOutcome,
  type Budget,
  type Check,
  type JsonObject,
  type LimitOptions,
  type Spent,
} from "../../core/index.js";
import {
  addSpent,
  asFault,
  checkOptions,
  follow,
  headOf,
  listOf,
  needed,
  portKinds,
  recipeOf,
  wholeNumber,
  type OptionKinds,
} from "../../core/internal.js";
import { usualTests } from "../../files/index.js";
import { freeLock, giveBack, newHolder, renewLock, stale, waitForLock } from "../../lock/index.js";
import { openSession, type Store } from "../../memory/index.js";
import type { EvaluatedAgent } from "../plan/variant.js";
import { Channel } from "../run/channel.js";
import { spentIn } from "../trial/totals.js";
import { firstFailure, truthsOf } from "./ask-checks.js";
import { changedLines } from "./compare-folders.js";
import { endOf } from "./end-of.js";
import { rivalFolders, type RivalFolders } from "./rival-folders.js";
import { openRivals, type RivalLine, type RivalsFile } from "./rivals-file.js";
import { sweep } from "./sweep-rivals.js";
import { sessionOf, taskFor, type TriesOutcome, type Tried, type TryEvent } from "./tried.js";

/** The options of `rivals`. */
export interface RivalsOptions {
  /** The store of the rivals' sessions. */
  readonly store: Store;
  /** The id of the first rival's session. A call with the id of rivals that were there before goes on with them. Default: a random id. */
  readonly id?: string | undefined;
  /** The work folder. The rivals begin with its files as they are, and the best one's changes are brought into it. */
  readonly root: string;
  /**
   * The folder for the rivals' own folders, outside of the work folder. A small file for each id stays in it. Give each store a folder of
   * its own: what is there for an id of which the store has no session goes.
   */
  readonly folder: string;
  /** The number of rivals. Default 3. */
  readonly most?: number | undefined;
  /** The rivals at work at the same time. Default 4. */
  readonly concurrency?: number | undefined;
  /**
   * Rates a rival whose checks pass, from its folder: the highest number wins. Undefined: it can't win. Default: the smallest change wins.
   */
  readonly by?: ((root: string, signal: AbortSignal) => number | undefined | Promise<number | undefined>) | undefined;
  /**
   * Patterns of files that are put back as they were before the checks run once more, and so are not changed in the work folder either.
   * Default: the usual places of tests and of their configuration.
   */
  readonly protect?: readonly string[] | undefined;
  /**
   * The record of changes in the work folder (`workspaceChanges`): an undo of the first session takes back what was brought in. Default:
   * none.
   */
  readonly changes?:
    | {
        record<Made>(session: string, paths: readonly string[], work: () => Promise<Made>): Promise<Made>;
      }
    | undefined;
  /** The context of each run, if a tool needs one. */
  readonly context?: unknown;
  /** Data of the host that is kept with each session. Default: none. */
  readonly about?: JsonObject | undefined;
  /** Suspends the rivals at work when it aborts. The next call goes on with them. Default: never. */
  readonly signal?: AbortSignal | undefined;
}

const rivalsOptions = {
  store: needed(portKinds.store),
  id: "text",
  root: needed("text"),
  folder: needed("text"),
  most: "number",
  concurrency: "number",
  by: "function",
  protect: listOf("text"),
  changes: "object",
  context: "any",
  about: "object",
  signal: "signal",
} satisfies OptionKinds<RivalsOptions>;

/**
 * Lets several runs work on the task side by side, in git worktrees of the work folder, or in copies if there is no git. Keeps the best.
 * The tools and checks of an agent work in the folder `root` that it is made for.
 * A rival counts if it completed and the agent's checks pass once more, with the protected files as they had been. Of these, the highest
 * number of `by` wins, then the smallest change, then the first. Its changes are brought into the work folder, and the folders are removed.
 * The sessions stay. The limits of the agent on replies, tokens and cost hold for all rivals together. Call it with the same id, and it
 * goes on where a dead process left it. Without an input, the task of the stored rivals goes on.
 * @throws LastcallError `configuration` for an agent that `createAgent` did not make, for a wrong option, without a task, and if another
 * process works on the same rivals.
 */
export async function* rivals(
  agentFor: (root: string, number: number) => EvaluatedAgent | Promise<EvaluatedAgent>,
  input: string | undefined,
  options: RivalsOptions,
): AsyncGenerator<TryEvent, TriesOutcome, void> {
  checkOptions("rivals", options, rivalsOptions);
  const id = options.id ?? crypto.randomUUID();
  if (!/^\w[\w.-]*$/.test(id))
    throw new LastcallError(
      "configuration",
      `rivals: ${JSON.stringify(id)} names a file: give letters, digits, . and -.`,
    );
  const folder = resolve(options.folder);
  const lock = join(folder, `${id}.lock`);
  const holder = newHolder();
  const other = await waitForLock(lock, holder, { longest: 0 });
  if (other !== undefined)
    throw new LastcallError(
      "configuration",
      `rivals: the process ${String(other.pid)} works on ${id}. Wait for its end.`,
    );
  const beat = setInterval(() => void renewLock(lock, holder, Date.now).catch(() => undefined), stale / 3);
  beat.unref();
  const stop = new AbortController();
  const unfollow = follow(stop, options.signal);
  try {
    await sweep(folder, options.store, id);
    const file = await openRivals(join(folder, `${id}.jsonl`));
    const folders = await rivalFolders(options.root, join(folder, id));
    const most = wholeNumber("rivals.most", options.most ?? 3);
    const { store, about } = options;
    const contest = {
      agentFor,
      ...(await taskFor(input, { store, id, most, about })),
      options,
      id,
      most,
      file,
      folders,
      stop,
    };
    return yield* compete(contest);
  } finally {
    unfollow();
    clearInterval(beat);
    await giveBack(holder, () => freeLock(lock, holder));
  }
}

/** Rivals at work. */
interface Contest {
  readonly agentFor: Parameters<typeof rivals>[0];
  readonly task: string;
  /** The data that is kept with each session. */
  readonly keptWith: JsonObject;
  readonly options: RivalsOptions;
  readonly id: string;
  readonly most: number;
  readonly file: RivalsFile;
  readonly folders: RivalFolders;
  /** Suspends the rivals at work. */
  readonly stop: AbortController;
}

/** A rival that has ended, and the paths that it has changed. */
interface Judged {
  readonly tried: Tried;
  readonly changes: readonly string[];
}

async function* compete(contest: Contest): AsyncGenerator<TryEvent, TriesOutcome, void> {
  const { file, folders, most, stop } = contest;
  const isOver = file.lines.some((line) => line.type === "end" && (line.number !== undefined || line.rivals >= most));
  if (!isOver && !file.sinceEnd.some(({ type }) => type === "base")) {
    await folders.copyBase();
    await file.add({ type: "base", root: resolve(contest.options.root) });
  }
  const judged = yield* judgeAll(contest, isOver);
  const tries = judged.map(({ tried }) => tried);
  if (stop.signal.aborted) return { status: "aborted", tries };
  const [best] = judged.filter(({ tried }) => tried.isRight).sort((a, b) => compareTries(a.tried, b.tried));
  const failed = tries.map(({ outcome }) => outcome).find((outcome) => outcome.status === "failed");
  if (best === undefined && failed !== undefined) return { status: "failed", fault: failed.fault, tries };
  if (!isOver && best !== undefined) {
    const { options, id } = contest;
    const bring = (): Promise<readonly string[]> => folders.bring(best.tried.number, best.changes);
    const others = await (options.changes?.record(id, best.changes, bring) ?? bring());
    if (others.length > 0) {
      const message = `rival ${String(best.tried.number)} is the best, and was not brought in, since these files were changed meanwhile: ${others.join(", ")}. Its files are in ${folders.rootOf(best.tried.number)}`;
      return { status: "stopped", message, tries };
    }
  }
  const number = best?.tried.number;
  if (!isOver) await file.add({ type: "end", number, rivals: most });
  // Nothing more is needed of the folders once the end is written.
  await folders.clear();
  if (number === undefined) return { status: "stopped", message: `no rival of ${String(most)} is right`, tries };
  return { status: "completed", number, tries };
}

/** The higher rating, then the smaller change, then the first. */
function compareTries(a: Tried, b: Tried): number {
  return (b.rating ?? 0) - (a.rating ?? 0) || (a.lines ?? 0) - (b.lines ?? 0) || a.number - b.number;
}

/** Runs and judges the rivals, several at once. Returns them by their numbers. After an abort some are missing. */
async function* judgeAll(contest: Contest, isOver: boolean): AsyncGenerator<TryEvent, readonly Judged[], void> {
  const { most, stop, options, id } = contest;
  const events = new Channel<TryEvent>();
  const judged: Judged[] = [];
  const queue = Array.from({ length: most }, (_, index) => index + 1);
  const shared = sharing(await spentBefore(contest));
  const faults: LastcallError[] = [];
  const isStopped = (): boolean => stop.signal.aborted;
  const worker = async (): Promise<void> => {
    for (let number = queue.shift(); number !== undefined && !isStopped(); number = queue.shift()) {
      try {
        events.push({ type: "try-start", number, session: sessionOf(id, number) });
        const made = await judgeOne(contest, number, { shared, events, isOver });
        judged.push(made);
        events.push({ type: "try-end", tried: made.tried });
      } catch (thrown) {
        if (isStopped()) return;
        faults.push(asFault(thrown));
        stop.abort(faults[0]);
      }
    }
  };
  const workers = wholeNumber("rivals.concurrency", options.concurrency ?? 4);
  const done = Promise.all(Array.from({ length: Math.min(workers, most) }, worker)).finally(() => {
    events.close();
  });
  let isRead = false;
  try {
    yield* events;
    isRead = true;
  } finally {
    // A reader that leaves waits until the rivals at work are suspended.
    if (!isRead) stop.abort(new Error("the rivals were left"));
    await done;
  }
  const [fault] = faults;
  if (fault !== undefined) throw fault;
  return judged.sort((a, b) => a.tried.number - b.tried.number);
}

/** The limits that all rivals share; undefined without limits. They are made once, from the first agent. */
type Shared = (limits: LimitOptions) => Budget | undefined;

function sharing(spent: Spent): Shared {
  let made: { readonly budget: Budget | undefined } | undefined;
  return ({ maxCost, maxTokens, maxIterations }) => {
    const isBound = (maxCost ?? maxTokens ?? maxIterations) !== undefined;
    made ??= { budget: isBound ? sharedLimits({ maxCost, maxTokens, maxIterations, spent }) : undefined };
    return made.budget;
  };
}

/** The amounts that earlier processes have used, so that a limit holds over kills. */
async function spentBefore({ most, options: { store }, id }: Contest): Promise<Spent> {
  let spent: Spent = { iterations: 0, tokens: 0, cost: 0 };
  for (let number = 1; number <= most; number += 1) {
    const { records } = await openSession({ store, id: sessionOf(id, number), onTorn: () => undefined }).toJSON();
    if (records.length > 0) spent = addSpent(spent, spentIn(records));
  }
  return spent;
}

/** The parts that rivals have in common. */
interface Common {
  readonly shared: Shared;
  readonly events: Channel<TryEvent>;
  /** True if the end is written: nothing runs any more. */
  readonly isOver: boolean;
}

/** Runs a rival, or goes on with it, and judges it. A rival that was judged is read. */
async function judgeOne(contest: Contest, number: number, { shared, events, isOver }: Common): Promise<Judged> {
  const { file, folders, options, id, stop, agentFor, task, keptWith } = contest;
  const { store, context } = options;
  const session = openSession({ store, id: sessionOf(id, number), about: keptWith, onTorn: () => undefined });
  const stored = await session.toJSON();
  const line = file.lines.find((one) => one.type === "judged" && one.number === number);
  const ended = stored.records.length === 0 ? undefined : outcomeOf(stored);
  if (line?.type === "judged" && ended !== undefined) {
    const { type: _type, changes, ...verdict } = line;
    return { tried: { ...verdict, outcome: ended }, changes };
  }
  if (isOver && ended !== undefined)
    return { tried: { number, outcome: ended, isRight: false, why: endOf(ended) }, changes: [] };
  if (!file.sinceEnd.some((one) => one.type === "laid" && one.number === number)) {
    if (stored.records.length > 0)
      throw new LastcallError("store", `rivals: the files of ${session.id} are gone. Begin anew with another id.`);
    await folders.layOut(number);
    await file.add({ type: "laid", number });
  }
  const agent = await agentFor(folders.rootOf(number), number);
  const recipe = recipeOf(agent);
  const { checks = [], limits: own } = recipe.options;
  // The limits are of all rivals, so none asks for more.
  const limits = { ...own, ask: undefined };
  let outcome: AnyOutcome;
  if (ended !== undefined && ended.status !== "aborted" && ended.status !== "failed") outcome = ended;
  else {
    const words = stored.records.length === 0 ? task : undefined;
    const stream = recipe
      .make({ ...recipe.options, limits })
      .stream(words, { session, suspend: stop.signal, context, budget: shared(limits) });
    for await (const event of stream) events.push({ type: "try-event", number, event });
    outcome = { ...(await stream.outcome), session: await session.toJSON() };
  }
  if (outcome.status === "aborted") {
    stop.signal.throwIfAborted();
    return { tried: { number, outcome, isRight: false, why: endOf(outcome) }, changes: [] };
  }
  // It is not judged: the next call tries it again.
  if (outcome.status === "failed")
    return { tried: { number, outcome, isRight: false, why: endOf(outcome) }, changes: [] };
  const { changes, ...verdict } = await judge(contest, outcome, { number, checks });
  await file.add({ type: "judged", ...verdict, changes });
  return { tried: { ...verdict, outcome }, changes };
}

/** The most characters of a reason. */
const mostReason = 600;

/** Asks the checks once more in the rival's folder, on the protected files as they were, and measures the change. */
async function judge(
  { folders, file, options: { protect = usualTests, by }, stop: { signal } }: Contest,
  outcome: AnyOutcome,
  { number, checks }: { readonly number: number; readonly checks: readonly Check[] },
): Promise<Omit<Extract<RivalLine, { readonly type: "judged" }>, "type">> {
  const refused = (why: string) => ({ number, isRight: false, why: headOf(why, mostReason), changes: [] });
  const isDone = outcome.status === "completed" || (outcome.status === "stopped" && outcome.reason === "check_passed");
  if (!isDone) return refused(endOf(outcome));
  const root = folders.rootOf(number);
  const before = file.lines.find((line) => line.type === "put-back" && line.number === number);
  let putBack = before?.type === "put-back" ? before.paths : undefined;
  if (putBack === undefined) {
    putBack = await folders.protectedChanges(number, protect, signal);
    await file.add({ type: "put-back", number, paths: putBack });
  }
  await folders.putBack(number, putBack);
  // Before the checks run, since these may leave files.
  const changes = await folders.changesOf(number, signal);
  const lines = await changedLines(folders.base, root, changes);
  await folders.keep(number, changes);
  const touched = putBack.length > 0 && { putBack };
  const asked = { first: outcome.session, session: outcome.session, signal };
  const failure = await firstFailure(truthsOf(checks), asked);
  if (failure !== undefined)
    return { ...refused(`${failure.check} does not pass once more: ${failure.output}`), lines, ...touched };
  const rating = await by?.(root, signal);
  if (by !== undefined && rating === undefined) return { ...refused("it was given no number"), lines, ...touched };
  return { number, isRight: true, why: "", lines, ...(rating !== undefined && { rating }), ...touched, changes };
}
