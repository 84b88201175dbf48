// Asks an approver, one question at a time for each session. Only a clear yes in time counts.

import type { AnyApproval, Approval, Approver, Asking, Deciding, Decision, FrozenCall, Later } from "../core/index.js";
import { unlessLate, readLater } from "../core/internal.js";

/** An answer as it counts. */
export type ReadApproval = Decision & { readonly always: boolean | string };

/**
 * Asks about a call, unless the answer came later and is there now. The answer to a parked call is the approver's
 * answer. `offered` are the rules that a yes may choose. Default: none.
 */
export async function answerTo(
  asked: () => Promise<unknown>,
  { approval }: Pick<Deciding, "approval">,
  offered: readonly (string | undefined)[] = [],
): Promise<ReadApproval | Later> {
  const answer = approval ?? (await asked());
  return readLater(answer) ?? readApproval(answer, offered);
}

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
      unlessLate(
        (signal) => {
          announce?.({ why, rule });
          return approver(call, { ...asking, signal });
        },
        asking.signal,
        { timeout, late: () => new Error(`nobody answered within ${String(timeout / 1000)} s`) },
      ),
    );
    const settled = answering.then(ignore, ignore);
    lasts.set(session, settled);
    await settled;
    if (lasts.get(session) === settled) lasts.delete(session);
    return answering;
  };
}

const ignore = (): void => undefined;
