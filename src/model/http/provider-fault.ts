// Turns errors of a provider's client or stream into faults, by what the user can do about them.

import { LastcallError } from "../../core/index.js";
import { asFault, explain, isPlainObject } from "../../core/internal.js";
import { statusOf } from "../data/error-status.js";
import { isUsedUp, statedWait } from "../data/stated-wait.js";
import { isTooLong } from "./context-overflow.js";
import { errorIn } from "./error-body.js";

/** The facts in an error of the client, an error frame or a broken connection. */
export interface ProviderError {
  readonly status?: number | undefined;
  /** The `code` and the `type` of the error. */
  readonly codes: readonly unknown[];
  readonly message: string;
  readonly headers?: { get(name: string): string | null } | undefined;
  /** The error in the body, which may name a wait. */
  readonly body?: Readonly<Record<string, unknown>> | undefined;
  readonly cause: unknown;
}

/** The fault for an error that the client threw. A connection that broke, timed out or was refused is `provider_unavailable`. */
export function faultOf(thrown: unknown, where: string): LastcallError {
  if (thrown instanceof LastcallError) return thrown;
  if (!isOfProvider(thrown)) return asFault(thrown);
  const { status, code, type, headers, error } = (thrown ?? {}) as ClientError;
  const cause = thrown instanceof Error && thrown.cause !== undefined ? ` (${innermostReason(thrown.cause)})` : "";
  const body = isPlainObject(error) ? error : undefined;
  return faultBy(
    { status, codes: [code, type], headers, body, message: explain(thrown) + cause, cause: thrown },
    where,
  );
}

type ClientError = Pick<ProviderError, "status" | "headers"> &
  Readonly<Partial<Record<"code" | "type" | "error", unknown>>>;

/** The fault for an error frame in a stream. */
export function faultOfFrame(error: unknown, where: string): LastcallError {
  const body = errorIn(error);
  const { code, type, message } = body;
  return faultBy({ status: statusOf(body), codes: [code, type], message, body, cause: error }, where);
}

/** The fault for an error with these facts. `where` is the provider. */
export function faultBy(
  { status, codes, message, headers, body = {}, cause }: ProviderError,
  where: string,
): LastcallError {
  const details = { cause, ...(status !== undefined && { status }) };
  const report = `The provider at ${where} said: ${message}`;
  if (status === 401 || status === 403) {
    return new LastcallError("authentication", `${report}. Check the key, and that it may use this model.`, details);
  }
  if (isTooLong({ status, codes, message })) {
    return new LastcallError("context_overflow", `${report}. The session is longer than the model's window.`, details);
  }
  const retryAfterMs = (headers === undefined ? undefined : retryAfter(headers)) ?? statedWait(body, message);
  const isLimit = status === undefined || status === 402 || status === 429;
  if (isLimit && isUsedUp({ error: body, codes, message, wait: retryAfterMs }))
    return new LastcallError(
      "provider_rejected",
      `${report}. Waiting does not help: look at your plan there.`,
      details,
    );
  if (status !== undefined && status < 500 && ![408, 409, 425, 429].includes(status)) {
    return new LastcallError("provider_rejected", `${report}. The same request will be refused again.`, details);
  }
  return new LastcallError("provider_unavailable", report, {
    ...details,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}

/** The wait that a provider asks for, in milliseconds: `retry-after-ms`, or `Retry-After` in seconds or as a date. */
function retryAfter(headers: NonNullable<ProviderError["headers"]>): number | undefined {
  const retryAfterHeader = headers.get("retry-after");
  const waits = [
    toNumber(headers.get("retry-after-ms")),
    toNumber(retryAfterHeader) * 1000,
    Date.parse(retryAfterHeader ?? "") - Date.now(),
  ];
  const wait = waits.find((ms) => !Number.isNaN(ms));
  return wait === undefined ? undefined : Math.max(0, wait);
}

function toNumber(text: string | null): number {
  return text === null || text.trim() === "" ? NaN : Number(text);
}

/** Codes of errors of the connection (of the system or of undici) and of a compressed body. */
const connectionCode = /^(?:E[A-Z]+|UND_ERR|Z_)/;

/** The words of a fetch function for a connection that failed or broke: in Node, Chromium, Firefox, Safari, workerd, Deno and Bun. */
const connectionWords = new RegExp(
  `^(?:${[
    "terminated|fetch failed",
    "failed to fetch|network error",
    "networkerror when|error in input stream",
    "load failed|the network connection was lost",
    "network connection lost",
    "error sending request|error reading a body|client error \\(connect\\)",
    "unable to connect|the socket connection was closed",
  ].join("|")})`,
  "i",
);

/** Names of errors of the openai package, and of the HTTP parser of undici, whose errors have no code. */
const clientError = /^(?:API|OpenAI|HTTPParser)/;

/** True for an error of the client or the connection. Any other error is a bug on our side, not the provider's. */
function isOfProvider(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  const { status } = thrown as Error & { readonly status?: unknown };
  return typeof status === "number" || isConnectionError(thrown) || clientError.test(thrown.constructor.name);
}

/** True for an error of a connection, of a dispatcher or of a fetch function. */
export function isConnectionError({ code, message }: Error & { readonly code?: unknown }): boolean {
  return (typeof code === "string" && connectionCode.test(code)) || connectionWords.test(message);
}

/** The innermost reason, because "fetch failed" alone explains nothing. */
function innermostReason(cause: unknown): string {
  const { code } = (cause ?? {}) as { readonly code?: unknown };
  const inner = cause instanceof Error && cause.cause !== undefined ? innermostReason(cause.cause) : explain(cause);
  return typeof code === "string" && !inner.includes(code) ? `${code}: ${inner}` : inner;
}
