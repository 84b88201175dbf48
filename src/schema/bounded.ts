// Runs a function for a bounded time: a regular expression of a foreign schema can take for ever on a short text.

import { createContext, Script } from "node:vm";

const place: { run?: () => unknown } = {};
const script = new Script("run()");
let context: ReturnType<typeof createContext> | undefined;

/** Runs the function, which must not wait for anything. `undefined`: it was stopped because it took longer than the milliseconds. */
export function within<T>(milliseconds: number, run: () => T): { readonly value: T } | undefined {
  context ??= createContext(place);
  place.run = run;
  try {
    return { value: script.runInContext(context, { timeout: milliseconds }) as T };
  } catch (thrown) {
    // The error comes from the other context, so it is no instance of this context's Error.
    if ((thrown as { readonly code?: unknown }).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return undefined;
    throw thrown;
  } finally {
    delete place.run;
  }
}
