// A delivery as an engine keeps it: its argument, its name, its result, and one attempt at it in this process.

import { LastcallError, type Event, type Input } from "../core/index.js";
import { follow, onAbort } from "../core/internal.js";
import { recordsAfter, type Store } from "../memory/index.js";
import { aboutOf, pickAgent, type Agents } from "./agents.js";
import { driveSession } from "./delivery/drive-session.js";
import { mostEarly, type Address, type Delivery } from "./engine.js";
import { deliveryKey } from "./host-over.js";
import { endOf, type RunEnd } from "./delivery/run-end.js";
import type { RunSignals } from "./runs-here.js";
import { toldIn } from "./delivery/told.js";

/** A delivery, as plain data. */
export interface Work extends Address {
  readonly input?: Input | undefined;
  readonly resumeFrom?: number | undefined;
  /** The reason to end the run that began before the record `before`. Then there is no input. */
  readonly stop?: string;
  readonly before?: number;
  /** The name of the first attempt. */
  readonly first: string;
  /** The number of attempts before this one, all in vain. */
  readonly times: number;
}

/** The result of an attempt: the end of the run, or the name of the attempt that follows. */
export type WorkResult = RunEnd | { readonly next: string };

/** The end of a delivery that was withdrawn over `abort`. */
export const withdrawn: RunEnd = { status: "aborted", message: "It was aborted over the host." };

/** The name of a delivery: the same whenever it is given again. */
function nameOf(delivery: Delivery): string {
  return `${encodeURIComponent(delivery.session)}/${encodeURIComponent(deliveryKey(delivery))}`;
}

/** The beginning of the names of deliveries that end what was left of a session. No other one has it. */
export function stopOf(session: string): string {
  return `${encodeURIComponent(session)}/stop:`;
}

/** The delivery of an input. */
export function workOf(delivery: Delivery): Work {
  return { ...delivery, first: nameOf(delivery), times: 0 };
}

/** The delivery that ends the run that a session has, unless it begins at the record `before` or later. */
export function stopping(session: string, agent: string, stop: string, before: number): Work {
  const none = { inputId: undefined, answers: undefined, priority: undefined, tenant: undefined };
  return { session, agent, ...none, stop, before, first: `${stopOf(session)}${crypto.randomUUID()}`, times: 0 };
}

/** The attempt that follows one in vain, and its name. */
export function attemptAfter(work: Work): { readonly name: string; readonly work: Work } {
  const times = work.times + 1;
  return { name: `${work.first}~${String(times)}`, work: { ...work, times } };
}

/** Waits for the end of a delivery, over all attempts at it. */
export async function endOver(first: string, resultOf: (attempt: string) => Promise<WorkResult>): Promise<RunEnd> {
  for (let attempt = first; ;) {
    const result = await resultOf(attempt);
    if (!("next" in result)) return result;
    attempt = result.next;
  }
}

/** The end that the journal tells of a delivery; undefined if it has none yet. */
export async function endInJournal(store: Store, delivery: Delivery): Promise<RunEnd | undefined> {
  const { session: id, input, inputId, answers, resumeFrom } = delivery;
  const brought = { id, hasInput: input !== undefined, inputId, answers, before: undefined, resumeFrom };
  const told = toldIn(await recordsAfter({ store, id }), brought);
  return told.kind === "ended" ? endOf(told.outcome) : undefined;
}

/** The things that an attempt works with. */
export interface WorkParts {
  readonly agents: Agents;
  readonly store: Store;
  readonly attempts?: number | undefined;
  readonly onEvent?: ((event: Event, session: string) => void) | undefined;
}

/** The wish of an engine that a delivery ends: the run is aborted for the reason that `reasonOf` finds. */
export interface Cancel {
  readonly signal: AbortSignal | undefined;
  reasonOf(session: string): Promise<string | undefined>;
}

/** The end of an attempt: that of the run, or the wish to be delivered again. */
export type Attempted = RunEnd | { readonly again: "suspended" | "busy" | "early" };

/**
 * One attempt at a delivery. A busy session is left, and an answer that came early for the last time ends.
 * @throws LastcallError `store` if the store failed: deliver again.
 */
export async function attempt(
  parts: WorkParts,
  work: Work,
  { signal, suspend }: RunSignals,
  cancel: Cancel,
): Promise<Attempted> {
  const { store, attempts, onEvent } = parts;
  const { session, input, inputId, answers, stop, before, resumeFrom } = work;
  const abort = new AbortController();
  const unfollow = [follow(abort, signal), whenCancelled(cancel, session, abort)];
  try {
    const { agent } = pickAgent(parts.agents, session, { own: work.agent, wanted: undefined });
    const driven = await driveSession({
      ...{ agent, store, session, about: aboutOf(work.agent), input, inputId, answers, stop, before },
      resumeFrom,
      ...{ signal: abort.signal, suspend, busy: "leave" as const, attempts },
      onEvent: (event) => onEvent?.(event, session),
    });
    const isOver = driven.again === undefined || (driven.again === "early" && work.times >= mostEarly);
    return isOver ? endOf(driven.outcome) : { again: driven.again };
  } finally {
    for (const end of unfollow) end();
  }
}

/** Aborts for the reason that is found once the engine cancels. Returns the function that stops listening. */
function whenCancelled({ signal, reasonOf }: Cancel, session: string, abort: AbortController): () => void {
  const onCancel = (): void => {
    void reasonOf(session)
      .catch(() => undefined)
      .then((reason) => {
        abort.abort(new DOMException(reason ?? "aborted over the host", "AbortError"));
      });
  };
  if (signal?.aborted === true) onCancel();
  return signal === undefined ? () => undefined : onAbort(signal, onCancel);
}

/** The fault of a wait for an end in a process whose host closes. */
export function waitOver(): LastcallError {
  return new LastcallError("store", "The host closes, and no longer waits for ends: another host can tell them.");
}

/** The fault of a delivery that an engine gave up. */
export function givenUp(name: string, why: string, cause?: unknown): LastcallError {
  return new LastcallError("store", `The engine gave up the delivery ${name}: ${why}`, { cause });
}
