// Chooses the transport: the dispatcher or the fetch function of the caller, or the dispatcher that all models share.

import { LastcallError } from "../../core/index.js";
import { dispatcherFor } from "./dispatcher.js";
import { overFetch } from "./fetched.js";
import type { Transport } from "./http-answer.js";
import type { Dispatcher, Fetch } from "./ports.js";
import { withRedirects } from "./redirect.js";
import { overDispatcher } from "./send.js";

/** The way in which requests travel. At most one of both is given. */
export interface Carrying {
  readonly dispatcher?: Dispatcher | undefined;
  readonly fetch?: Fetch | undefined;
}

/**
 * Makes the transport. It follows redirects within one server.
 * @throws LastcallError `configuration` for both a dispatcher and a fetch function, and for a dispatcher that sends nothing.
 */
export function transportOf(carrying: Carrying): Transport {
  return withRedirects(carrierOf(carrying));
}

function carrierOf({ dispatcher, fetch }: Carrying): Transport {
  if (dispatcher === undefined) return fetch === undefined ? overDispatcher(usualDispatchers()) : overFetch(fetch);
  if (fetch !== undefined)
    throw new LastcallError("configuration", "Pass either fetch or dispatcher: a request can travel one way only.");
  if (typeof dispatcher.dispatch === "function") return overDispatcher(() => dispatcher);
  throw new LastcallError(
    "configuration",
    "The dispatcher has no function dispatch. Bun puts a package of its own in the place of undici: give fetch there, whose option proxy names a proxy.",
  );
}

/** Finds the dispatcher of an address once: to read the environment takes longer than the rest of the way to the connection. */
function usualDispatchers(): (url: URL) => Dispatcher {
  const byOrigin = new Map<string, Dispatcher>();
  return (url) => {
    const dispatcher = byOrigin.get(url.origin) ?? dispatcherFor(url, process.env);
    byOrigin.set(url.origin, dispatcher);
    return dispatcher;
  };
}
