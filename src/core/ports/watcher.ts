// Watchers: they see the events of a run. Their errors do not affect the run.

import type { Decision, Later } from "../data/decision.js";
import type { Event } from "./event.js";
import { explain, LastcallError } from "../data/fault.js";
import type { Runtime } from "../time/runtime.js";
import type { Tool } from "./tool.js";

/**
 * Gets every event and changes nothing. The first error is reported, later errors are not. The run does not wait for a returned promise.
 */
export type Watcher<
  Tools extends readonly Tool[] = readonly Tool[],
  Answer extends Decision | Later = Decision | Later,
> = (event: Event<Tools, Answer>) => void | Promise<void>;

/** Wraps a watcher so that it never throws. Its first error goes to `runtime.warn`; the watcher keeps getting events. */
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
