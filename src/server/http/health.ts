// Health: whether this process lives, and whether it can take inputs, for those who start processes and give them requests.

import { systemRuntime } from "../../core/index.js";
import type { Hub } from "../hub/hub.js";
import { json } from "./json-answer.js";

/** Milliseconds for which an answer of the store counts: anybody may ask, and must not be able to load the store. */
const fresh = 1000;
/** Milliseconds that the store has to answer. */
const patience = 5000;

/** Answers `/health/live` and `/health/ready`. Undefined for any other path. */
export type Health = (path: string) => Promise<Response> | undefined;

/**
 * The answers need no token, since they say nothing but one word. `live` is always 200. `ready` is 503 while the hub closes, and while the
 * store does not answer.
 */
export function healthOf(hub: Hub): Health {
  let asked: { readonly at: number; readonly answers: Promise<boolean> } | undefined;
  const answers = (): Promise<boolean> => {
    if (asked === undefined || performance.now() - asked.at > fresh)
      asked = { at: performance.now(), answers: storeAnswers(hub) };
    return asked.answers;
  };
  return (path) => {
    if (path === "/health/live") return Promise.resolve(json(200, { status: "live" }));
    if (path === "/health/ready") return readiness(hub, answers);
    return undefined;
  };
}

async function readiness(hub: Hub, answers: () => Promise<boolean>): Promise<Response> {
  if (hub.isClosed) return json(503, { status: "closing" });
  return (await answers()) ? json(200, { status: "ready" }) : json(503, { status: "store does not answer" });
}

/** Asks the store for the messages of a session that nobody has. */
async function storeAnswers({ store }: Hub): Promise<boolean> {
  const stop = new AbortController();
  const late = systemRuntime.sleep(patience, stop.signal).then(
    () => false,
    () => false,
  );
  const answer = store.messages("lastcall-health").then(
    () => true,
    () => false,
  );
  const inTime = await Promise.race([answer, late]);
  stop.abort();
  return inTime;
}
