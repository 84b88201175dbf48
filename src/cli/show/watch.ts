// Watching: everything that a run shows, to the person and to the file that they named, at one time for both.

import type { Event, Hook } from "../../core/index.js";
import type { EventLog } from "./event-log.js";
import { humanLog } from "./human-log.js";
import { requestLog, showRequests } from "./requests.js";
import type { Style } from "../words/quantities.js";

/** Who is shown what. */
export interface Watching {
  readonly log: "quiet" | "normal" | "verbose";
  readonly style: Style;
  /** To standard error: a line. */
  readonly say: (line: string) => void;
  /** The file for events; undefined for none. */
  readonly events: EventLog | undefined;
  /** One line for a call, once it is over: see `LogOptions`. Default false. */
  readonly condensed?: boolean;
  /** Milliseconds since 1970. Default: the machine's clock. */
  readonly now?: () => number;
}

/** What an agent and its runs take to be watched. */
export interface Watch {
  readonly onEvent: (event: Event) => void;
  readonly hooks: readonly Hook[];
  /** How the last run ended and what was used so far, held back so that whoever has more to say can say it last; nothing where it is quiet. */
  ending(): readonly string[];
}

/** Makes it, for one run or for several that follow each other. */
export function watch({ log, style, say, events, condensed = false, now = () => Date.now() }: Watching): Watch {
  const lines = humanLog({ style, isVerbose: log === "verbose", condensed });
  const requests = requestLog(style);
  const hook = showRequests((request) => {
    requests(request).forEach(say);
  });
  let ending: readonly string[] = [];
  return {
    onEvent(event) {
      const at = now();
      events?.write(event, at);
      if (log === "quiet") return;
      const fresh = lines(event, at);
      if (event.type === "run-end") ending = fresh;
      else fresh.forEach(say);
    },
    ending: () => ending,
    hooks: log === "verbose" ? [hook] : [],
  };
}
