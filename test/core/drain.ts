// Reads a generator to its end: what it yielded, and what it returned.

/** What came of a generator. */
export interface Drained<Yielded, Returned> {
  readonly events: readonly Yielded[];
  readonly value: Returned;
}

/** Reads it to the end. */
export async function drain<Yielded, Returned>(
  source: Pick<AsyncGenerator<Yielded, Returned, void>, "next">,
): Promise<Drained<Yielded, Returned>> {
  const events: Yielded[] = [];
  for (;;) {
    const next = await source.next();
    if (next.done === true) return { events, value: next.value };
    events.push(next.value);
  }
}
