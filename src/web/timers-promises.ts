// The part of node:timers/promises that the sources use.

/** Waits. @throws the reason of the signal as soon as it aborts. */
export function setTimeout<Value>(
  ms: number,
  value?: Value,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<Value | undefined> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      globalThis.clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = globalThis.setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve(value);
    }, ms);
    if (signal?.aborted === true) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}
