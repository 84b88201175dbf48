// Deliveries as workflows of DBOS: their names, their arguments, and their results.

import type { RunEnd } from "../host/index.js";
import { deliveryKey, type Delivery } from "../host/host-parts.js";

/** The name of the workflow: one delivery. */
export const workflowName = "lastcall.delivery";
/** Workflows that any build may go on with: the version of the journal, and not that of the code. */
export const appVersion = "lastcall-1";

/** The argument of a workflow. */
export interface Work extends Omit<Delivery, "input"> {
  readonly input?: Delivery["input"];
  /** The reason to end the run that began before the record `before`. Then there is no input. */
  readonly stop?: string;
  readonly before?: number;
  /** The workflow of the first delivery. */
  readonly first: string;
  /** The number of deliveries before this one, all in vain. */
  readonly times: number;
}

/** The result of a workflow: the end of the run, or the workflow that delivers once more. */
export type WorkResult = RunEnd | { readonly next: string };

/** The id of the workflow of a delivery: the same whenever it is given again. */
export function workflowOf(delivery: Delivery): string {
  return `${encodeURIComponent(delivery.session)}/${encodeURIComponent(deliveryKey(delivery))}`;
}

/** The beginning of the ids of workflows that end what was left of a session. No other one has it. */
export function stopOf(session: string): string {
  return `${encodeURIComponent(session)}/stop:`;
}

/** The options under which a workflow is kept. */
export interface Kept {
  readonly workflowID: string;
  readonly workflowName: string;
  readonly queueName: string;
  readonly appVersion: string;
  readonly attributes: { readonly session: string };
  readonly priority?: number;
  readonly queuePartitionKey?: string;
  readonly delaySeconds?: number;
}

/** The options of a workflow: it is kept on the queue of its agent, and in the part of its tenant if the queue has such. */
export function keeping(
  id: string,
  { session, priority, tenant }: Work,
  place: { readonly queue: string; readonly hasTenants: boolean; readonly delay?: number },
): Kept {
  return {
    workflowID: id,
    workflowName,
    queueName: place.queue,
    appVersion,
    attributes: { session },
    ...(priority !== undefined && { priority }),
    ...(place.hasTenants && { queuePartitionKey: tenant === undefined ? "none" : `of ${tenant}` }),
    ...(place.delay !== undefined && place.delay > 0 && { delaySeconds: place.delay / 1000 }),
  };
}
