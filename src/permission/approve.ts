// Asks an approver, one question at a time for each session. Only a clear yes in time counts.

import type { Deciding, Decision, FrozenCall, Later, OpenableWall } from "../core/index.js";
import { follow, readLater, unlessAborted } from "../core/internal.js";

/** A call that the approver has to decide about. */
export interface Asking extends Omit<Deciding, "announce"> {
  /** Why the approver is asked, in words for people. */
  readonly why: string;
  /**
   * The rule that would allow exactly this from the start, so that a person can write it down; undefined if no rule
   * would.
   */
  readonly rule: string | undefined;
  /** True if the approver must say yes in any mode: `allow-all` does not cover it. */
  readonly insists: boolean;
  /** The walls of its sandbox that a yes opens for this call. */
  readonly opens: readonly OpenableWall[];
}

/**
 * An answer. With `always`, a yes also allows the same call with the same arguments, byte for byte, for the rest of the
 * session, as long as this process lives.
 */
export interface Approval {
  readonly allowed: boolean;
  /** For the journal and, if the answer is no, for the model. Default: that the call was approved, or was not. */
  readonly reason?: string;
  readonly always?: boolean;
}

/**
 * The party that allows or refuses a call: a person at a terminal, a policy, a service.
 *
 * Contract: it answers `true`, `false` or an Approval for exactly the call it is given, or `Later` if the answer takes
 * time: the run then ends `waiting`, and the approver is not asked about this call again. Any other return value counts
 * as a no, and so does throwing. It is asked one question at a time about the calls of one session, and about several
 * sessions at the same time (`asking.session`), so that no user waits for the answer of another. Once `asking.signal`
 * aborts, its answer no longer counts.
 *
 * `(call: FrozenCallOf<typeof tools>) => …` types `call.input` by `call.name`.
 */
export type Approver<Call extends FrozenCall = FrozenCall, Answer extends AnyApproval = boolean | Approval> = (
  call: Call,
  asking: Asking,
) => Answer | Promise<Answer>;

/**
 * The answers of an approver that decides at once. Nothing fits the last form. Without it, TypeScript would read `{ later: true }`
 * as `{ later: boolean }` before it tries the signature that such an answer fits.
 */
export type AnswerAtOnce = boolean | Approval | (Later & { readonly allowed: never });

/** Every answer of an approver. */
export type AnyApproval = boolean | Approval | Later;

/** An answer as it counts. */
export type ReadApproval = Decision & { readonly always: boolean };

/**
 * Asks about a call, unless the answer came later and is there now. The answer to a parked call is the approver's
 * answer.
 */
export async function answerTo(
  asked: () => Promise<unknown>,
  { approval }: Pick<Deciding, "approval">,
): Promise<ReadApproval | Later> {
  const answer = approval ?? (await asked());
  return readLater(answer) ?? readApproval(answer);
}

/** Reads an answer. Only a clear yes allows the call. */
function readApproval(answer: unknown): ReadApproval {
  const no = (reason: string): ReadApproval => ({
    allowed: false,
    reason,
    basis: "approver",
    always: false,
  });
  if (answer === true) return { allowed: true, reason: "it was approved", basis: "approver", always: false };
  if (answer === false) return no("it was not approved");
  if (typeof answer !== "object" || answer === null) return no("the approver gave no clear answer");
  const { allowed, reason, always } = answer as Partial<Record<keyof Approval, unknown>>;
  const words = typeof reason === "string" && reason.trim() !== "" ? reason : undefined;
  if (allowed === false) return no(words ?? "it was not approved");
  if (allowed !== true) return no("the approver gave no clear answer");
  return { allowed: true, reason: words ?? "it was approved", basis: "approver", always: always === true };
}

/**
 * Asks about one call after another of each session, each with the timeout in milliseconds. Sessions do not wait for each other. Each
 * question is announced when the approver gets it.
 */
export function oneAtATime<Call extends FrozenCall>(
  approver: Approver<Call, AnyApproval>,
  timeout: number,
): (call: Call, asking: Asking & Pick<Deciding, "announce">) => Promise<unknown> {
  /** The last question of each session that has one open. */
  const lasts = new Map<string, Promise<void>>();
  return async (call, { announce, ...asking }) => {
    const { session, why, rule } = asking;
    const answering = (lasts.get(session) ?? Promise.resolve()).then(() =>
      within(timeout, asking.signal, (signal) => {
        announce?.({ why, rule });
        return approver(call, { ...asking, signal });
      }),
    );
    const settled = answering.then(ignore, ignore);
    lasts.set(session, settled);
    await settled;
    if (lasts.get(session) === settled) lasts.delete(session);
    return answering;
  };
}

const ignore = (): void => undefined;

/** The longest delay of a timer, in milliseconds. */
const maxTimerDelay = 2 ** 31 - 1;

/** Waits for the answer until the signal aborts or the time is up. Nothing of the question stays on the signal. */
async function within(timeout: number, signal: AbortSignal, ask: (signal: AbortSignal) => unknown): Promise<unknown> {
  signal.throwIfAborted();
  const stop = new AbortController();
  const unfollow = follow(stop, signal);
  const onTimeout = (): void => {
    stop.abort(new Error(`nobody answered within ${String(timeout / 1000)} s`));
  };
  const timer = timeout === Infinity ? undefined : setTimeout(onTimeout, Math.min(timeout, maxTimerDelay));
  try {
    return await unlessAborted((async () => ask(stop.signal))(), stop.signal);
  } finally {
    clearTimeout(timer);
    unfollow();
  }
}
