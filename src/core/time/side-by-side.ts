// Side by side: runs several generators at a time, yields each event at once and settles their values in order.

/** The options of `sideBySide`. */
export interface Together<Item, Yielded, Value> {
  /** Maximum number of generators that run at the same time. */
  readonly most: number;
  /** Makes the generator of an item. */
  readonly start: (item: Item) => AsyncGenerator<Yielded, Value, void>;
  /** Gets the values in the order of the items, each as soon as it and all earlier values are ready. */
  readonly settle: (item: Item, value: Value) => AsyncGenerator<Yielded, void, void>;
  /** Tells the running generators to stop, because a generator or `settle` threw, or because the reader left. */
  readonly stop: () => void;
}

interface Work<Item, Yielded, Value> {
  readonly item: Item;
  readonly source: AsyncGenerator<Yielded, Value, void>;
  next: Promise<IteratorResult<Yielded, Value>>;
  made: { readonly value: Value } | undefined;
}

/** Starts a generator for each item, in order. An error of one generator is thrown after the other generators have settled. */
export async function* sideBySide<Item, Yielded, Value>(
  items: readonly Item[],
  { most: maxParallel, start, settle, stop }: Together<Item, Yielded, Value>,
): AsyncGenerator<Yielded, void, void> {
  const waiting = [...items];
  /** The work that has started but is not settled, in the order of the items. */
  const started: Work<Item, Yielded, Value>[] = [];
  const running = new Set<Work<Item, Yielded, Value>>();
  try {
    for (;;) {
      while (running.size < maxParallel && waiting.length > 0) begin(waiting.splice(0, 1));
      if (running.size === 0) return;
      const { work, result } = await first(running);
      if (result.done !== true) {
        yield result.value;
        work.next = quiet(work.source.next());
        continue;
      }
      running.delete(work);
      work.made = { value: result.value };
      for (let [done] = started; done?.made !== undefined; [done] = started) {
        started.shift();
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
      started.push(work);
      running.add(work);
    }
  }
}

/** The next generator with an event or a value. */
function first<Item, Yielded, Value>(
  running: ReadonlySet<Work<Item, Yielded, Value>>,
): Promise<{ readonly work: Work<Item, Yielded, Value>; readonly result: IteratorResult<Yielded, Value> }> {
  return Promise.race(Array.from(running, async (work) => ({ work, result: await work.next })));
}

/** Prevents an unhandled rejection if the promise rejects before anything awaits it. The error stays for the later `await`. */
function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}
