// The form of a cassette: JSON lines, first the opening, then one exchange of a request and its response a line.

import { isPlainObject } from "../../core/internal.js";
import { ignorings, type Ignoring } from "./ignorings.js";

/** The first line of a cassette. */
export interface Opening {
  /** The version of the form. */
  readonly cassette: 1;
  /** The parts of a body that are not compared. */
  readonly ignore: readonly Ignoring[];
  /** Texts that the recorder was given, such as the name of the model. */
  readonly labels: Readonly<Record<string, string>>;
}

/** A request as it is kept and compared: without secrets and without ignored parts. */
export interface KeptRequest {
  readonly method: string;
  /** The path below the provider's base URL, with its query. */
  readonly path: string;
  /** SHA-256 of the body as JSON with sorted keys; empty if there is no body. */
  readonly digest: string;
  /** The body: JSON, or a text if it is none. Absent if there is no body. */
  readonly body?: unknown;
}

/** The bytes that came together. They are base64 if they are no whole text. */
export interface Chunk {
  /** Milliseconds after the request. */
  readonly at: number;
  readonly text?: string;
  readonly base64?: string;
}

/** A response as it is kept. */
export interface KeptResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly chunks: readonly Chunk[];
  /** `cut`: the connection ended before the response did. */
  readonly end: "complete" | "cut";
}

/** A request and its response. */
export interface Exchange {
  readonly request: KeptRequest;
  readonly response: KeptResponse;
}

/** The bytes of a chunk. */
export function bytesOf({ text, base64 }: Chunk): Uint8Array {
  return base64 === undefined ? Buffer.from(text ?? "") : Buffer.from(base64, "base64");
}

/** True if the value is an opening that is known here. */
export function isOpening(value: unknown): value is Opening {
  if (!isPlainObject(value) || value["cassette"] !== 1) return false;
  const { ignore, labels } = value;
  const isKnown = (name: unknown): boolean => ignorings.some((known) => known === name);
  return Array.isArray(ignore) && ignore.every(isKnown) && isPlainObject(labels);
}

/** True if the value is an exchange. */
export function isExchange(value: unknown): value is Exchange {
  if (!isPlainObject(value)) return false;
  const { request, response } = value;
  if (!isPlainObject(request) || !isPlainObject(response)) return false;
  const areTexts = [request["method"], request["path"], request["digest"]].every((one) => typeof one === "string");
  const { status, headers, chunks, end } = response;
  return (
    areTexts &&
    typeof status === "number" &&
    isPlainObject(headers) &&
    Array.isArray(chunks) &&
    chunks.every((chunk) => isPlainObject(chunk) && typeof chunk["at"] === "number") &&
    (end === "complete" || end === "cut")
  );
}
