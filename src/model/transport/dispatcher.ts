// The dispatchers of the undici package: they hold the connections that requests go over.

import { createRequire } from "node:module";
import { isLoopback } from "./loopback.js";
import type { Dispatcher } from "./ports.js";

type Variables = Readonly<Record<string, string | undefined>>;

/** Names of the variables that set a proxy. */
const proxyVariables = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY"];

/** Milliseconds that an idle connection is kept, unless the server says how long. Tools often run for longer than undici's 4 s. */
const keepAliveTimeout = 30_000;

let direct: Dispatcher | undefined;
const overProxies = new Map<string, Dispatcher>();

/**
 * The dispatcher for an address, shared by all models of this process. Requests go over the proxy that the environment sets (`HTTPS_PROXY`,
 * `HTTP_PROXY`). Requests to this machine, and to the hosts of `NO_PROXY`, go over no proxy. undici is loaded here.
 */
export function dispatcherFor(url: URL, environment: Variables): Dispatcher {
  const variables = [...proxyVariables, "no_proxy", "NO_PROXY"].map((name) => environment[name] ?? "");
  const hasProxy = variables.slice(0, proxyVariables.length).some((value) => value !== "");
  if (isLoopback(url) || !hasProxy) {
    direct ??= new (loadAgent())({ keepAliveTimeout });
    return direct;
  }
  const key = variables.join("\n");
  const known = overProxies.get(key) ?? new (loadProxyAgent())({ keepAliveTimeout, ...proxiesOf(environment) });
  overProxies.set(key, known);
  return known;
}

/** The proxies that the environment sets, and the hosts without one. Names in small letters win, as in undici. */
function proxiesOf(environment: Variables): Proxies {
  const of = (name: string): string => environment[name] ?? environment[name.toUpperCase()] ?? "";
  return { httpProxy: of("http_proxy"), httpsProxy: of("https_proxy"), noProxy: of("no_proxy") };
}

/** Options of undici. An empty text is no proxy, and no look at the environment of the process. */
interface Proxies {
  readonly httpProxy: string;
  readonly httpsProxy: string;
  readonly noProxy: string;
}

type DispatcherClass = new (options: { readonly keepAliveTimeout: number } & Partial<Proxies>) => Dispatcher;

const require = createRequire(import.meta.url);

// Each loads only its own file: all of undici takes three times as long.

function loadAgent(): DispatcherClass {
  return require("undici/lib/dispatcher/agent.js") as DispatcherClass;
}

function loadProxyAgent(): DispatcherClass {
  return require("undici/lib/dispatcher/env-http-proxy-agent.js") as DispatcherClass;
}
