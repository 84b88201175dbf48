// Stages: the parts of the loop. A stage is a plain generator that yields events, and promises for the work that takes time.
//
// An async generator makes several promises for each event that passes it, and a run passes ten of them. A plain generator makes none: the
// driver of the outermost stage waits for the promises, and hands the events on.

/**
 * A part of the work: it yields what happens, and returns its result. It yields a promise to wait for its value: see `wait`. In a `finally`
 * of a stage nothing may follow a wait: a stage that is left there goes on with the `finally` around it.
 */
export type StageOf<Yielded, Returned> = Generator<Yielded | Promise<unknown>, Returned, unknown>;

/**
 * Waits for a value in a stage: `yield* wait(work())` is what `await work()` is in an async function. A value that is there costs nothing.
 */
export function* wait<Value>(value: Value): Generator<Promise<unknown>, Awaited<Value>, unknown> {
  return (isThenable(value) ? yield Promise.resolve(value) : value) as Awaited<Value>;
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  const isObject = (typeof value === "object" && value !== null) || typeof value === "function";
  return isObject && "then" in value && typeof value.then === "function";
}

/** Drives the stage until it has yielded something that is no promise, or has ended. */
export function advance<Returned, Yielded>(
  stage: StageOf<Yielded, Returned>,
): Promise<IteratorResult<Yielded, Returned>> {
  return drive(stage, () => stage.next());
}

/** Drives the stage as far as `advance` does, or with `see` to its end. */
async function drive<Returned, Yielded>(
  stage: StageOf<Yielded, Returned>,
  begin: () => IteratorResult<Yielded | Promise<unknown>, Returned>,
  see?: (yielded: Yielded) => unknown,
): Promise<IteratorResult<Yielded, Returned>> {
  let step = begin();
  while (step.done !== true) {
    let value: unknown;
    if (step.value instanceof Promise) {
      try {
        value = await step.value;
      } catch (thrown) {
        step = stage.throw(thrown);
        continue;
      }
    } else if (see === undefined) break;
    else {
      const seen = see(step.value);
      if (seen instanceof Promise) await seen;
    }
    step = stage.next(value);
  }
  return step as IteratorResult<Yielded, Returned>;
}

/** Leaves the stage: each `finally` runs, and its wait is waited for. The events of a stage that is left are for nobody. */
async function leave<Returned, Yielded>(
  stage: StageOf<Yielded, Returned>,
  value: Returned,
): Promise<IteratorResult<Yielded, Returned>> {
  let step = stage.return(value);
  while (step.done !== true) {
    try {
      await step.value;
    } catch (thrown) {
      return drive(stage, () => stage.throw(thrown));
    }
    // With `next`, the stages around the `finally` would take the return for a result, and go on.
    step = stage.return(value);
  }
  return step;
}

/** Drives the stage to its end. `see` gets the things that it yields; if it returns a promise, the stage waits for it. */
export async function toEnd<Returned, Yielded>(
  stage: StageOf<Yielded, Returned>,
  see: (yielded: Yielded) => unknown = () => undefined,
): Promise<Returned> {
  return (await drive(stage, () => stage.next(), see)).value as Returned;
}

/** The async generator that a stage is, for hooks and for work beside the run. */
export function sourceOf<Returned, Yielded>(
  stage: StageOf<Yielded, Returned>,
): AsyncGenerator<Yielded, Returned, void> {
  let last: Promise<unknown> | undefined;
  /** A caller that asks for several steps at once gets them in order. */
  const inTurn = (
    start: () => Promise<IteratorResult<Yielded, Returned>>,
  ): Promise<IteratorResult<Yielded, Returned>> => {
    const step = last === undefined ? start() : last.then(start, start);
    const end = (): void => {
      if (last === step) last = undefined;
    };
    last = step;
    step.then(end, end);
    return step;
  };
  const source: AsyncGenerator<Yielded, Returned, void> = {
    next: () => inTurn(() => advance(stage)),
    return: async (value) => {
      const returned = await value;
      return inTurn(() => leave(stage, returned));
    },
    throw: (thrown) => inTurn(() => drive(stage, () => stage.throw(thrown))),
    [Symbol.asyncIterator]: () => source,
    [Symbol.asyncDispose]: async () => {
      await source.return(undefined as Returned);
    },
  };
  return source;
}

/** The stage that an async generator is: a hook, a model or a tool, for example. If the stage is left, so is the generator. */
export function* stageOf<Returned, Yielded>(
  source: AsyncGenerator<Yielded, Returned, void>,
): StageOf<Yielded, Returned> {
  let isAtYield = false;
  try {
    for (;;) {
      const step = yield* wait(source.next());
      if (step.done === true) return step.value;
      isAtYield = true;
      yield step.value;
      isAtYield = false;
    }
  } finally {
    if (isAtYield) yield* wait(source.return(undefined as Returned));
  }
}

/** The stage with other events: `read` makes none, one or several of each. The stage is to be driven to its end. */
export function* eachOf<Returned, Yielded>(
  stage: StageOf<Yielded, Returned>,
  read: (yielded: Yielded) => Iterable<Yielded>,
): StageOf<Yielded, Returned> {
  let step = stage.next();
  while (step.done !== true) {
    if (!(step.value instanceof Promise)) {
      for (const made of read(step.value)) yield made;
      step = stage.next();
      continue;
    }
    let value: unknown;
    try {
      value = yield step.value;
    } catch (thrown) {
      step = stage.throw(thrown);
      continue;
    }
    step = stage.next(value);
  }
  return step.value;
}
