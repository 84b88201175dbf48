// Conformance suites as data: cases that any test runner can run, each for one sentence of a port's contract.

/// <reference lib="esnext.disposable" preserve="true" />

import { demand } from "../oracle/demand.js";

/** A test of one sentence of a contract. */
export interface ConformanceCase {
  /** The sentence. */
  readonly name: string;
  /** Runs the test. Rejects with an Error that describes the breach if the contract does not hold. */
  run(): Promise<void>;
}

/** A port that may have something to close after its case, such as a server or a folder. */
export type Disposable<Port> = Port & Partial<AsyncDisposable>;

/** Makes a port, runs the work with it, and closes it afterwards, even if the work throws. */
export async function withPort<Port extends object>(
  make: () => Disposable<Port> | Promise<Disposable<Port>>,
  work: (port: Port) => Promise<void>,
): Promise<void> {
  const port = await make();
  try {
    await work(port);
  } finally {
    await port[Symbol.asyncDispose]?.();
  }
}

/** The time in which a port must settle after its signal has aborted, in milliseconds. */
const abortDeadline = 1000;

/** Waits until the work settles. Throws if it takes longer than the deadline. */
export async function settleSoon(work: Promise<unknown>, what: string): Promise<"returned" | "threw"> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<"late">((resolve) => {
    timer = setTimeout(() => {
      resolve("late");
    }, abortDeadline);
  });
  const settled = work.then(
    () => "returned" as const,
    () => "threw" as const,
  );
  const ending = await Promise.race([settled, late]);
  clearTimeout(timer);
  demand(ending !== "late", `${what} did not settle within ${String(abortDeadline)} ms after its signal aborted`);
  return ending;
}
