// A delivery as an engine keeps it: its argument, its name, its result, and one attempt at it in this process.

import { createHash } from "node:crypto";
import { LastcallError, type Event } from "../core/index.js";
import { follow, onAbort } from "../core/internal.js";
import { recordsAfter, type Store } from "../memory/index.js";
import { aboutOf, pickAgent, type Agents } from "./agents.js";
import type { Work } from "./delivery/delivery.js";
import { driveSession, type DriveOptions } from "./delivery/drive-session.js";
import { mostEarly } from "./engine.js";
import { endOf, type RunEnd } from "./delivery/run-end.js";
import type { RunSignals } from "./runs-here.js";
import { toldIn } from "./delivery/told.js";

/** The result of an attempt: the end of the run, or the name of the attempt that follows. */
export type WorkResult = RunEnd | { readonly next: string };

/** The end of a delivery that was withdrawn over `abort`. */
export const withdrawn: RunEnd = { status: "aborted", message: "It was aborted over the host." };

/** A name that is the same whenever a delivery is given again: by the id of its input, or by the call and the answer to it. */
function nameOf({ session, inputId, answers = "", input }: Omit<Work, "first" | "times">): string {
  const answer = (): string =>
    createHash("sha256")
      .update(JSON.stringify([answers, input]))
      .digest("hex");
  const key = inputId === undefined ? `a:${answer().slice(0, 32)}` : `i:${inputId}`;
  return `${encodeURIComponent(session)}/${encodeURIComponent(key)}`;
}

/** The beginning of the names of deliveries that end what was left of a session. No other one has it. */
export function stopOf(session: string): string {
  return `${encodeURIComponent(session)}/stop:`;
}

/** The delivery as an engine keeps it. */
export function workOf(delivery: Omit<Work, "first" | "times">): Work {
  return { ...delivery, first: nameOf(delivery), times: 0 };
}

/** The delivery that ends the run that a session has, unless it begins at the record `before` or later. */
export function stopping(session: string, agent: string, stop: string, before: number): Work {
  return { session, agent, stop, before, first: `${stopOf(session)}${crypto.randomUUID()}`, times: 0 };
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
export async function endInJournal(store: Store, work: Work): Promise<RunEnd | undefined> {
  const told = toldIn(await recordsAfter({ store, id: work.session }), work);
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
export type Attempted = RunEnd | { readonly again: "suspended" | "busy" | "early" | "fault" };

/** The signals of an attempt. */
export interface AttemptSignals extends RunSignals {
  /** Aborts if the engine has lost this process: the run is left then, as it is on a close. */
  readonly lost?: AbortSignal | undefined;
}

/**
 * One attempt at a delivery. A busy session is left, and an answer that came early for the last time ends.
 * @throws LastcallError `store` if the store failed: deliver again.
 */
export async function attempt(
  parts: WorkParts,
  work: Work,
  { signal, suspend, lost, watchers }: AttemptSignals,
  cancel: Cancel,
): Promise<Attempted> {
  const { store, attempts, onEvent } = parts;
  const { session } = work;
  const abort = new AbortController();
  const leave = new AbortController();
  const unfollow = [follow(abort, signal), follow(leave, suspend, lost), whenCancelled(cancel, session, abort)];
  try {
    const { agent } = pickAgent(parts.agents, session, { own: work.agent, wanted: undefined });
    const driven = await driveSession({
      ...broughtBy(work),
      ...{ agent, store, about: aboutOf(work.agent), watchers },
      ...{ signal: abort.signal, suspend: leave.signal, busy: "leave" as const, attempts },
      onEvent: (event) => onEvent?.(event, session),
    });
    if (driven.again === "busy" && cancel.signal?.aborted === true) {
      // It was withdrawn while it waited for another run, so that neither this run nor a later one takes it.
      if (work.inputId !== undefined) await store.drop(session, [work.inputId]);
      return withdrawn;
    }
    const isOver = driven.again === undefined || (driven.again === "early" && work.times >= mostEarly);
    return isOver ? endOf(driven.outcome) : { again: driven.again };
  } finally {
    for (const end of unfollow) end();
  }
}

/** The part of a delivery that `driveSession` takes. */
export function broughtBy(work: Work): Pick<DriveOptions, keyof DriveOptions & keyof Omit<Work, "agent">> {
  const { session, input, inputId, answers, attachments, stop, before, resumeFrom } = work;
  return { session, input, inputId, answers, attachments, stop, before, resumeFrom };
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
