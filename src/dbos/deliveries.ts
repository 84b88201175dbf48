// Deliveries as workflows of DBOS: their names and their options.

import type { Work } from "../host/host-parts.js";
import { defaultQueue, queueOf } from "./dbos-options.js";

/** The name under which the workflow is registered. One workflow is one attempt at a delivery. */
export const workflowName = "lastcall.delivery";
/**
 * The application version that DBOS records with each workflow. It is a version of the journal's form and not of the code, so any build
 * with this version can go on with the workflow. Two applications of one database can't have the same, so it names the queue. The default
 * queue has the version without a name, which deliveries of older builds have.
 */
export function appVersionOf(queue: string): string {
  return queue === defaultQueue ? "lastcall-1" : `lastcall-1.${queue}`;
}

/** The options under which a workflow is put on a queue. */
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

/** A place on a queue. */
export interface QueuePlace {
  /** The name under which processes work together. */
  readonly queue: string;
  /** True if the queue is partitioned by tenant. */
  readonly hasTenants: boolean;
  /** Milliseconds before the workflow may begin. Default: 0. */
  readonly delay?: number;
}

/**
 * The options that put a workflow on the queue of an agent. If the queue is partitioned by tenant, the workflow goes into the partition of
 * its tenant, or into the partition for workflows without a tenant.
 */
export function workflowOptions(
  id: string,
  { session, agent, priority, tenant }: Work,
  place: QueuePlace,
): WorkflowOptions {
  return {
    workflowID: id,
    workflowName,
    queueName: queueOf(place.queue, agent),
    appVersion: appVersionOf(place.queue),
    attributes: { session },
    ...(priority !== undefined && { priority }),
    // The word before a tenant's name tells a tenant named `none` from no tenant.
    ...(place.hasTenants && { queuePartitionKey: tenant === undefined ? "none" : `of ${tenant}` }),
    ...(place.delay !== undefined && place.delay > 0 && { delaySeconds: place.delay / 1000 }),
  };
}
