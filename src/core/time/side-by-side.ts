// Side by side: generators that run at a time, with their events as they come and their values in order.

/** How several are run. */
export interface Together<Item, Yielded, Value> {
  /** At most so many at a time. */
  readonly most: number;
  readonly start: (item: Item) => AsyncGenerator<Yielded, Value, void>;
  /** Gets the values in the order of the items, each as soon as it and all before it are there. */
  readonly settle: (item: Item, value: Value) => AsyncGenerator<Yielded, void, void>;
  /** Tells those that still run to stop, because one of them, or the settling, threw, or because nobody reads on. */
  readonly stop: () => void;
}

interface Work<Item, Yielded, Value> {
  readonly item: Item;
  readonly source: AsyncGenerator<Yielded, Value, void>;
  next: Promise<IteratorResult<Yielded, Value>>;
  made: { readonly value: Value } | undefined;
}

/** Starts one for each item, in order. What one throws is thrown once the others have come to rest. */
export async function* sideBySide<Item, Yielded, Value>(
  items: readonly Item[],
  { most, start, settle, stop }: Together<Item, Yielded, Value>,
): AsyncGenerator<Yielded, void, void> {
  const waiting = [...items];
  /** Begun and not settled, in order. */
  const begun: Work<Item, Yielded, Value>[] = [];
  const running = new Set<Work<Item, Yielded, Value>>();
  try {
    for (;;) {
      while (running.size < most && waiting.length > 0) begin(waiting.splice(0, 1));
      if (running.size === 0) return;
      const { work, result } = await first(running);
      if (result.done !== true) {
        yield result.value;
        work.next = quiet(work.source.next());
        continue;
      }
      running.delete(work);
      work.made = { value: result.value };
      for (let [done] = begun; done?.made !== undefined; [done] = begun) {
        begun.shift();
        yield* settle(done.item, done.made.value);
      }
    }
  } finally {
    if (running.size > 0) stop();
    await Promise.allSettled(
      Array.from(running, async ({ next, source }) => {
        await next;
        await source.return(undefined as Value);
      }),
    );
  }

  function begin(taken: readonly Item[]): void {
    for (const item of taken) {
      const source = start(item);
      const work = { item, source, next: quiet(source.next()), made: undefined };
      begun.push(work);
      running.add(work);
    }
  }
}

/** The one that comes to something first. */
function first<Item, Yielded, Value>(
  running: ReadonlySet<Work<Item, Yielded, Value>>,
): Promise<{ readonly work: Work<Item, Yielded, Value>; readonly result: IteratorResult<Yielded, Value> }> {
  return Promise.race(Array.from(running, async (work) => ({ work, result: await work.next })));
}

/** One that fails while another is looked at is looked at later. */
function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}
