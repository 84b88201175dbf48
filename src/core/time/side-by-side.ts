// Side by side: runs several stages at a time, yields each event at once and settles their values in order.

import { sourceOf, wait, type StageOf } from "./stage.js";

/** The options of `sideBySide`. */
export interface Together<Item, Yielded, Value> {
  /** Maximum number of stages that run at the same time. */
  readonly most: number;
  /** Makes the stage of an item. */
  readonly start: (item: Item) => StageOf<Yielded, Value>;
  /** Gets the values in the order of the items, each as soon as it and all earlier values are ready. */
  readonly settle: (item: Item, value: Value) => StageOf<Yielded, void>;
  /** Tells the running stages to stop, because a stage or `settle` threw, or because the reader left. */
  readonly stop: () => void;
}

interface Work<Item, Yielded, Value> {
  readonly item: Item;
  readonly source: AsyncGenerator<Yielded, Value, void>;
  /** The step that is under way, or was made last. It never rejects. */
  step: Promise<unknown>;
  made: { readonly value: Value } | undefined;
}

/** A step of a work that nobody has seen yet, or its error. */
type Step<Item, Yielded, Value> = { readonly work: Work<Item, Yielded, Value> } & (
  { readonly result: IteratorResult<Yielded, Value> } | { readonly error: unknown }
);

/** Starts a stage for each item, in order. An error of one stage is thrown after the other stages have settled. */
export function* sideBySide<Item, Yielded, Value>(
  items: readonly Item[],
  { most: maxParallel, start, settle, stop }: Together<Item, Yielded, Value>,
): StageOf<Yielded, void> {
  const waiting = [...items];
  /** The work that has started but is not settled, in the order of the items. */
  const started: Work<Item, Yielded, Value>[] = [];
  const running = new Set<Work<Item, Yielded, Value>>();
  const unseen: Step<Item, Yielded, Value>[] = [];
  let wake = (): void => undefined;
  try {
    for (;;) {
      while (running.size < maxParallel && waiting.length > 0) begin(waiting.splice(0, 1));
      if (running.size === 0) return;
      const step = unseen.shift();
      if (step === undefined) {
        yield* wait(new Promise<void>((resolve) => (wake = resolve)));
        continue;
      }
      if ("error" in step) throw step.error;
      const { work, result } = step;
      if (result.done !== true) {
        yield result.value;
        advance(work);
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
    if (running.size > 0) {
      stop();
      yield* wait(Promise.allSettled(Array.from(running, leave)));
    }
  }

  function begin(taken: readonly Item[]): void {
    for (const item of taken) {
      const work = { item, source: sourceOf(start(item)), step: Promise.resolve(), made: undefined };
      started.push(work);
      running.add(work);
      advance(work);
    }
  }

  function advance(work: Work<Item, Yielded, Value>): void {
    const tell = (step: Step<Item, Yielded, Value>): void => {
      unseen.push(step);
      wake();
    };
    work.step = work.source.next().then(
      (result) => {
        tell({ work, result });
      },
      (error: unknown) => {
        tell({ work, error });
      },
    );
  }

  async function leave({ step, source }: Work<Item, Yielded, Value>): Promise<void> {
    await step;
    await source.return(undefined as Value);
  }
}
