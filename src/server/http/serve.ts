// On Node: serve listens with a fetch function, and nodeHandler makes middleware of the handler.

import { LastcallError } from "../../core/index.js";
import { checkOptions, wholeNumber, expectKind, objectWith, type OptionKinds, explain } from "../../core/internal.js";
import type { Handler } from "./handler.js";

/** The options of `serve`. */
export interface ServeOptions {
  /** The port. Default: a free port. */
  readonly port?: number | undefined;
  /** The address to listen on. Default 127.0.0.1, which only this machine reaches. */
  readonly host?: string | undefined;
  /** Gets the fault of a request that failed. Its caller learns only that it did. Default: the fault is dropped. */
  readonly onError?: ((fault: unknown) => void) | undefined;
}

/** A server that listens. */
export interface Server {
  /** Its address, such as `http://127.0.0.1:8080/`. */
  readonly url: string;
  readonly port: number;
  /** Ends all connections, and stops listening. */
  close(): Promise<void>;
}

const handlerKind = objectWith("a fetch function, for example createHandler({ host })", "call");

const serveOptions = { port: "number", host: "text", onError: "function" } satisfies OptionKinds<ServeOptions>;

/**
 * Listens with a fetch function, such as the function of `createHandler`.
 * @throws LastcallError `configuration` if the address can't be listened on.
 */
export async function serve(
  handler: (request: Request) => Response | Promise<Response>,
  options: ServeOptions = {},
): Promise<Server> {
  expectKind("The handler of serve", handler, handlerKind);
  checkOptions("serve", options, serveOptions);
  const { port = 0, host = "127.0.0.1", onError } = options;
  if (wholeNumber("port", port, 0) > 65_535)
    throw new LastcallError("configuration", `port is ${String(port)}: give at most 65535.`);
  const srvx = await import("srvx");
  const server = srvx.serve({
    fetch: handler,
    port,
    hostname: host,
    manual: true,
    silent: true,
    gracefulShutdown: false,
    error(fault) {
      onError?.(fault);
      return Response.json({ error: "The server failed." }, { status: 500 });
    },
  });
  try {
    await server.serve();
    await server.ready();
  } catch (thrown) {
    const isTaken = (thrown as NodeJS.ErrnoException).code === "EADDRINUSE";
    const advice = isTaken ? " Give another port, or leave it out for a free port." : "";
    const message = `${host}:${String(port)} can't be listened on: ${explain(thrown)}.${advice}`;
    throw new LastcallError("configuration", message, { cause: thrown });
  }
  const { url = "" } = server;
  return { url, port: Number(new URL(url).port), close: () => server.close(true) };
}

/** A request of `node:http`, as far as a `NodeHandler` names it. The declarations need no types of Node. */
export interface HttpRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  /** The whole address, from Express. `url` lacks the path that the handler is mounted at. */
  readonly originalUrl?: string | undefined;
  /** The body, if a parser has read it. */
  readonly body?: unknown;
  /** True once the body was read. */
  readonly readableEnded: boolean;
}

/** A response of `node:http`, as far as a `NodeHandler` names it. */
export interface HttpResponse {
  readonly headersSent: boolean;
  readonly writableEnded: boolean;
}

/** A function that a server of Node calls with a request, its response, and the function that passes it on. */
export type NodeHandler = (
  request: HttpRequest,
  response: HttpResponse,
  next?: (error?: unknown) => void,
) => Promise<void>;

/**
 * Makes a function for `node:http`, Express and all that take its middleware: `app.use(nodeHandler(handler))`. A request of another path
 * goes on to `next`, and so does an error. It may be mounted at the handler's `path` as well, `app.use("/agents", nodeHandler(handler))`,
 * and behind a parser of bodies.
 */
export function nodeHandler(handler: Handler): NodeHandler {
  return async (request, response, next) => {
    const url = [request.originalUrl, request.url].find((one) => one !== undefined && handler.takes(one));
    if (url === undefined && next !== undefined) {
      next();
      return;
    }
    try {
      const { NodeRequest, sendNodeResponse } = await import("srvx/node");
      // They are the objects of Node, of which the declarations name only a part.
      const heard = new NodeRequest({ req: request as never, res: response as never });
      await sendNodeResponse(response as never, await handler(url === undefined ? heard : whole(heard, request, url)));
    } catch (error) {
      if (next === undefined) throw error;
      next(error);
    }
  };
}

/** The request with its whole address, and with its body, though a parser may have read it. */
function whole(heard: Request, { url: seen, body, readableEnded }: HttpRequest, url: string): Request {
  const isRead = body !== undefined && readableEnded;
  if (!isRead && url === seen) return heard;
  const bytes = Buffer.isBuffer(body) ? new Uint8Array(body) : undefined;
  const read = typeof body === "string" ? body : (bytes ?? JSON.stringify(body));
  const { method, headers, signal } = heard;
  const hasBody = method !== "GET" && method !== "HEAD";
  const made = new Request(new URL(url, heard.url), {
    ...{ method, headers: [...headers], signal, duplex: "half" },
    ...(hasBody && { body: isRead ? read : heard.body }),
  });
  const { runtime, ip } = heard as Request & { readonly runtime?: unknown; readonly ip?: unknown };
  return Object.defineProperties(made, { runtime: { value: runtime }, ip: { value: ip } });
}
