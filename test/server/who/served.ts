// A server in tests whose callers have names, over a socket of this machine.

import { onTestFinished, vi } from "vitest";
import { createAgent, type Principal } from "../../../src/index.js";
import { memoryStore, openSession, type Store } from "../../../src/memory/index.js";
import { createHandler, serve, type HandlerOptions } from "../../../src/server/index.js";
import { call, scriptedModel } from "../../../src/testing/index.js";
import { taskCompletion } from "../../../src/tools/index.js";
import { untilEnd } from "../client.js";

/** A server, and all that it has said. */
export interface Served {
  readonly url: string;
  readonly store: Store;
  /** Sends a request with these headers: without an input a look at the list. */
  send(headers: Readonly<Record<string, string>>, input?: string): Promise<Response>;
  /** The faults of requests that failed. Their callers learn nothing of them. */
  readonly faults: readonly unknown[];
  /** The lines that were printed. */
  readonly printed: readonly string[];
}

/** Serves an agent to callers that `authenticate` knows. */
export async function servedTo(
  authenticate: NonNullable<HandlerOptions["authenticate"]>,
  options: Partial<HandlerOptions> = {},
): Promise<Served> {
  const store = memoryStore();
  const model = scriptedModel(() => [call("task_completion", { result: "Done." })]);
  const agents = { worker: createAgent({ model, tools: [taskCompletion()] }) };
  const handler = createHandler({ agents, store, authenticate, ...options });
  const [faults, printed]: [unknown[], string[]] = [[], []];
  for (const method of ["log", "warn", "error", "info", "debug"] as const)
    vi.spyOn(console, method).mockImplementation((...words) => void printed.push(words.map(String).join(" ")));
  const { url, close } = await serve(handler, { onError: (fault) => faults.push(fault) });
  onTestFinished(async () => {
    vi.restoreAllMocks();
    await handler.close();
    await close();
  });
  const send: Served["send"] = (headers, input) =>
    fetch(new URL("/sessions", url), {
      headers: { "content-type": "application/json", ...headers },
      ...(input !== undefined && { method: "POST", body: JSON.stringify({ input }) }),
    });
  return { url, store, send, faults, printed };
}

/** Runs a session for the caller. Returns its id, and the text of its journal, of its frames and of the answer. */
export async function runFor(
  { url, store, send }: Served,
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly session: string; readonly by: Principal | undefined; readonly text: string }> {
  const answer = await send(headers, "Go.");
  const { session } = (await answer.json()) as { readonly session: string };
  const frames = await untilEnd(url, session, "", headers);
  const kept = await openSession({ store, id: session }).toJSON();
  const [input] = kept.records;
  return {
    session,
    by: input?.type === "input" ? input.by : undefined,
    text: JSON.stringify([session, [...answer.headers], frames, kept]),
  };
}
