// The routes for the numbers of sessions: latencies, failures, ends.

import { statsOfNewest, statsOfSession } from "../hub/store-stats.js";
import { wholeIn } from "../answer/asked.js";
import { BadRequest, json } from "../answer/json-answer.js";
import type { Route, Routed } from "../answer/routed.js";

/** The routes, by method and path. */
export const statsRoutes: Readonly<Record<string, Route>> = {
  "GET /stats": getStats,
  "GET /sessions/:id/stats": getSessionStats,
};

/** The numbers of the sessions that were used last. */
async function getStats({ hub, url }: Routed): Promise<Response> {
  return json(200, await statsOfNewest(hub.store, wholeIn(url, "limit", 200, 1000)));
}

/** The numbers of one session, and of the agents that its calls ran. */
async function getSessionStats({ hub, id }: Routed): Promise<Response> {
  const stats = await statsOfSession(hub.store, id);
  if (stats === undefined) throw new BadRequest(404, `There is no session ${id}.`);
  return json(200, stats);
}
