// Health: whether this process lives, and whether it can take inputs, for programs that start processes and give them
// requests.

import { systemRuntime } from "../../core/index.js";
import type { Store } from "../../memory/index.js";
import type { Hub } from "../hub/hub.js";
import { json } from "../answer/json-answer.js";
import type { RouteSettings } from "../answer/routed.js";

/** Milliseconds for which an answer of the store counts: anybody may ask, and must not be able to load the store. */
const fresh = 1000;
/** Milliseconds that the store has to answer. */
const patience = 5000;

/** Answers `/health/live` and `/health/ready`. Undefined for any other path. */
export type Health = (path: string) => Promise<Response> | undefined;

/**
 * The answers need no token, since they say nothing but one word. `live` is always 200. `ready` is 503 while the host closes, and while the
 * store does not answer, or keeps no input: a full disk for example. A server that only shows asks no more than that the store answers.
 */
export function healthOf({ hub, readOnly }: Pick<RouteSettings, "hub" | "readOnly">): Health {
  let asked: { readonly at: number; readonly answers: Promise<StoreState> } | undefined;
  const answers = (): Promise<StoreState> => {
    if (asked === undefined || performance.now() - asked.at > fresh)
      asked = { at: performance.now(), answers: stateOf(hub.store, readOnly) };
    return asked.answers;
  };
  return (path) => {
    if (path === "/health/live") return Promise.resolve(json(200, { status: "live" }));
    if (path === "/health/ready") return readiness(hub, answers);
    return undefined;
  };
}

type StoreState = "ready" | "store does not answer" | "store keeps nothing";

async function readiness(hub: Hub, answers: () => Promise<StoreState>): Promise<Response> {
  const status = hub.isClosed ? "closing" : await answers();
  return json(status === "ready" ? 200 : 503, { status });
}

/** Tries the store in time. */
async function stateOf(store: Store, readOnly: boolean): Promise<StoreState> {
  const stop = new AbortController();
  const late = systemRuntime
    .sleep(patience, stop.signal)
    .catch(() => undefined)
    .then(() => "store does not answer" as const);
  const state = await Promise.race([tried(store, readOnly), late]);
  stop.abort();
  return state;
}

/** The session that nobody has, whose inbox tells whether inputs are kept. */
const nobody = "lastcall-health";

/** Reads an inbox, and unless it only shows, puts a message there and takes it away again, with the messages that a dead process left. */
async function tried(store: Store, readOnly: boolean): Promise<StoreState> {
  try {
    const left = await store.messages(nobody);
    if (readOnly) return "ready";
    const id = crypto.randomUUID();
    const isKept = await store.send(nobody, { id, text: "{}" }).then(
      () => true,
      () => false,
    );
    await store.drop(nobody, [...left.map((message) => message.id), ...(isKept ? [id] : [])]);
    // No trace of the message stays to be seen. Another process may look at the same time.
    await store.delete(nobody).catch(() => undefined);
    return isKept ? "ready" : "store keeps nothing";
  } catch {
    return "store does not answer";
  }
}
