// The transport where there is no undici: a fetch function, the runtime's own by default.

import { LastcallError } from "../../core/index.js";
import { overFetch } from "./fetched.js";
import type { Transport } from "./http-answer.js";
import type { Dispatcher, Fetch } from "./ports.js";
import { withRedirects } from "./redirect.js";

/** The way in which requests travel. */
export interface Carrying {
  readonly dispatcher?: Dispatcher | undefined;
  readonly fetch?: Fetch | undefined;
}

/**
 * Makes the transport. It follows redirects within one server.
 * @throws LastcallError `configuration` for a dispatcher, which is undici's.
 */
export function transportOf({ dispatcher, fetch }: Carrying): Transport {
  if (dispatcher !== undefined)
    throw new LastcallError(
      "configuration",
      "A dispatcher of undici sends nothing in this runtime. Give fetch instead.",
    );
  const carry = withRedirects(overFetch(fetch ?? ((url, request) => globalThis.fetch(url, request))));
  return ({ headers, ...request }, signal) => carry({ ...request, headers: withoutOurName(headers) }, signal);
}

/** The headers without the name of lastcall: a browser names itself, and asks a server first whether it takes another name. */
function withoutOurName({ "user-agent": name, ...headers }: Readonly<Record<string, string>>): Record<string, string> {
  return name === undefined || name === "lastcall" ? headers : { ...headers, "user-agent": name };
}
