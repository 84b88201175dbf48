// The event log: what `--log` appends to a file, one line of JSON for each event, without secrets.

import { appendFileSync, closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { LastcallError, type Event, type Redactor } from "../../core/index.js";
import { explain, isPlainObject, toJson } from "../../core/internal.js";

/** A file that events are written to. */
export interface EventLog {
  /** Writes the event, which happened at this time in milliseconds since 1970. Never throws. */
  write(event: Event, at: number): void;
  close(): void;
}

/** What it is made from. */
export interface EventLogOptions {
  readonly secrets: Redactor;
  /** Told once, where the file can't be written any more: nothing is written to it from there on. */
  readonly say: (line: string) => void;
}

/** What comes whole with `reply-end`. */
const pieces: ReadonlySet<Event["type"]> = new Set(["text-delta", "reasoning-delta", "call-delta"]);

/**
 * Opens it. A new file is for its owner alone, one that is there is appended to as it is.
 * @throws LastcallError `configuration` where it can't be written.
 */
export function openEventLog(path: string, { secrets, say }: EventLogOptions): EventLog {
  let file: number | undefined = openFile(path);
  const toLine = eventLine(secrets);
  const close = (): void => {
    const left = file;
    file = undefined;
    if (left !== undefined) closeSync(left);
  };
  return {
    write(event, at) {
      if (file === undefined || pieces.has(event.type)) return;
      try {
        appendFileSync(file, `${toLine(event, at)}\n`);
      } catch (thrown) {
        close();
        say(`--log ${path}: ${explain(thrown)}. From here on nothing is written to it; the run goes on.`);
      }
    },
    close,
  };
}

/** Makes what turns events, in order, into lines of JSON. */
function eventLine(secrets: Redactor): (event: Event, at: number) => string {
  let session: string | undefined;
  return (event, at) => {
    if (event.type === "run-start") session = event.session;
    const fields = clear(plainOf(event), secrets);
    return JSON.stringify({ at: new Date(at).toISOString(), session, ...fields });
  };
}

/** The event as JSON has it. A tool may yield what it has no word for. */
function plainOf(event: Event): object {
  try {
    return JSON.parse(toJson(event.type === "run-end" ? endOf(event) : event) ?? "") as object;
  } catch (thrown) {
    return { type: event.type, unwritable: explain(thrown) };
  }
}

/** The outcome without its session, whose journal is kept elsewhere. */
function endOf({
  type,
  outcome: { session: _kept, ...outcome },
}: Extract<Event, { readonly type: "run-end" }>): object {
  return { type, outcome };
}

/** Everything in it without secrets, names as well. */
function clear(fields: object, secrets: Redactor): object {
  const named = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(named);
    if (!isPlainObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [secrets.text(name), named(inner)]));
  };
  return named(secrets.data(fields)) as object;
}

/** Not waiting, as one would for whoever reads a named pipe. */
const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK;

function openFile(path: string): number {
  let file: number | undefined;
  try {
    file = openSync(path, flags, 0o600);
    const about = fstatSync(file);
    if (!about.isFile() && !about.isCharacterDevice()) throw new Error("it is no file");
    if (about.isFile() && !endsWhole(file, about.size)) appendFileSync(file, "\n");
    return file;
  } catch (thrown) {
    if (file !== undefined) closeSync(file);
    throw new LastcallError("configuration", `--log ${path} can't be written: ${explain(thrown)}.`, { cause: thrown });
  }
}

/** False where somebody was kept from writing the last line to its end. */
function endsWhole(file: number, size: number): boolean {
  const last = Buffer.alloc(1);
  return size === 0 || readSync(file, last, 0, 1, size - 1) === 0 || last[0] === 0x0a;
}
