// No other runtime than Node stops a function from outside, so it runs to its end here.

/** Runs the function, which must not wait for anything. */
export function within<T>(_milliseconds: number, run: () => T): { readonly value: T } | undefined {
  return { value: run() };
}
