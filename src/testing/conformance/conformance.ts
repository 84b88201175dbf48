// Conformance suites as data: cases that any test runner can host, each of one sentence of a port's contract.

/// <reference lib="esnext.disposable" preserve="true" />

import { demand } from "../oracle/demand.js";

/** One sentence of a contract, and whether it holds. */
export interface ConformanceCase {
  /** The sentence. */
  readonly name: string;
  /** Rejects with an Error that says what is wrong where the contract is breached. */
  run(): Promise<void>;
}

/** What may have something to close when its case is over: a server, a folder. */
export type Disposable<Port> = Port & Partial<AsyncDisposable>;

/** Runs what a case needs and closes it afterwards, whatever came of it. */
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

/** What is soon: milliseconds in which a port has to settle once its signal has aborted. */
const soon = 1000;

/** Waits until the work settles. Throws where that is not soon. */
export async function settleSoon(work: Promise<unknown>, what: string): Promise<"returned" | "threw"> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<"late">((resolve) => {
    timer = setTimeout(() => {
      resolve("late");
    }, soon);
  });
  const settled = work.then(
    () => "returned" as const,
    () => "threw" as const,
  );
  const how = await Promise.race([settled, late]);
  clearTimeout(timer);
  demand(how !== "late", `${what} did not settle within ${String(soon)} ms after its signal aborted`);
  return how;
}
