// A delivery as an engine keeps it: its argument, its name and its result.

import { createHash } from "node:crypto";
import { LastcallError } from "../core/index.js";
import { recordsAfter, type Store } from "../memory/index.js";
import type { Work } from "./delivery/delivery.js";
import { abortedBefore } from "./delivery/no-run.js";
import { endOf, type RunEnd } from "./delivery/run-end.js";
import { deliveryState } from "./delivery/delivery-state.js";

/** The result of an attempt: the end of the run, or the name of the attempt that follows. */
export type WorkResult = RunEnd | { readonly next: string };

/** The end of a delivery that was withdrawn over `abort`. */
export const withdrawn: RunEnd = endOf(abortedBefore(""));

/** A name that is the same whenever a delivery is given again: by the id of its input, or by the call, the answer to it and its giver. */
function nameOf({ session, inputId, answers = "", input, by }: Omit<Work, "first" | "times" | "agent">): string {
  // Several people may say the same to one call.
  const whose = by === undefined ? [] : [by.tenant ?? null, by.id];
  const answer = (): string =>
    createHash("sha256")
      .update(JSON.stringify([answers, input, ...whose]))
      .digest("hex");
  const key = inputId === undefined ? `a:${answer().slice(0, 32)}` : `i:${inputId}`;
  // A later attempt has "~" and its number at the end.
  return `${encodeURIComponent(session)}/${encodeURIComponent(key).replaceAll("~", "%7E")}`;
}

/** The name of a delivery of words with this id. */
export function wordsName(session: string, inputId: string): string {
  return nameOf({ session, inputId });
}

/** The beginning of the names of deliveries that end what was left of a session. No other delivery has it. */
export function stopPrefix(session: string): string {
  return `${encodeURIComponent(session)}/stop:`;
}

/** The name of an attempt at a delivery: the first is number 0. */
export function attemptName(first: string, times: number): string {
  return times === 0 ? first : `${first}~${String(times)}`;
}

/** The name of the first attempt at the delivery that an attempt with this name is for. */
export function firstOf(name: string): string {
  return name.replace(/~\d+$/, "");
}

/** The delivery as an engine keeps it. */
export function workOf(delivery: Omit<Work, "first" | "times">): Work {
  return { ...delivery, first: nameOf(delivery), times: 0 };
}

/** The delivery that ends a run that a session has. */
export function stopDelivery(
  session: string,
  agent: string,
  ending: Required<Pick<Work, "stop" | "before">> & Pick<Work, "inputs">,
): Work {
  return { session, agent, ...ending, first: `${stopPrefix(session)}${crypto.randomUUID()}`, times: 0 };
}

/**
 * The id of the input of a delivery with this name, or of a later attempt at it. An answer that its caller gave no id has the part of the
 * name that tells it apart. Undefined for a stop.
 */
export function inputIdOf(name: string): string | undefined {
  const key = decodeURIComponent(firstOf(name).replace(/^[^/]*\//, ""));
  if (key.startsWith("a:")) return key;
  return key.startsWith("i:") ? key.slice(2) : undefined;
}

/** Waits for the end of a delivery, over all attempts at it. */
export async function awaitEnd(first: string, resultOf: (attempt: string) => Promise<WorkResult>): Promise<RunEnd> {
  for (let attempt = first; ;) {
    const result = await resultOf(attempt);
    if (!("next" in result)) return result;
    attempt = result.next;
  }
}

/** The end that the journal tells of a delivery; undefined if it has none yet. */
export async function endInJournal(store: Store, work: Work): Promise<RunEnd | undefined> {
  const state = deliveryState(await recordsAfter({ store, id: work.session }), work);
  return state.kind === "ended" ? endOf(state.outcome) : undefined;
}

/** The fault of a wait for an end in a process whose host closes. */
export function waitOver(): LastcallError {
  return new LastcallError("store", "The host closes, and no longer waits for ends: another host can tell them.");
}

/** The fault of a delivery that an engine gave up. */
export function givenUp(name: string, why: string, cause?: unknown): LastcallError {
  return new LastcallError("store", `The engine gave up the delivery ${name}: ${why}`, { cause });
}
