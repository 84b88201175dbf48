// The service: a host that runs the agent on stored sessions, and the HTTP routes in front of it.

import { hostInProcess } from "lastcall/host";
import type { Store } from "lastcall/memory";
import { createHandler, serve } from "lastcall/server";
import type { clerkWith } from "./agent.ts";

interface Parts {
  readonly clerk: ReturnType<typeof clerkWith>;
  readonly store: Store;
  /** Default: a free port. */
  readonly port?: number;
}

/** Starts the service. It goes on with the runs that a process before it left, also after a crash. */
export async function startService({ clerk, store, port }: Parts) {
  const host = await hostInProcess({ agents: { clerk }, store });
  const handler = createHandler({ host, studio: true });
  const server = await serve(handler, { ...(port !== undefined && { port }) });
  return {
    url: server.url,
    /** Suspends the runs, so that the next process goes on with them, and stops listening. */
    async close() {
      await handler.close();
      await host.close();
      await server.close();
    },
  };
}
