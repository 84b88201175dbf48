// Server-sent events: frames as the body of a response, at the pace of the client.

/** One server-sent event. */
export interface SentEvent {
  /** The cursor that the client sends back as `Last-Event-ID`. */
  readonly id?: string;
  /** The kind of event. Default: `message`. */
  readonly event?: string;
  /** The data, without line feeds. */
  readonly data: string;
}

/** The headers of a stream of server-sent events. No proxy keeps or buffers it. */
const streamHeaders: Readonly<Record<string, string>> = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  "x-accel-buffering": "no",
};

/** Milliseconds between two comments that keep an idle connection open. */
const defaultKeepAlive = 15_000;
/** Milliseconds that a browser waits before it connects again. */
const retry = 1000;

/** A stream of server-sent events. */
export interface SseSettings {
  /** Ends the source. It aborts when the client hangs up. */
  readonly stop: AbortController;
  /** Milliseconds between two comments that keep an idle connection open. Default 15,000. */
  readonly keepAlive?: number | undefined;
  /** Headers besides the headers of every such stream. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The ends of the streams that were made here. */
const ends = new WeakMap<Response, Promise<void>>();

/** Resolves when the stream of events in a response has ended, by itself or since its client is gone. Undefined for any other response. */
export function endOf(response: Response): Promise<void> | undefined {
  return ends.get(response);
}

/**
 * A response with the events of a source. The source is asked for the next event only when the client has room for it. When the client
 * hangs up, the source is stopped.
 */
export function sse(
  source: AsyncGenerator<SentEvent, void, void>,
  { stop, keepAlive = defaultKeepAlive, headers }: SseSettings,
): Response {
  const encoder = new TextEncoder();
  let timer: NodeJS.Timeout | undefined;
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  // A client may go before anybody reads the body for it.
  if (stop.signal.aborted) end();
  else stop.signal.addEventListener("abort", end, { once: true });
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(encoder.encode(`retry: ${String(retry)}\n\n`));
      timer = setInterval(() => {
        // A client with a full pipe needs no sign of life, and would only have to read it later.
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(":\n\n"));
      }, keepAlive);
      timer.unref();
    },
    async pull(controller) {
      try {
        const next = await source.next();
        if (next.done !== true) {
          controller.enqueue(encoder.encode(written(next.value)));
          return;
        }
        clearInterval(timer);
        end();
        controller.close();
      } catch (thrown) {
        clearInterval(timer);
        end();
        controller.error(thrown);
      }
    },
    async cancel() {
      clearInterval(timer);
      stop.abort();
      await source.return();
    },
  });
  const response = new Response(body, { headers: { ...streamHeaders, ...headers } });
  ends.set(response, ended);
  return response;
}

function written({ id, event, data }: SentEvent): string {
  return `${event === undefined ? "" : `event: ${event}\n`}${id === undefined ? "" : `id: ${id}\n`}data: ${data}\n\n`;
}
