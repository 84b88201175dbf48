// The entry `lastcall/log`: the log of the command, for programs.

import type { Event } from "../core/index.js";
import { checkOptions, type OptionKinds } from "../core/internal.js";
import { humanLog } from "./show/human-log.js";
import { styleFor } from "./display/colours.js";
import { columnsOf } from "./display/paragraph.js";
import { folded } from "./display/width.js";

/** The options of a log. */
export interface LogOptions {
  /** True: also whole results, the reasoning of the model, and the output of commands as it arrives. Default false. */
  readonly verbose?: boolean | undefined;
  /** Receives each line. Default: it is printed to standard error; at a terminal in colours (unless `NO_COLOR` is set) and wrapped. */
  readonly print?: ((line: string) => void) | undefined;
}

/**
 * Makes a watcher that logs a run for people: a line or two for each step, as the command does, and one for the end of the run. It takes
 * `onEvent` of `agent.run`, or the events of `agent.stream`. A log is for one run at a time: make one for each of runs that are side by
 * side. A log that gets several runs in a row adds up what they cost.
 */
export function log(options: LogOptions = {}): (event: Event) => void {
  checkOptions("log", options, { verbose: "flag", print: "function" } satisfies OptionKinds<LogOptions>);
  const { verbose = false, print } = options;
  const { stderr, env } = process;
  const style = styleFor(print === undefined ? stderr : {}, env);
  const linesOf = humanLog({ style, isVerbose: verbose, showsAsking: true });
  const toStandardError = (line: string): void => {
    console.error(stderr.isTTY ? folded(line, columnsOf(stderr, env)) : line);
  };
  return (event) => {
    for (const line of linesOf(event, Date.now())) (print ?? toStandardError)(line);
  };
}
