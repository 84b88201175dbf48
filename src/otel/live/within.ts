// Within: runs each step of a generator in a context, so that a span that the step opens has the right parent.

import type { Api, Context } from "../data/api.js";

/** The context of the steps, and the receiver of the events. */
export interface Steps<Yielded> {
  /** The context of the next step. It is asked for before each. */
  readonly context: () => Context;
  /** Gets each event before it is passed on. It must not throw. */
  readonly observe: (event: Yielded) => void;
}

/** Yields what the source yields, and returns its value. A source that is left is returned, in its context as well. */
export async function* within<Yielded, Returned>(
  { context: contexts }: Pick<Api, "context">,
  source: AsyncGenerator<Yielded, Returned, void>,
  { context, observe }: Steps<Yielded>,
): AsyncGenerator<Yielded, Returned, void> {
  const step = (): Promise<IteratorResult<Yielded, Returned>> => source.next();
  let isAtYield = false;
  try {
    for (;;) {
      const next = await contexts.with(context(), step);
      if (next.done === true) return next.value;
      observe(next.value);
      isAtYield = true;
      yield next.value;
      isAtYield = false;
    }
  } finally {
    if (isAtYield) await contexts.with(context(), () => source.return(undefined as never));
  }
}
