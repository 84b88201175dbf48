// createHub: a hub whose agents run in this process, or one over a host.

import { LastcallError } from "../../core/index.js";
import { atCaller, checkOptions } from "../../core/internal.js";
import type { Host, HostAgent, QueueTerms } from "../../host/index.js";
import type { Store } from "../../memory/index.js";
import { HostedHub } from "./hosted-hub.js";
import type { Hub } from "./hub.js";
import { ProcessHub, type ForeignSession } from "./process-hub.js";

/** The options of `createHub`. */
export interface HubOptions {
  /** The agents by name. A new session that names none gets the first. */
  readonly agents: Readonly<Record<string, HostAgent>>;
  readonly store: Store;
  /**
   * The host that runs the agents, on many machines for example. It has the same store and the same agents. The hub gives it inputs, and
   * shows its runs over the store: their records, and over a store with `live` also words while they are written. Its owner closes it.
   * Default: the agents run in this process.
   */
  readonly host?: Host | undefined;
  /**
   * The priority and the tenant of the inputs of a session, for the host. It gets the id of the session, and may throw to refuse the input.
   * Default: none, so with a limit for each tenant, all sessions together are one tenant.
   */
  readonly termsOf?: ((session: string) => QueueTerms | Promise<QueueTerms>) | undefined;
  /**
   * Finds the agent of a session that has none of these names: one that another program began. Without an answer the session is only
   * shown. Not together with `host`. Default: there is none.
   */
  readonly agentOf?: ((session: ForeignSession) => Promise<HostAgent | undefined>) | undefined;
}

const hubOptions = {
  ...{ agents: true, store: true, host: true, termsOf: true, agentOf: true },
} satisfies Record<keyof HubOptions, true>;

/**
 * Makes a hub.
 * @throws LastcallError `configuration` without an agent and without `agentOf`, with both a host and `agentOf`, and with `termsOf` without
 * a host.
 */
export function createHub(options: HubOptions): Hub {
  return atCaller(createHub, () => {
    checkOptions("createHub", options, hubOptions);
    if (Object.keys(options.agents).length === 0 && options.agentOf === undefined)
      throw new LastcallError("configuration", "createHub needs an agent: agents: { name: createAgent(...) }.");
    const { host, termsOf, agentOf } = options;
    if (host === undefined && termsOf !== undefined)
      throw new LastcallError(
        "configuration",
        "createHub takes termsOf with a host only: a hub of one process has no queue.",
      );
    if (host === undefined) return new ProcessHub(options);
    if (agentOf === undefined) return new HostedHub({ ...options, host });
    throw new LastcallError("configuration", "createHub takes a host or agentOf: a host finds its agents by name.");
  });
}
