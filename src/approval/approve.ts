// Asks an approver, one question at a time for each session. Only a clear yes in time counts.

import type { AnyApproval, Approval, Approver, Asking, Deciding, Decision, FrozenCall, Later } from "../core/index.js";
import { unlessLate, readLater } from "../core/internal.js";
import { opening } from "./opens.js";

/** The words and the rules of a question about a call. */
export type About = Pick<Asking, "why" | "rule" | "kind" | "insists" | "opens">;

/** The answers before a question, and the answer to it. */
export interface Answers {
  /** The decision about the call by an earlier answer; undefined if none covers it. It is asked for when it is the call's turn. */
  readonly covered: () => Decision | undefined | Promise<Decision | undefined>;
  /** Keeps a yes that covers more: `true` is this call again, and a text is a rule that was offered. */
  readonly keep: (always: true | string) => void;
}

/** Decides about a call by an answer. */
export type Ask<Call extends FrozenCall> = (
  call: Call,
  deciding: Deciding,
  about: About,
  answers: Answers,
) => Promise<Decision | Later>;

/**
 * Asks about one call after another of each session, each with the timeout in milliseconds. Sessions do not wait for each other. Each
 * question is announced when the approver gets it. A call is not asked about if the answer to an earlier question covers it by then, nor
 * if its answer came later and is there now. Without an approver, such an answer alone can be a yes.
 */
export function oneAtATime<Call extends FrozenCall>(
  approver: Approver<Call, AnyApproval> | undefined,
  timeout: number,
): Ask<Call> {
  /** The last question of each session that has one open. */
  const lasts = new Map<string, Promise<void>>();

  /** The answer of the approver. Rejects if it takes too long. */
  function asked(call: Call, { announce, ...deciding }: Deciding, about: About): Promise<unknown> {
    return unlessLate(
      (signal) => {
        announce?.({ why: about.why, rule: about.rule });
        return approver?.(call, { ...deciding, ...about, signal });
      },
      deciding.signal,
      { timeout, late: () => new Error(`nobody answered within ${String(timeout / 1000)} s`) },
    );
  }

  /** Reads the answer, and keeps it before the next call has its turn. */
  function read(answer: unknown, { rule, kind, opens }: About, { keep }: Answers): Decision | Later {
    const later = readLater(answer);
    if (later !== undefined) return later;
    const { always, ...decision } = readApproval(answer, [rule, kind]);
    if (always !== false) keep(always);
    return decision.allowed ? { ...decision, ...opening(opens) } : decision;
  }

  return async (call, deciding, about, answers) => {
    const { session, approval } = deciding;
    if (approval !== undefined) return read(approval, about, answers);
    const answering = (lasts.get(session) ?? Promise.resolve()).then(
      async () => (await answers.covered()) ?? read(await asked(call, deciding, about), about, answers),
    );
    const settled = answering.then(ignore, ignore);
    lasts.set(session, settled);
    await settled;
    if (lasts.get(session) === settled) lasts.delete(session);
    return answering;
  };
}

const ignore = (): void => undefined;

/** An answer as it counts. */
type ReadApproval = Decision & { readonly always: boolean | string };

/** Reads an answer. Only a clear yes allows the call. */
function readApproval(answer: unknown, offered: readonly (string | undefined)[]): ReadApproval {
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
  if (typeof always === "string" && !offered.includes(always))
    return no(`the approver chose the rule ${JSON.stringify(always)}, which was not offered for this call`);
  const kept = typeof always === "string" ? always : always === true;
  return { allowed: true, reason: words ?? "it was approved", basis: "approver", always: kept };
}
