// The person or program that the command works for, if it was told the name, also as the giver of an abort.

import type { Principal } from "../../core/index.js";
import { abortBy, onAbort } from "../../core/internal.js";
import type { Settings } from "../args/args.js";

/** The principal of `--as`; undefined without it. */
export function principalIn({ as: name }: Pick<Settings, "as">): Principal | undefined {
  return name === undefined ? undefined : { id: name };
}

/**
 * The signal of the command with a reason that says who stopped it: the principal, if the person at the terminal did, and nobody for
 * any other signal to the process.
 */
export function stoppedBy(signal: AbortSignal, by: Principal | undefined): AbortSignal {
  if (by === undefined) return signal;
  const stop = new AbortController();
  const pass = (): void => {
    const reason: unknown = signal.reason;
    const isPersons = reason instanceof DOMException && "isPersons" in reason;
    stop.abort(isPersons ? abortBy(reason.message, by) : reason);
  };
  if (signal.aborted) pass();
  else onAbort(signal, pass);
  return stop.signal;
}
