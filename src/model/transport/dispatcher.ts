// The dispatchers of the undici package: they hold the connections that requests go over.

import { createRequire } from "node:module";
import { isLoopback } from "./loopback.js";

/** The control over one request that a dispatcher gives its handler. */
export interface DispatchControl {
  pause(): void;
  resume(): void;
  abort(reason: Error): void;
}

/** The headers of an answer, by their names in lower case, as a dispatcher gives them. */
export type IncomingHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Takes what happens to one request. */
export interface DispatchHandler {
  onRequestStart(control: DispatchControl, context: unknown): void;
  onResponseStart(control: DispatchControl, status: number, headers: IncomingHeaders, statusMessage?: string): void;
  onResponseData(control: DispatchControl, bytes: Buffer): void;
  onResponseEnd(control: DispatchControl, trailers: IncomingHeaders): void;
  onResponseError(control: DispatchControl, error: Error): void;
}

/** A request for a dispatcher. */
export interface DispatchRequest {
  /** The scheme, the host and the port. */
  readonly origin: string;
  /** The path with the query. */
  readonly path: string;
  readonly method: "POST";
  readonly headers: Record<string, string>;
  /**
   * The bytes: a Buffer, or an array of its parts if they are long. undici takes any iterable of bytes, although its types do not say so;
   * a dispatcher of these types has to fit here.
   */
  readonly body: Buffer;
  /** 0: the dispatcher does not watch the time, since lastcall does. */
  readonly headersTimeout: 0;
  /** 0, like `headersTimeout`. */
  readonly bodyTimeout: 0;
}

/**
 * Holds connections and sends requests over them. The dispatchers of undici 7 and 8 (`Agent`, `Pool`, `ProxyAgent`, ...) are such.
 *
 * Contract: `dispatch` calls the handler for all that happens to the request, in order, and ends with `onResponseEnd` or
 * `onResponseError`. The body is sent as it is.
 */
export interface Dispatcher {
  dispatch(request: DispatchRequest, handler: DispatchHandler): boolean;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Names of the variables that set a proxy. */
const proxyVariables = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY"];

/** Milliseconds that an idle connection is kept, unless the server says how long. Tools often run for longer than undici's 4 s. */
const keepAliveTimeout = 30_000;

let direct: Dispatcher | undefined;
const overProxies = new Map<string, Dispatcher>();

/**
 * The dispatcher for an address, shared by all models of this process. It goes over the proxy that the environment sets (`HTTPS_PROXY`,
 * `HTTP_PROXY`, except for `NO_PROXY`), and never to this machine over a proxy. undici is loaded here.
 */
export function dispatcherFor(url: URL, environment: Variables): Dispatcher {
  const variables = [...proxyVariables, "no_proxy", "NO_PROXY"].map((name) => environment[name] ?? "");
  const hasProxy = variables.slice(0, proxyVariables.length).some((value) => value !== "");
  if (isLoopback(url) || !hasProxy) {
    direct ??= new (loadAgent())({ keepAliveTimeout });
    return direct;
  }
  const key = variables.join("\n");
  const known = overProxies.get(key) ?? new (loadProxyAgent())({ keepAliveTimeout });
  overProxies.set(key, known);
  return known;
}

type DispatcherClass = new (options: { readonly keepAliveTimeout: number }) => Dispatcher;

const require = createRequire(import.meta.url);

// Each loads only its own file: all of undici takes three times as long.

function loadAgent(): DispatcherClass {
  return require("undici/lib/dispatcher/agent.js") as DispatcherClass;
}

function loadProxyAgent(): DispatcherClass {
  return require("undici/lib/dispatcher/env-http-proxy-agent.js") as DispatcherClass;
}
