// The end of a client: a controller that aborts when the client of a request hangs up.

/** A controller that aborts with the request. */
export function stopWith({ signal }: Request): AbortController {
  const stop = new AbortController();
  if (signal.aborted) stop.abort();
  else signal.addEventListener("abort", stop.abort.bind(stop, undefined), { once: true });
  return stop;
}
