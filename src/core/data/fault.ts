// Faults: errors that the model can't fix, thrown for a person to read.

import { toJson } from "./json.js";
import { headOf } from "../text/cut.js";

/**
 * The code of a fault.
 * - `configuration`: an option, a tool or a session is wrong. Correct it and start again.
 * - `not_allowed`: the answer to a call that waits does not count, because its giver may not give it. The call waits on.
 * - `authentication`: the provider refused the key, or the key is missing.
 * - `provider_rejected`: the provider refused the request (4xx) and would refuse it again.
 * - `provider_unavailable`: a rate limit, server error, refused connection, timeout or broken stream.
 * - `provider_circuit_open`: the provider failed the same way too often. No request was sent.
 * - `context_overflow`: the prompt is larger than the model's window.
 * - `store`: the journal could not be written or read.
 * - `script`: a scripted model got more requests than its script has replies, or its script is wrong.
 * - `watcher`: a watcher threw. The run continued.
 * - `bug`: an unexpected error; see `cause`.
 */
export type FaultCode =
  | "configuration"
  | "not_allowed"
  | "authentication"
  | "provider_rejected"
  | "provider_unavailable"
  | "provider_circuit_open"
  | "context_overflow"
  | "store"
  | "script"
  | "watcher"
  | "bug";

/** Optional details of a fault. */
export interface FaultDetails {
  readonly cause?: unknown;
  /** The HTTP status, if the provider sent one. */
  readonly status?: number;
  /** The wait that the provider asked for, in milliseconds. */
  readonly retryAfterMs?: number;
}

/** The class of every error that lastcall throws, and of the `fault` of a failed outcome. */
export class LastcallError extends Error {
  override readonly name = "LastcallError";
  readonly code: FaultCode;
  // Set only if they are known: Node prints all own properties of an error that nobody catches.
  declare readonly status: number | undefined;
  declare readonly retryAfterMs: number | undefined;

  constructor(code: FaultCode, message: string, { status, retryAfterMs, ...cause }: FaultDetails = {}) {
    super(message, "cause" in cause ? cause : undefined);
    this.code = code;
    if (status !== undefined) this.status = status;
    if (retryAfterMs !== undefined) this.retryAfterMs = retryAfterMs;
  }

  /** Plain data, so that an outcome can be written as JSON. The cause becomes its message. */
  toJSON(): Readonly<Record<string, unknown>> {
    const { code, message, status } = this;
    return {
      code,
      message,
      ...(status !== undefined && { status }),
      ...(this.cause !== undefined && { cause: explain(this.cause) }),
    };
  }

  static {
    // Node's `util.inspect` calls the method of this name. Other runtimes ignore it.
    const name = Symbol.for("nodejs.util.inspect.custom");
    Object.defineProperty(this.prototype, name, { value: inspect, writable: true, configurable: true });
  }
}

/**
 * Calls `make` for `entry`, a function that users call. The stack of a fault that tells them to correct something begins at their own
 * call of `entry`: Node prints that line if nobody catches the fault, and not one of this package.
 */
export function atCaller<Made>(entry: (...given: never) => unknown, make: () => Made): Made {
  try {
    return make();
  } catch (thrown) {
    const isForCaller =
      thrown instanceof LastcallError && (thrown.code === "configuration" || thrown.code === "authentication");
    // Only engines that have V8's function show another stack.
    if (isForCaller) (Error as Partial<ErrorConstructor>).captureStackTrace?.(thrown, entry);
    throw thrown;
  }
}

/** The stack of the fault, and its causes in one line each. The full causes are in `cause`. */
function inspect(this: LastcallError): string {
  const frames = (this.stack ?? "").split("\n").filter((line) => line.startsWith("    at "));
  const causes = causesOf(this).map((cause) => `    caused by ${lineOf(cause)}`);
  return [`${this.name} [${this.code}]: ${this.message}`, ...frames, ...causes].join("\n");
}

/** The maximum number of nested causes that are shown. */
const maxCauses = 8;

function causesOf(fault: LastcallError): readonly unknown[] {
  const causes: unknown[] = [];
  for (let { cause }: { cause?: unknown } = fault; cause !== undefined && causes.length < maxCauses;) {
    causes.push(cause);
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return causes;
}

/** The maximum number of characters that are shown of one cause. */
const maxCharacters = 300;

function lineOf(cause: unknown): string {
  const words = headOf(explain(cause).replaceAll(/\s+/g, " "), maxCharacters);
  if (!(cause instanceof Error)) return words;
  const { name, code } = cause as Error & { readonly code?: unknown };
  const title = typeof code === "string" ? `${name} [${code}]` : name;
  return words === name ? title : `${title}: ${words}`;
}

/** The message of a thrown value of any type. It never throws. */
export function explain(thrown: unknown): string {
  for (const read of [messageOf, toJson, String]) {
    try {
      const words = read(thrown);
      if (typeof words === "string") return words;
    } catch {
      // The value can't be read in this way. The next way may succeed.
    }
  }
  return `something that can't be looked at (${typeof thrown})`;
}

function messageOf(thrown: unknown): unknown {
  return thrown instanceof Error ? thrown.message || thrown.name : thrown;
}

/** Turns a thrown value into a fault. A fault stays unchanged; any other value becomes the cause of a `bug`. */
export function asFault(thrown: unknown): LastcallError {
  if (thrown instanceof LastcallError) return thrown;
  return new LastcallError("bug", `Unexpected error: ${explain(thrown)}`, { cause: thrown });
}
