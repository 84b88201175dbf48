// Watching: shows a run to the person and writes it to the file of `--log`, with the same times in both.

import type { Event, Hook } from "../../core/index.js";
import type { EventLog } from "./event-log.js";
import { Below } from "./below.js";
import { humanLog } from "./human-log.js";
import { requestLog, showRequests } from "./requests.js";
import type { Style } from "../display/quantities.js";

/** The receivers of the events. */
export interface Watching {
  readonly log: "quiet" | "normal" | "verbose";
  readonly style: Style;
  /** Prints one line to standard error. */
  readonly say: (line: string) => void;
  /** The event log; undefined for none. */
  readonly events: EventLog | undefined;
  /** See `LogOptions`. Default false. */
  readonly condensed?: boolean;
  /** Milliseconds since 1970. Default: the machine's clock. */
  readonly now?: () => number;
}

/** The parts that an agent and its runs take to be watched. */
export interface Watch {
  readonly onEvent: (event: Event) => void;
  readonly hooks: readonly Hook[];
  /** The lines about the end of the last run and the expense so far. The caller prints them last. Empty if the log is quiet. */
  ending(): readonly string[];
  /** The calls of the agents that calls of the last run have called, one a line. */
  below(): readonly string[];
}

/** Watches one run, or several in a row. */
export function watch({ log, style, say, events, condensed = false, now = () => Date.now() }: Watching): Watch {
  const lines = humanLog({ style, isVerbose: log === "verbose", condensed });
  const below = new Below(style);
  const requests = requestLog(style);
  const hook = showRequests((request) => {
    requests(request).forEach(say);
  });
  let ending: readonly string[] = [];
  return {
    onEvent(event) {
      const at = now();
      events?.write(event, at);
      below.take(event, at);
      if (log === "quiet") return;
      const fresh = lines(event, at);
      if (event.type === "run-end") ending = fresh;
      else fresh.forEach(say);
    },
    ending: () => ending,
    below: () => below.lines(),
    hooks: log === "verbose" ? [hook] : [],
  };
}
