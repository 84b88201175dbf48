// Asks the permission about one call, and tells watchers when somebody is asked about it.

import { unlessAborted } from "../time/abort.js";
import type { Decision, Later } from "../data/decision.js";
import { explain, LastcallError } from "../data/fault.js";
import type { Event, Stage } from "../ports/event.js";
import { readPermission, type Announcement, type FrozenCall, type GivenApproval } from "../ports/permission.js";
import { redactThrown } from "../run/redaction.js";
import type { Run } from "../run/run.js";
import type { ResolvedCall } from "./resolve.js";
import { wait } from "../time/stage.js";

/** The decision about a call, with the error that made it a denial. */
export type Permit = Decision & { readonly error?: unknown };

/**
 * Asks the permission, and yields `call-asking` for each announcement. Fails closed: anything but a clear yes is a no. The wait for an
 * approval does not use up the run's time.
 */
export function* askPermission(
  { parts, permission, session, signal, time, context: { given: context } }: Run,
  { frozen, tool }: ResolvedCall,
  approval: GivenApproval | undefined,
): Stage<Permit | Later> {
  const preview = async (): Promise<string | undefined> => tool.preview?.(frozen.input, signal);
  const announcements = new Announcements(frozen);
  const announce = (about: Announcement): void => {
    announcements.add(about);
  };
  const deciding = { signal, session: session.id, preview, announce, context, ...(approval && { approval }) };
  try {
    const answer: unknown = permission.decide(frozen, deciding);
    // Most permissions answer at once, and need no listener on the signal.
    if (!isPromise(answer)) {
      yield* announcements.take();
      signal.throwIfAborted();
      return readPermission(answer);
    }
    const answering = time.without(unlessAborted(Promise.resolve(answer), signal));
    yield* announcements.until(answering);
    return readPermission(yield* wait(answering));
  } catch (thrown) {
    signal.throwIfAborted();
    const error = redactThrown(parts.secrets, thrown);
    return { allowed: false, reason: `permission could not be asked (${explain(thrown)})`, error };
  }
}

/** The announcements about one call that watchers have not seen yet. */
class Announcements {
  readonly #call: FrozenCall;
  readonly #events: Event[] = [];
  #wake: (() => void) | undefined;
  #isAnswered = false;

  constructor(call: FrozenCall) {
    this.#call = call;
  }

  /** @throws LastcallError `configuration` if the announcement has no words. */
  add({ why, rule }: Announcement): void {
    if (typeof why !== "string" || (rule !== undefined && typeof rule !== "string"))
      throw new LastcallError("configuration", "announce takes `why`, and `rule` if there is one. Both are texts.");
    const { id: callId, name } = this.#call;
    this.#events.push({ type: "call-asking", callId, name, why, ...(rule !== undefined && { rule }) });
    this.#wake?.();
  }

  /** The events that are there. */
  *take(): Stage {
    for (let event = this.#events.shift(); event !== undefined; event = this.#events.shift()) yield event;
  }

  /** The events until the answer is there, each as soon as it is announced. */
  *until(answering: Promise<unknown>): Stage {
    const end = (): void => {
      this.#isAnswered = true;
    };
    const over = answering.then(end, end);
    for (;;) {
      yield* this.take();
      if (this.#isAnswered) return;
      yield* wait(Promise.race([over, this.#nextAnnouncement()]));
    }
  }

  #nextAnnouncement(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}

/** The decision about a call, if the permission needs nobody for it; undefined otherwise. */
export async function decideUnasked(
  { permission, session, signal, context: { given: context } }: Run,
  frozen: FrozenCall,
): Promise<Decision | undefined> {
  const preview = (): Promise<undefined> => Promise.resolve(undefined);
  return permission.unasked?.(frozen, { signal, session: session.id, preview, context });
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as Partial<PromiseLike<unknown>> | null | undefined)?.then === "function";
}
