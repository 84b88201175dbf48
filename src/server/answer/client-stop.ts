// The end of a client: a controller that aborts when the client of a request hangs up.

/** A response of Node, as far as it tells that its client is gone. */
interface NodeResponse {
  readonly destroyed: boolean;
  once(event: "close", listener: () => void): unknown;
}

/** A request that a server on Node made, with the response that belongs to it. */
interface NodeRequest extends Request {
  readonly runtime?: { readonly node?: { readonly res?: NodeResponse } };
}

/**
 * A controller that aborts when the client of a request hangs up. The response of Node says so, if the request has it: srvx before 0.9,
 * which Nitro 3.0 brings, aborts the signal of a request as soon as its body was read. Otherwise it aborts with the signal.
 */
export function stopWith(request: Request): AbortController {
  const stop = new AbortController();
  const end = stop.abort.bind(stop, undefined);
  const response = (request as NodeRequest).runtime?.node?.res;
  if (response === undefined) {
    if (request.signal.aborted) end();
    else request.signal.addEventListener("abort", end, { once: true });
  } else if (response.destroyed) end();
  else response.once("close", end);
  return stop;
}
