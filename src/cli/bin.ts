#!/usr/bin/env node
// The entry of the command: the process, its signals and its exit code.

import { about, asksAbout } from "./about.js";

const abort = new AbortController();

/** The first interrupt ends the run cleanly; the second leaves at once. */
function interrupt(): void {
  if (abort.signal.aborted) process.exit(130);
  process.stderr.write("Stopping. Once more to leave at once.\n");
  abort.abort(new DOMException("Interrupted.", "AbortError"));
}

// A terminal that is closed says SIGHUP. Whoever ran this with `nohup` loses nothing: Node never heeds it.
process.on("SIGINT", interrupt).on("SIGTERM", interrupt).on("SIGHUP", interrupt);

const { stdout, stderr, env } = process;

// Nobody may be there any more to read the log or to type: that ends no run.
const unheard = (): void => undefined;
stderr.on("error", unheard);

let unsaid: Error | undefined;
stdout.on("error", (thrown: Error) => {
  if (unsaid === undefined) stderr.write(`lastcall: The answer could not be written (${thrown.message}).\n`);
  unsaid = thrown;
  if (process.exitCode === 0) process.exitCode = 1;
});

const argv = process.argv.slice(2);
const asked = asksAbout(argv);
const code = asked === undefined ? await obey() : await tell(asked);
process.exitCode = code === 0 && unsaid !== undefined ? 1 : code;

async function tell(what: "help" | "version"): Promise<number> {
  stdout.write(await about(what));
  return 0;
}

async function obey(): Promise<number> {
  const { stdin } = process;
  stdin.on("error", unheard);
  const { main } = await import("./main.js");
  return main(argv, { stdin, stdout, stderr, env, signal: abort.signal, interrupt });
}
