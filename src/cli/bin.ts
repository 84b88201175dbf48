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

process.on("SIGINT", interrupt).on("SIGTERM", interrupt);

const { stdin, stdout, stderr, env } = process;
process.exitCode = await main(process.argv.slice(2), { stdin, stdout, stderr, env, signal: abort.signal, interrupt });
