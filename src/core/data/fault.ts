// Faults: what went wrong beyond the model's reach, thrown for a person to read.

import { toJson } from "./json.js";

/**
 * - `configuration`: an option, a tool or a session is wrong; mend it and start again.
 * - `authentication`: the provider refused the key, or there is none.
 * - `provider_rejected`: the provider refused the request (4xx); the same request will be refused again.
 * - `provider_unavailable`: rate limit, server error, refused connection, timeout, broken stream.
 * - `provider_circuit_open`: the provider failed the same way too often; nothing was sent.
 * - `context_overflow`: the prompt is larger than the model's window.
 * - `store`: the journal could not be written or read.
 * - `script`: a scripted model was asked for more than its script, or its script is wrong.
 * - `watcher`: a watcher threw; the run went on without it.
 * - `bug`: an error nobody foresaw; see `cause`.
 */
export type FaultCode =
  | "configuration"
  | "authentication"
  | "provider_rejected"
  | "provider_unavailable"
  | "provider_circuit_open"
  | "context_overflow"
  | "store"
  | "script"
  | "watcher"
  | "bug";

/** What a fault may carry besides its code and message. */
export interface FaultDetails {
  readonly cause?: unknown;
  /** HTTP status, where the provider gave one. */
  readonly status?: number;
  /** How long the provider asked to wait, in milliseconds. */
  readonly retryAfterMs?: number;
}

/** Every error lastcall throws, and the `fault` of a failed outcome. */
export class LastcallError extends Error {
  override readonly name = "LastcallError";
  readonly code: FaultCode;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(code: FaultCode, message: string, details: FaultDetails = {}) {
    super(message, "cause" in details ? { cause: details.cause } : undefined);
    this.code = code;
    this.status = details.status;
    this.retryAfterMs = details.retryAfterMs;
  }

  /** Plain data, so that an outcome can be written as JSON; the cause is told in one line. */
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
    // Under this name Node asks a value how it is shown; elsewhere nobody asks.
    const name = Symbol.for("nodejs.util.inspect.custom");
    Object.defineProperty(this.prototype, name, { value: shown, writable: true, configurable: true });
  }
}

/** Where the fault came from, and its causes in one line each. The whole of them is in `cause`. */
function shown(this: LastcallError): string {
  const frames = (this.stack ?? "").split("\n").filter((line) => line.startsWith("    at "));
  const causes = causesOf(this).map((cause) => `    caused by ${lineOn(cause)}`);
  return [`${this.name} [${this.code}]: ${this.message}`, ...frames, ...causes].join("\n");
}

/** How many causes of causes are shown. */
const deepest = 8;

function causesOf(fault: LastcallError): readonly unknown[] {
  const causes: unknown[] = [];
  for (let { cause }: { cause?: unknown } = fault; cause !== undefined && causes.length < deepest;) {
    causes.push(cause);
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return causes;
}

/** Characters that are shown of one cause. */
const longest = 300;

function lineOn(cause: unknown): string {
  const words = explain(cause).replaceAll(/\s+/g, " ").slice(0, longest);
  if (!(cause instanceof Error)) return words;
  const { name, code } = cause as Error & { readonly code?: unknown };
  const title = typeof code === "string" ? `${name} [${code}]` : name;
  return words === name ? title : `${title}: ${words}`;
}

/** The message of whatever was thrown. Never throws itself, whatever that was. */
export function explain(thrown: unknown): string {
  for (const read of [messageOf, toJson, String]) {
    try {
      const words = read(thrown);
      if (typeof words === "string") return words;
    } catch {
      // It can't be looked at in this way.
    }
  }
  return `something that can't be looked at (${typeof thrown})`;
}

function messageOf(thrown: unknown): unknown {
  return thrown instanceof Error ? thrown.message || thrown.name : thrown;
}

/** A fault stays as it is; anything else thrown becomes a `bug` that keeps it as its cause. */
export function asFault(thrown: unknown): LastcallError {
  if (thrown instanceof LastcallError) return thrown;
  return new LastcallError("bug", `Unexpected error: ${explain(thrown)}`, { cause: thrown });
}
