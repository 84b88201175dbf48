// Deliveries as workflows of DBOS: their options, and their results.

import { explain } from "../core/internal.js";
import { givenUp, withdrawn, type Work, type WorkResult } from "../host/host-parts.js";
import type { DbosClient } from "./dbos-package.js";

/** The name of the workflow: one delivery. */
export const workflowName = "lastcall.delivery";
/** Workflows that any build may go on with: the version of the journal, and not that of the code. */
export const appVersion = "lastcall-1";

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

/**
 * The result of a workflow, once it has one.
 * @throws LastcallError `store` if the engine gave it up.
 */
export async function resultOf(client: DbosClient, id: string, pollingIntervalMs: number): Promise<WorkResult> {
  try {
    return await client.retrieveWorkflow<WorkResult>(id).getResult({ pollingIntervalMs });
  } catch (thrown) {
    const status = await client.getWorkflow(id);
    if (status?.status === "CANCELLED") return withdrawn;
    throw givenUp(id, explain(thrown), thrown);
  }
}
