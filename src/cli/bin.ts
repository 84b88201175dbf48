#!/usr/bin/env node
// The entry of the command: the process, its signals and its exit code.

import { about, asksAbout, type Request } from "./about.js";

const abort = new AbortController();

/** Ends a run at work after its iteration; undefined if nothing is at work that could be ended so. */
let finish: (() => void) | undefined;

/** Ends the run at once, cleanly. The second time leaves without that. */
function stop(reason: DOMException): void {
  if (abort.signal.aborted) process.exit(130);
  process.stderr.write("Stopping. Once more to leave at once.\n");
  abort.abort(reason);
}

/** The person stops the command. The reason says so, because other programs send the other signals. */
function interrupt(): void {
  stop(Object.assign(new DOMException("Interrupted.", "AbortError"), { isPersons: true }));
}

function end(): void {
  stop(new DOMException("Interrupted.", "AbortError"));
}

/** Ctrl-C: the first lets a run finish its iteration, and the next stop it. */
function interruptGently(): void {
  if (finish === undefined) {
    interrupt();
    return;
  }
  process.stderr.write("Finishing this iteration. Once more to stop at once.\n");
  finish();
  finish = undefined;
}

// A closing terminal sends SIGHUP. Listening to it takes nothing from `nohup`: Node ignores that anyway.
process.on("SIGINT", interruptGently).on("SIGTERM", end).on("SIGHUP", end);

const { stdout, stderr, env } = process;

// The reader of the log or the writer of the input may go away. That does not end the run.
const ignore = (): void => undefined;
stderr.on("error", ignore);

let writeError: Error | undefined;
stdout.on("error", (thrown: Error) => {
  if (writeError === undefined) stderr.write(`lastcall: The answer could not be written (${thrown.message}).\n`);
  writeError = thrown;
  if (process.exitCode === 0) process.exitCode = 1;
});

const argv = process.argv.slice(2);
const request = asksAbout(argv);
const code = request === undefined ? await obey() : await printAbout(request);
process.exitCode = code === 0 && writeError !== undefined ? 1 : code;

async function printAbout(what: Request): Promise<number> {
  stdout.write((await about(what, { stdout, env })) ?? "");
  return 0;
}

async function obey(): Promise<number> {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    stderr.write(`lastcall needs Node 20.19 or later, and this is Node ${process.versions.node}.\n`);
    return 4;
  }
  const { stdin } = process;
  stdin.on("error", ignore);
  const [{ main }, { isPiped }] = await Promise.all([import("./main.js"), import("./person/standard-input.js")]);
  const isInputPiped = isPiped(0);
  const atInterrupt = (work: (() => void) | undefined): void => {
    finish = work;
  };
  return main(argv, { stdin, stdout, stderr, env, isInputPiped, signal: abort.signal, interrupt, atInterrupt });
}
