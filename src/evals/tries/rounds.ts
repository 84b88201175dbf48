// Rounds at one task, each with a clean context: the Ralph loop.

import {
  outcomeOf,
  type AnyOutcome,
  type Check,
  type JsonObject,
  type LimitOptions,
  type Session,
  type Spent,
} from "../../core/index.js";
import {
  addSpent,
  checkOptions,
  needed,
  portKinds,
  recipeOf,
  wholeNumber,
  type OptionKinds,
} from "../../core/internal.js";
import { openSession, type Store, type StoredSessionHandle } from "../../memory/index.js";
import type { EvaluatedAgent } from "../plan/variant.js";
import { elapsedIn, spentIn } from "../trial/totals.js";
import { beginningWith, firstFailure, hadFailed, truthsOf, type FailedCheck } from "./ask-checks.js";
import { roundInput } from "./round-input.js";
import { endOf } from "./end-of.js";
import { sessionOf, taskFor, type TriesOutcome, type Tried, type TryEvent } from "./tried.js";

/** The options of `rounds`. */
export interface RoundsOptions {
  /** The store of the rounds' sessions. */
  readonly store: Store;
  /** The id of the first round's session. A call with the id of rounds that were there before goes on with them. Default: a random id. */
  readonly id?: string | undefined;
  /** The most rounds. Default 10. */
  readonly most?: number | undefined;
  /** The changes so far as a text for the next round, from the ids of the sessions so far. Default: it is told none. */
  readonly diff?: ((sessions: readonly string[]) => string | Promise<string>) | undefined;
  /** The context of each run, if a tool needs one. */
  readonly context?: unknown;
  /** Data of the host that is kept with each session. Default: none. */
  readonly about?: JsonObject | undefined;
  /** Suspends the round at work when it aborts. The next call goes on with it. Default: never. */
  readonly signal?: AbortSignal | undefined;
}

const roundsOptions = {
  store: needed(portKinds.store),
  id: "text",
  most: "number",
  diff: "function",
  context: "any",
  about: "object",
  signal: "signal",
} satisfies OptionKinds<RoundsOptions>;

/**
 * Lets the agent work on the task in rounds until its checks accept one. Each round has a clean context: the task, the notes that the last
 * round left, the last failure of a check, and the diff so far. The agent's limits hold for all rounds together, and each round gets its
 * share of what is left. Call it with the same id, and it goes on where a dead process left it. Without an input, the task of the stored
 * first round goes on.
 * @throws LastcallError `configuration` for an agent that `createAgent` did not make, for a wrong option, and without a task.
 */
export async function* rounds(
  agent: EvaluatedAgent,
  input: string | undefined,
  options: RoundsOptions,
): AsyncGenerator<TryEvent, TriesOutcome, void> {
  checkOptions("rounds", options, roundsOptions);
  const { store, id = crypto.randomUUID(), about, signal = new AbortController().signal } = options;
  const most = wholeNumber("rounds.most", options.most ?? 10);
  const recipe = recipeOf(agent);
  const { checks = [], limits: own } = recipe.options;
  // The limits are of all rounds, so no round asks for more.
  const limits = { ...own, ask: undefined };
  const { task, keptWith } = await taskFor(input, { store, id, most, about });
  const tries: Tried[] = [];
  let left: FailedCheck | undefined;
  for (let number = 1; number <= most; number += 1) {
    const session = openSession({ store, id: sessionOf(id, number), about: keptWith, onTorn: () => undefined });
    const stored = await session.toJSON();
    const [first, before] = [tries[0]?.outcome.session, tries.at(-1)?.outcome];
    const share = shareOf(limits, tries, most - number + 1);
    if (stored.records.length === 0 && typeof share === "string") return { status: "stopped", message: share, tries };
    const round: Round = {
      session,
      stored,
      before,
      limits: typeof share === "string" ? limits : share,
      checks: first === undefined ? checks : beginningWith(checks, first),
      input: async () => {
        if (before === undefined) return task;
        const ids = tries.map((tried) => tried.outcome.session.id);
        const diff = (await options.diff?.(ids)) ?? "";
        return roundInput(task, { number, ended: endOf(before), failed: left, diff });
      },
    };
    yield { type: "try-start", number, session: session.id };
    const outcome = yield* runRound(recipe, round, { number, options, signal });
    const isRight = isAccepted(outcome);
    const tried: Tried = { number, outcome, isRight, why: isRight ? "" : endOf(outcome) };
    tries.push(tried);
    if (outcome.status === "aborted") return { status: "aborted", tries };
    yield { type: "try-end", tried };
    if (isRight) return { status: "completed", number, tries };
    if (outcome.status === "waiting") return { status: "waiting", tries };
    if (outcome.status === "failed") return { status: "failed", fault: outcome.fault, tries };
    // The files tell nothing about a round that others came after.
    if (number < most && (await openSession({ store, id: sessionOf(id, number + 1) }).toJSON()).records.length > 0)
      continue;
    const began = first ?? outcome.session;
    const truths = truthsOf(checks);
    try {
      left = await firstFailure(truths, { first: began, session: outcome.session, signal });
    } catch (thrown) {
      if (signal.aborted) return { status: "aborted", tries };
      throw thrown;
    }
    // An opinion and a rule are asked about claims alone, so with them a round has to claim.
    const needed = checks.filter(({ kind }) => kind !== "advice");
    const isTrue = left === undefined && truths.length === needed.length && hadFailed(began);
    if (isTrue) return { status: "completed", number, tries };
  }
  return { status: "stopped", message: `no round of ${String(most)} was accepted`, tries };
}

/** One round, before it runs. */
interface Round {
  readonly session: StoredSessionHandle;
  readonly stored: Session;
  readonly before: AnyOutcome | undefined;
  readonly limits: LimitOptions;
  readonly checks: readonly Check[];
  input(): Promise<string>;
}

/** Runs the round, or goes on with it. A round that has ended is read. */
async function* runRound(
  recipe: ReturnType<typeof recipeOf>,
  { session, stored, before, limits, checks, input }: Round,
  {
    number,
    options: { context },
    signal,
  }: { readonly number: number; readonly options: RoundsOptions; readonly signal: AbortSignal },
): AsyncGenerator<TryEvent, AnyOutcome, void> {
  const isNew = stored.records.length === 0;
  const ended = isNew ? undefined : outcomeOf(stored);
  if (ended !== undefined && ended.status !== "aborted" && ended.status !== "failed") return ended;
  const agent = recipe.make({ ...recipe.options, limits, checks });
  const stream = agent.stream(isNew ? await input() : undefined, {
    session,
    suspend: signal,
    context,
    notesFrom: before?.session,
  });
  for await (const event of stream) yield { type: "try-event", number, event };
  return { ...(await stream.outcome), session: await session.toJSON() };
}

/** True if the round needs no other: its claim was accepted, or its checks confirmed the goal. */
function isAccepted(outcome: AnyOutcome): boolean {
  return outcome.status === "completed" || (outcome.status === "stopped" && outcome.reason === "check_passed");
}

/**
 * The limits of the next round: its share of the replies, tokens and cost that are left, and all time that is left. A closing reply is not
 * counted by a run's own limit, so it is taken off here. A text if nothing is left.
 */
function shareOf(limits: LimitOptions, tries: readonly Tried[], rounds: number): LimitOptions | string {
  const sessions = tries.map(({ outcome }) => outcome.session.records);
  const spent = sessions.map(spentIn).reduce<Spent>(addSpent, { iterations: 0, tokens: 0, cost: 0 });
  const elapsed = sessions.map(elapsedIn).reduce((sum, one) => sum + one, 0);
  const left = {
    maxIterations: limits.maxIterations && limits.maxIterations - spent.iterations,
    maxTokens: limits.maxTokens && limits.maxTokens - spent.tokens,
    maxCost: limits.maxCost && limits.maxCost - spent.cost,
    timeout: limits.timeout && limits.timeout - elapsed,
  };
  const over = Object.entries(left).find(([, amount]) => amount !== undefined && amount <= 0);
  if (over !== undefined) return `the limit of all rounds is reached: ${over[0]}`;
  const { maxIterations, maxTokens, maxCost, timeout } = left;
  return {
    ...limits,
    ...(maxIterations !== undefined && {
      maxIterations: rounds === 1 ? maxIterations : Math.max(1, Math.ceil(maxIterations / rounds) - 1),
    }),
    ...(maxTokens !== undefined && { maxTokens: Math.ceil(maxTokens / rounds) }),
    ...(maxCost !== undefined && { maxCost: maxCost / rounds }),
    ...(timeout !== undefined && { timeout: Math.ceil(timeout) }),
  };
}
