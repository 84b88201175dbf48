// Makes the form of a request that is kept and compared, and finds the secrets that a request brings.

import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { redactor, type Redactor } from "../../core/index.js";
import { canonical } from "../../core/internal.js";
import type { KeptRequest } from "./cassette.js";
import { withoutIgnored, type Ignored } from "./ignorings.js";

/** A request that arrived. */
export interface ArrivedRequest {
  readonly method: string;
  /** The path below the base URL, with its query. */
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly bytes: Buffer;
}

/** Reads a whole request. The path below `/v1` is the path below the base URL of the provider. */
export async function arrived(incoming: IncomingMessage): Promise<ArrivedRequest> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(piece as Buffer);
  const { method = "GET", url = "/", headers } = incoming;
  return { method, path: url.replace(/^\/v1(?=\/)/, ""), headers, bytes: Buffer.concat(pieces) };
}

/** Names of headers, and of keys of a query, whose values are secret. */
const secretName = /authorization|key|token|secret|cookie/i;

/** The secrets of all requests so far, and those that the caller names. */
export class Secrets {
  readonly #values: Set<string>;
  #redactor: Redactor | undefined;

  constructor(values: readonly string[]) {
    this.#values = new Set(values);
  }

  /** The redactor that also knows the secrets of this request. */
  with({
    headers,
    path,
  }: Pick<ArrivedRequest, "path"> & { readonly headers: Readonly<Record<string, unknown>> }): Redactor {
    const query = [...new URL(path, "http://127.0.0.1").searchParams];
    for (const [name, value] of [...Object.entries(headers), ...query]) {
      if (secretName.test(name)) this.#add(String(value));
    }
    return (this.#redactor ??= redactor({ values: [...this.#values] }));
  }

  /** Adds `Bearer KEY` and the key alone. Short values are words that also stand elsewhere. */
  #add(value: string): void {
    for (const one of [value, value.slice(value.indexOf(" ") + 1)]) {
      if (one.length < 8 || this.#values.has(one)) continue;
      this.#values.add(one);
      this.#redactor = undefined;
    }
  }
}

/** The request as it is kept and compared. */
export function keptRequest(
  { method, path, bytes }: ArrivedRequest,
  { text, data }: Redactor,
  ignored: Ignored,
): KeptRequest {
  const at = { method, path: text(path) };
  if (bytes.length === 0) return { ...at, digest: "" };
  const body = withoutIgnored(data(parsed(bytes.toString())), ignored);
  return { ...at, digest: digestOfBody(body), body };
}

/** The digest of a body that is kept. */
export function digestOfBody(body: unknown): string {
  return createHash("sha256").update(canonical(body)).digest("hex");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
