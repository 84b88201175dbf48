// Reads the steps of a source one by one. It is no generator around the source: a generator costs every step several promises.

/** The steps of a source, for a reader that asks for one after the other. */
export interface Steps<Yielded, Returned> {
  next(): Promise<IteratorResult<Yielded, Returned>>;
}

/** The steps that `read` makes of each step of the source: none, one or several. The last step is made of the source's last step. */
export function readEach<Yielded, Returned>(
  source: Steps<Yielded, Returned>,
  read: (step: IteratorResult<Yielded, Returned>) => readonly IteratorResult<Yielded, Returned>[],
): Steps<Yielded, Returned> {
  const made: IteratorResult<Yielded, Returned>[] = [];
  let hasEnded = false;
  const next = (): Promise<IteratorResult<Yielded, Returned>> => {
    const held = made.shift();
    if (held !== undefined) return Promise.resolve(held);
    return source.next().then(take);
  };
  const take = (
    step: IteratorResult<Yielded, Returned>,
  ): IteratorResult<Yielded, Returned> | Promise<IteratorResult<Yielded, Returned>> => {
    if (hasEnded) return step;
    hasEnded = step.done === true;
    made.push(...read(step));
    return made.shift() ?? next();
  };
  return { next };
}
