// Watchers: they see what happens, and what goes wrong in them stays with them.

import type { Event } from "./event.js";
import { explain, LastcallError } from "../data/fault.js";
import type { Runtime } from "../time/runtime.js";
import type { Tool } from "./tool.js";

/** Sees every event and changes nothing. What it throws is reported once; a promise is not waited for. */
export type Watcher<Tools extends readonly Tool[] = readonly Tool[]> = (event: Event<Tools>) => void | Promise<void>;

/** A watcher that throws is reported once and goes on being called; the run never notices. */
export function isolate(watcher: Watcher, runtime: Runtime): (event: Event) => void {
  let reported = false;
  const report = (event: Event, thrown: unknown): void => {
    if (reported) return;
    reported = true;
    const message = `A watcher threw at a ${event.type} event: ${explain(thrown)}. The run goes on; mend the watcher.`;
    runtime.warn(new LastcallError("watcher", message, { cause: thrown }));
  };
  return (event) => {
    try {
      const returned = watcher(event);
      if (returned instanceof Promise) {
        returned.catch((thrown: unknown) => {
          report(event, thrown);
        });
      }
    } catch (thrown) {
      report(event, thrown);
    }
  };
}
