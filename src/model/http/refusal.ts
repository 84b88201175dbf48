// The error for a refused request, of the openai package.

import type { AnswerHeaders } from "../transport/ports.js";
import { errorIn } from "./error-body.js";

/** Makes the error for an answer with this status and this text. Only the errors of the package are loaded, and only here. */
export async function refusal(status: number, text: string, headers: AnswerHeaders): Promise<Error> {
  const { APIError } = await import("openai/error");
  const error = text === "" ? undefined : errorIn(parsed(text));
  return APIError.generate(status, { error }, undefined, headersOf(headers));
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
