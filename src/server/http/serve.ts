// serve: listens with a fetch function on Node.

import { LastcallError } from "../../core/index.js";
import { checkOptions, explain } from "../../core/internal.js";

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

const serveOptions = { port: true, host: true, onError: true } satisfies Record<keyof ServeOptions, true>;

/**
 * Listens with a fetch function, such as the function of `createHandler`.
 * @throws LastcallError `configuration` if the address can't be listened on.
 */
export async function serve(
  handler: (request: Request) => Response | Promise<Response>,
  options: ServeOptions = {},
): Promise<Server> {
  checkOptions("serve", options, serveOptions);
  const { port = 0, host = "127.0.0.1", onError } = options;
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
    throw new LastcallError("configuration", `${host}:${String(port)} can't be listened on: ${explain(thrown)}.`, {
      cause: thrown,
    });
  }
  const { url = "" } = server;
  return { url, port: Number(new URL(url).port), close: () => server.close(true) };
}
