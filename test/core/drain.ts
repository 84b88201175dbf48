// Reads a stage or an async generator to its end: what it yielded, and what it returned.

import { advance, type StageOf } from "../../src/core/time/stage.js";

/** What came of a generator. */
export interface Drained<Yielded, Returned> {
  readonly events: readonly Yielded[];
  readonly value: Returned;
}

type Source<Yielded, Returned> = Pick<AsyncGenerator<Yielded, Returned, void>, "next">;

/** Reads it to the end. */
export function drain<Yielded, Returned>(source: StageOf<Yielded, Returned>): Promise<Drained<Yielded, Returned>>;
// One signature for both would infer nothing of a stage.
// eslint-disable-next-line @typescript-eslint/unified-signatures
export function drain<Yielded, Returned>(source: Source<Yielded, Returned>): Promise<Drained<Yielded, Returned>>;
export async function drain<Yielded, Returned>(
  source: StageOf<Yielded, Returned> | Source<Yielded, Returned>,
): Promise<Drained<Yielded, Returned>> {
  const events: Yielded[] = [];
  for (;;) {
    const next = await (Symbol.iterator in source ? advance(source) : source.next());
    if (next.done === true) return { events, value: next.value };
    events.push(next.value);
  }
}
