// The chain of checksums of a long log, which a separate thread verifies while the log is read.

import type { Worker } from "node:worker_threads";
import { tailLength, sumLength } from "./record-lines.js";

/** The verification of one chain. */
export interface Chain {
  /** Verifies the lines that end before this offset. */
  verify(end: number): void;
  /** Ends the verification. Returns the number of lines and the last checksum; undefined if a line is not valid, or the thread failed. */
  end(): Promise<Verified | undefined>;
  /** Stops the thread. */
  stop(): void;
}

/** A chain of checksums that is valid. */
export interface Verified {
  readonly lines: number;
  readonly sum: string;
}

/**
 * The code of the thread: gets offsets and, after the last offset, `end`, which it answers. It is a string, because the published code
 * is one file for each layer. The checksum of a line follows from the line without its checksum, and from the checksum before it.
 */
const script = `
const { parentPort, workerData } = require("node:worker_threads");
const { hash } = require("node:crypto");
const { memory, tailLength, sumLength } = workerData;
const bytes = Buffer.from(memory);
let [start, lines, sum, isValid] = [0, 0, "", true];
let text = Buffer.alloc(65536);
const isNext = (stop) => {
  const body = stop - tailLength - start;
  if (body < 0) return false;
  if (text.length < sumLength + body + 1) text = Buffer.alloc(2 * (sumLength + body + 1));
  const before = text.latin1Write(sum, 0);
  bytes.copy(text, before, start, start + body);
  text[before + body] = 125;
  sum = hash("sha256", text.subarray(0, before + body + 1), "hex").slice(0, sumLength);
  return bytes.latin1Slice(stop - tailLength, stop) === ',"sum":"' + sum + '"}';
};
parentPort.on("message", (end) => {
  if (end === "end") parentPort.postMessage(isValid ? { lines, sum } : undefined);
  while (isValid && start < end) {
    const stop = bytes.indexOf(10, start);
    isValid = stop >= 0 && stop < end && isNext(stop);
    [start, lines] = [stop + 1, lines + 1];
  }
});`;

/** Starts a thread that verifies the lines in this memory. Undefined if no thread can be started here. */
export function startChain(memory: SharedArrayBuffer): Chain | undefined {
  const { Worker } = process.getBuiltinModule("node:worker_threads");
  let worker: Worker;
  try {
    worker = new Worker(script, { eval: true, env: {}, execArgv: [], workerData: { memory, tailLength, sumLength } });
  } catch {
    // Node's permissions may forbid threads. The log is then verified without one.
    return undefined;
  }
  const verified = new Promise<Verified | undefined>((resolve) => {
    worker.once("message", resolve);
    // A thread that fails has verified nothing, so the log is read again without it, and that says what is wrong.
    worker.once("error", () => {
      resolve(undefined);
    });
    worker.once("exit", () => {
      resolve(undefined);
    });
  });
  return {
    verify: (end) => {
      worker.postMessage(end);
    },
    end: () => {
      worker.postMessage("end");
      return verified;
    },
    stop: () => {
      void worker.terminate();
    },
  };
}
