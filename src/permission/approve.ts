// Approval: one question at a time, and only a clear yes in time is one.

import type { Deciding, Decision, FrozenCall } from "../core/index.js";

/** What is known of a call that somebody has to decide about. */
export interface Asking extends Deciding {
  /** Why it is asked, in words for people. */
  readonly why: string;
  /** The rule that would allow this very thing from the start, for whoever wants to write it down; undefined where none would. */
  readonly rule: string | undefined;
  /** True where somebody has to say yes whatever the mode: `allow-all` does not cover it. */
  readonly insists: boolean;
}

/**
 * An answer. With `always`, a yes also counts for the same call with the same arguments, byte for byte, for the rest of the
 * session, as long as this process lives.
 */
export interface Approval {
  readonly allowed: boolean;
  /** For the journal and, where it is a no, for the model. Default: that it was approved, or was not. */
  readonly reason?: string;
  readonly always?: boolean;
}

/**
 * Whoever says yes or no to a call: a person at a terminal, a policy, a service.
 *
 * Contract: it answers `true`, `false` or an Approval for exactly the call it is given. Whatever else it returns, and
 * throwing, is a no. It is asked one thing at a time. Once `asking.signal` aborts, its answer counts no more.
 */
export type Approver = (call: FrozenCall, asking: Asking) => boolean | Approval | Promise<boolean | Approval>;

/** Only a clear yes is one. */
export function readApproval(answer: unknown): Decision & { readonly always: boolean } {
  const no = (reason: string): Decision & { readonly always: boolean } => ({
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

/** Asks one thing after the other, each within the time. */
export function oneAtATime(
  approver: Approver,
  timeout: number,
): (call: FrozenCall, asking: Asking) => Promise<unknown> {
  let last: Promise<unknown> = Promise.resolve();
  return (call, asking) => {
    const answering = last.then(() => within(timeout, asking, (signal) => approver(call, { ...asking, signal })));
    last = answering.catch(() => undefined);
    return answering;
  };
}

/** The longest time that timers know. */
const longest = 2 ** 31 - 1;

async function within(timeout: number, { signal }: Asking, ask: (signal: AbortSignal) => unknown): Promise<unknown> {
  signal.throwIfAborted();
  const over = new AbortController();
  const both = AbortSignal.any([signal, over.signal]);
  const given = new Promise<never>((_resolve, reject) => {
    both.addEventListener("abort", () => {
      reject(both.reason as Error);
    });
  });
  const late = (): void => {
    over.abort(new Error(`nobody answered within ${String(timeout / 1000)} s`));
  };
  const timer = timeout === Infinity ? undefined : setTimeout(late, Math.min(timeout, longest));
  try {
    return await Promise.race([given, (async () => ask(both))()]);
  } finally {
    clearTimeout(timer);
    // The promise above must not be left unheard.
    given.catch(() => undefined);
  }
}
