#!/usr/bin/env node
// The entry of the command: the process, its signals and its exit code.

import { main } from "./main.js";

const abort = new AbortController();

/** The first interrupt ends the run cleanly; the second leaves at once. */
function interrupt(): void {
  if (abort.signal.aborted) process.exit(130);
  process.stderr.write("Stopping. Once more to leave at once.\n");
  abort.abort(new DOMException("Interrupted.", "AbortError"));
}

// A terminal that is closed says SIGHUP. Whoever ran this with `nohup` loses nothing: Node never heeds it.
process.on("SIGINT", interrupt).on("SIGTERM", interrupt).on("SIGHUP", interrupt);

const { stdin, stdout, stderr, env } = process;

// Nobody may be there any more to read the log or to type: that ends no run.
const unheard = (): void => undefined;
stdin.on("error", unheard);
stderr.on("error", unheard);

let unsaid: Error | undefined;
stdout.on("error", (thrown: Error) => {
  if (unsaid === undefined) stderr.write(`lastcall: The answer could not be written (${thrown.message}).\n`);
  unsaid = thrown;
  if (process.exitCode === 0) process.exitCode = 1;
});

const code = await main(process.argv.slice(2), { stdin, stdout, stderr, env, signal: abort.signal, interrupt });
process.exitCode = code === 0 && unsaid !== undefined ? 1 : code;
