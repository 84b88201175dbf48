// Reads a cassette, and checks one: its form, its digests, and that no known format of a key is in it.

import { readFile } from "node:fs/promises";
import { LastcallError, redactor } from "../../core/index.js";
import { canonical, explain } from "../../core/internal.js";
import {
  bytesOf,
  isExchange,
  isOpening,
  type Exchange,
  type KeptRequest,
  type KeptResponse,
  type Opening,
} from "./cassette.js";
import { digestOfBody } from "./kept-request.js";
import { withoutSecrets } from "./kept-response.js";

/** A cassette that was read. */
export interface Cassette {
  readonly opening: Opening;
  readonly exchanges: readonly Exchange[];
}

/** A request of a cassette, and the kind of its response. */
export interface CheckedExchange extends Pick<KeptRequest, "method" | "path">, Pick<KeptResponse, "status" | "end"> {
  /** The number of pieces in which the response came. */
  readonly pieces: number;
  /** Milliseconds from the request to the last piece. */
  readonly time: number;
}

/** The result of a check. */
export interface CheckedCassette {
  readonly ignore: Opening["ignore"];
  readonly labels: Opening["labels"];
  readonly exchanges: readonly CheckedExchange[];
  /** Sentences that name the line. Empty if all is well. */
  readonly problems: readonly string[];
}

/** Reads the cassette. @throws LastcallError `configuration` that names the line, if it can't be read. */
export async function readCassette(file: string): Promise<Cassette> {
  const text = await readFile(file, "utf8").catch((thrown: unknown) => {
    throw new LastcallError("configuration", `The cassette ${file} can't be read: ${explain(thrown)}`, {
      cause: thrown,
    });
  });
  const [opening, ...exchanges] = text
    .split("\n")
    .map((line, index) => ({ line, number: index + 1 }))
    .filter(({ line }) => line.trim() !== "")
    .map(({ line, number }) => parsedLine(line, `${file}:${String(number)}`));
  if (!isOpening(opening))
    throw new LastcallError(
      "configuration",
      `${file}:1 is not the first line of a cassette that this version reads. Record the run again.`,
    );
  const broken = exchanges.findIndex((exchange) => !isExchange(exchange));
  if (broken >= 0)
    throw new LastcallError(
      "configuration",
      `${file}: exchange ${String(broken + 1)} lacks a part of its request or its response. Delete its line, and record what is missing.`,
    );
  return { opening, exchanges: exchanges as readonly Exchange[] };
}

/**
 * Checks a cassette: each digest belongs to its body, and no known format of a key is in it.
 * @throws LastcallError `configuration` if it can't be read.
 */
export async function checkCassette(file: string): Promise<CheckedCassette> {
  const { opening, exchanges } = await readCassette(file);
  const clean = redactor().data(opening.labels);
  const isLabelClean = canonical(clean) === canonical(opening.labels);
  const inOpening = isLabelClean ? [] : ["A key or token is in the first line. Delete the file, and revoke the key."];
  const problems = exchanges.flatMap(({ request, response }, index) => {
    const name = `request ${String(index + 1)}`;
    const isChanged = request.body !== undefined && digestOfBody(request.body) !== request.digest;
    const holdsKey = hasKey(request, response);
    return [
      ...(isChanged ? [`The body of ${name} was changed: its digest is another. Record the run again.`] : []),
      ...(holdsKey ? [`A key or token is in ${name} or its response. Delete the file, and revoke the key.`] : []),
    ];
  });
  return {
    ignore: opening.ignore,
    labels: opening.labels,
    exchanges: exchanges.map(({ request: { method, path }, response: { status, end, chunks } }) => ({
      ...{ method, path, status, end },
      pieces: chunks.length,
      time: chunks.at(-1)?.at ?? 0,
    })),
    problems: [...inOpening, ...problems],
  };
}

function hasKey(request: KeptRequest, response: KeptResponse): boolean {
  const known = redactor();
  const { path, body } = request;
  const bytes = Buffer.concat(response.chunks.map(bytesOf));
  const texts = [bytes.toString(), bytes.toString("latin1")];
  const kept = { path, body, headers: response.headers };
  return canonical(known.data(kept)) !== canonical(kept) || texts.some((text) => withoutSecrets(text, known) !== text);
}

function parsedLine(line: string, place: string): unknown {
  try {
    return JSON.parse(line);
  } catch (thrown) {
    const message = `${place} is no JSON: ${explain(thrown)}. A run that was killed leaves half a line: delete it.`;
    throw new LastcallError("configuration", message, { cause: thrown });
  }
}
