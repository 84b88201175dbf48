// Reads a body that the server compressed, although no request asks for it.

import { pipeline, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { LastcallError } from "../../core/index.js";
import type { ByteSource, HttpAnswer } from "./http-answer.js";

const decoders = new Map<string, () => Transform>([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
  ["br", createBrotliDecompress],
]);

/**
 * The answer with its bytes as they were before compression.
 * @throws LastcallError `provider_unavailable` for a compression that is not known here.
 */
export function decompressed(answer: HttpAnswer): HttpAnswer {
  const encoding = answer.headers.get("content-encoding")?.trim().toLowerCase() ?? "";
  if (encoding === "" || encoding === "identity") return answer;
  const decoder = decoders.get(encoding)?.();
  if (decoder !== undefined) return { ...answer, source: through(decoder, answer.source) };
  const name = JSON.stringify(encoding.slice(0, 40));
  const message = `The provider compressed its answer as ${name}; lastcall reads gzip, deflate and br.`;
  const fault = new LastcallError("provider_unavailable", message);
  answer.source.stop(fault);
  throw fault;
}

function through(decoder: Transform, source: ByteSource): ByteSource {
  // An error of either end destroys the decoder, so the next read is rejected with it.
  pipeline(bytesOf(source), decoder, () => undefined);
  const pieces = decoder[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  return {
    async read() {
      const next = await pieces.next();
      return next.done === true ? undefined : next.value;
    },
    stop(reason) {
      source.stop(reason);
      decoder.destroy(reason as Error);
    },
  };
}

async function* bytesOf(source: ByteSource): AsyncGenerator<Uint8Array, void, void> {
  for (let bytes = await source.read(); bytes !== undefined; bytes = await source.read()) yield bytes;
}
