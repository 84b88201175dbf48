// Deliveries as workflows of DBOS: their names and their options.

import type { Work } from "../host/host-parts.js";

/** The name of the workflow: one delivery. */
export const workflowName = "lastcall.delivery";
/** Workflows that any build may go on with: the version of the journal, and not the version of the code. */
export const appVersion = "lastcall-1";

/** The options under which a workflow is kept. */
export interface WorkflowOptions {
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
): WorkflowOptions {
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
