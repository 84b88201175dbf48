// The event log: `--log` appends each event to a file, or prints it, as a line of JSON without secrets.

import { appendFileSync, closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { LastcallError, type Event, type Redactor } from "../../core/index.js";
import { explain, isPlainObject, toJson } from "../../core/internal.js";

/** A file that events are written to, or the output that they are printed to. */
export interface EventLog {
  /** Writes an event with its time, in milliseconds since 1970. Never throws. */
  write(event: Event, at: number): void;
  close(): void;
}

/** The options of the event log. */
export interface EventLogOptions {
  readonly secrets: Redactor;
  /** Told once if the file can't be written any more. Nothing is written to it after that. */
  readonly say: (line: string) => void;
}

/** Events whose contents come again, complete, with `reply-end`. */
const pieces: ReadonlySet<Event["type"]> = new Set(["text-delta", "reasoning-delta", "call-delta"]);

/**
 * Opens the event log. A new file can be read by its owner alone; an existing file keeps its mode, and is appended to.
 * @throws LastcallError `configuration` if the file can't be written.
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

/** The event log that prints each line with this function. */
export function printedEvents(print: (line: string) => void, secrets: Redactor): EventLog {
  const toLine = eventLine(secrets);
  return {
    write(event, at) {
      if (!pieces.has(event.type)) print(toLine(event, at));
    },
    close: () => undefined,
  };
}

/** Makes a function that turns events, in their order, into lines of JSON. */
function eventLine(secrets: Redactor): (event: Event, at: number) => string {
  let session: string | undefined;
  return (event, at) => {
    if (event.type === "run-start") session = event.session;
    const fields = clear(plainOf(event), secrets);
    return JSON.stringify({ at: new Date(at).toISOString(), session, ...fields });
  };
}

/** The event as plain data. A tool may yield values that JSON does not have. */
function plainOf(event: Event): object {
  try {
    return JSON.parse(toJson(event) ?? "") as object;
  } catch (thrown) {
    return { type: event.type, unwritable: explain(thrown) };
  }
}

/** The fields without secrets, in values and in names. */
function clear(fields: object, secrets: Redactor): object {
  const named = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(named);
    if (!isPlainObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [secrets.text(name), named(inner)]));
  };
  return named(secrets.data(fields)) as object;
}

/** `O_NONBLOCK`: opening a named pipe must not wait for its reader. */
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

/** False if the last line has no line end: its writer was interrupted. */
function endsWhole(file: number, size: number): boolean {
  const last = Buffer.alloc(1);
  return size === 0 || readSync(file, last, 0, 1, size - 1) === 0 || last[0] === 0x0a;
}
