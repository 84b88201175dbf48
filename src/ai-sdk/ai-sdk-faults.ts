// Turns errors of the AI SDK into faults, by what the user can do about them.

import { LastcallError } from "../core/index.js";
import { asFault, explain, isPlainObject, headOf } from "../core/internal.js";
import {
  errorIn,
  faultBy,
  faultOf,
  faultOfFrame,
  mistakeIn,
  type ErrorBody,
  type RawReply,
} from "../model/carriers.js";

/** An error that came as a part of a stream. */
export class StreamError extends Error {
  override readonly name = "StreamError";
  /** The error as the provider's package passed it on: an error, or the provider's own data. */
  readonly passed: unknown;

  constructor(passed: unknown) {
    super(explain(isPlainObject(passed) ? errorIn(passed).message : passed), { cause: passed });
    this.passed = passed;
  }
}

/** The error for an error part. */
export function streamError(passed: unknown): StreamError {
  return new StreamError(passed);
}

/** The facts of an `APICallError`. Its other keys have the whole request. */
interface CallError {
  readonly statusCode?: unknown;
  readonly responseBody?: unknown;
  readonly responseHeaders?: unknown;
}

/** The fault for an error that a model of the AI SDK threw or sent. `where` is the provider. */
export function aiSdkFault(thrown: unknown, where: string): LastcallError {
  if (thrown instanceof LastcallError) return thrown;
  if (thrown instanceof StreamError) return faultInStream(thrown.passed, where);
  if (!(thrown instanceof Error)) return asFault(thrown);
  if (isCallError(thrown)) return faultOfCall(thrown, where);
  const code = codes.get(thrown.name);
  if (code === undefined) return faultOf(thrown, where);
  return new LastcallError(code, `${where}: ${explain(thrown)}${advice.get(code) ?? ""}`, { cause: thrown });
}

/** The reply that the provider discarded, because the model wrote a call that it did not pass on. Undefined for any other error. */
export function aiSdkMistake(thrown: unknown): RawReply | undefined {
  if (thrown instanceof LastcallError) return aiSdkMistake(thrown.cause);
  if (thrown instanceof StreamError) return mistakeIn({ error: inner(thrown.passed) });
  return isCallError(thrown) ? mistakeIn({ error: factsOf(thrown).body }) : undefined;
}

/** The faults for errors of the AI SDK that have no status, by the names of their classes. */
const codes: ReadonlyMap<string, LastcallError["code"]> = new Map([
  ["AI_LoadAPIKeyError", "authentication"],
  ["AI_LoadSettingError", "configuration"],
  ["AI_NoSuchModelError", "configuration"],
  ["AI_NoSuchProviderReferenceError", "configuration"],
  ["AI_UnsupportedModelVersionError", "configuration"],
  ["AI_InvalidArgumentError", "provider_rejected"],
  ["AI_InvalidPromptError", "provider_rejected"],
  ["AI_UnsupportedFunctionalityError", "provider_rejected"],
  ["AI_EmptyResponseBodyError", "provider_unavailable"],
  ["AI_InvalidResponseDataError", "provider_unavailable"],
  ["AI_JSONParseError", "provider_unavailable"],
  ["AI_NoContentGeneratedError", "provider_unavailable"],
  ["AI_TypeValidationError", "provider_unavailable"],
]);

const advice: ReadonlyMap<LastcallError["code"], string> = new Map([
  ["authentication", " Set the variable, or pass apiKey to the provider's own function."],
  ["provider_rejected", " The same request will be refused again."],
]);

function isCallError(thrown: unknown): thrown is Error & CallError {
  return thrown instanceof Error && (thrown.name === "AI_APICallError" || "statusCode" in thrown);
}

/** The status of the answer, and the error in its body. A status below 400 says nothing of the error: it came later. */
function factsOf({ statusCode, responseBody }: CallError): {
  readonly status: number | undefined;
  readonly body: ErrorBody | undefined;
} {
  const status = typeof statusCode === "number" && statusCode >= 400 ? statusCode : undefined;
  const text = typeof responseBody === "string" ? responseBody : "";
  return { status, body: text === "" || status === undefined ? undefined : errorIn(parsed(text)) };
}

function faultOfCall(thrown: Error & CallError, where: string): LastcallError {
  const { status, body } = factsOf(thrown);
  const known = new Map(Object.entries(isPlainObject(thrown.responseHeaders) ? thrown.responseHeaders : {}));
  const headers = {
    get(name: string) {
      const value = known.get(name);
      return typeof value === "string" ? value : null;
    },
  };
  if (isRedirect(thrown)) return redirected(thrown, where, headers.get("location"));
  const message = wordsOf(thrown, body);
  return faultBy({ status, codes: [body?.["code"], body?.["type"]], message, headers, body, cause: thrown }, where);
}

/** True for an answer that redirects, and for the error of a fetch function that may not follow one. */
function isRedirect(thrown: Error & CallError): boolean {
  const { statusCode: status, cause } = thrown;
  if (typeof status === "number") return status >= 300 && status < 400;
  return cause instanceof Error && cause.message === "unexpected redirect";
}

/** A redirect that was not followed. To ask again would change nothing. */
function redirected(thrown: Error & CallError, where: string, location: string | null): LastcallError {
  const status = typeof thrown.statusCode === "number" ? ` with status ${String(thrown.statusCode)}` : "";
  const to = location === null ? "" : ` to ${headOf(location, 200)}`;
  const message = `The provider at ${where} redirects${status}${to}. The key and the prompt are not sent there; if the address is right, give it as the base URL.`;
  return new LastcallError("provider_rejected", message, { cause: thrown });
}

/** The words of the provider: in the body of its answer, or else in the message of the error. */
function wordsOf(thrown: Error, body: ErrorBody | undefined): string {
  const words = body?.message ?? "";
  return words === "" ? explain(thrown) : words;
}

function faultInStream(passed: unknown, where: string): LastcallError {
  if (passed instanceof Error) return aiSdkFault(passed, where);
  return faultOfFrame(inner(passed), where);
}

/** The error in what a package passed on: some pass the whole frame on. */
function inner(passed: unknown): unknown {
  return isPlainObject(passed) && isPlainObject(passed["error"]) ? passed["error"] : passed;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
