// The error for a refused request, of the openai package.

import type { AnswerHeaders } from "../transport/ports.js";
import { errorIn } from "./error-body.js";

/** Makes an error of the package. */
export type ErrorMaker = (
  status: number,
  body: { readonly error: object } | undefined,
  message: undefined,
  headers: Headers,
) => Error;

/**
 * Makes the error for an answer with this status and this text. Without a maker only the errors of the package are loaded, and only here.
 * @param make makes the error; by default the class `APIError` of the package.
 */
export async function refusal(status: number, text: string, headers: AnswerHeaders, make?: ErrorMaker): Promise<Error> {
  const body = text === "" ? undefined : { error: errorIn(parsed(text)) };
  if (make !== undefined) return make(status, body, undefined, headersOf(headers));
  const { APIError } = await import("openai/error");
  return APIError.generate(status, body, undefined, headersOf(headers));
}

/** The headers that errors are read for. The package takes only a whole set of headers. */
const readHeaders = ["retry-after", "retry-after-ms", "x-request-id", "x-should-retry"];

function headersOf(headers: AnswerHeaders): Headers {
  return new Headers(
    readHeaders.flatMap((name) => {
      const value = headers.get(name);
      return value === null ? [] : [[name, value] as [string, string]];
    }),
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
