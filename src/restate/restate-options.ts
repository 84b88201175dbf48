// The options of a host on Restate, and the names that follow from them.

import { LastcallError, type Budget, type Event } from "../core/index.js";
import { checkOptions, portKinds, needed, recordOf, listOf, type OptionKinds, wholeNumber } from "../core/internal.js";
import type { HostAgent } from "../host/index.js";
import { expectLastingStore } from "../host/host-parts.js";
import type { Store } from "../memory/index.js";

/** The options of `hostOnRestate`. */
export interface RestateHostOptions {
  /**
   * The agents by name, of letters, digits, `_`, `.` and `-`. A new session that names none gets the first. All processes behind an
   * address have the same.
   */
  readonly agents: Readonly<Record<string, HostAgent>>;
  /** The store, which all processes share. */
  readonly store: Store;
  /** The URL of Restate's ingress, such as `http://127.0.0.1:8080`. */
  readonly ingress: string;
  /** The URL of Restate's admin API, such as `http://127.0.0.1:9070`. */
  readonly admin: string;
  /** The place at which this process takes deliveries. Needed unless `work` is false. */
  readonly listen?: RestateListenOptions | undefined;
  /**
   * The URL at which Restate reaches the processes that work: the URL of a balancer if there are several. Default: the URL of
   * `listen`.
   */
  readonly address?: string | undefined;
  /** The public keys of Restate's signatures: other requests are refused. Default: none, so the place has to be private. */
  readonly identityKeys?: readonly string[] | undefined;
  /** Headers of requests to ingress and admin API, such as an `authorization`. Default: none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The name under which processes work together, of letters, digits, `_` and `-`; it begins with a letter. Default `lastcall`. */
  readonly queue?: string | undefined;
  /** False for a process that only gives inputs: it runs no agent and listens nowhere. Default true. */
  readonly work?: boolean | undefined;
  /** The number of times that a run is resumed without getting further: after that it is aborted. Default 10. */
  readonly attempts?: number | undefined;
  /**
   * Limits that the runs of this process draw from, such as `sharedLimits({ maxCost: 5, per: "principal", every: "day" })`, or `limits` of
   * `pgStore` for all machines. Default: none.
   */
  readonly budget?: Budget | undefined;
  /** Sees every event of the runs of this process, among them `definition-drift`. It must not throw. Default: nobody does. */
  readonly onEvent?: ((event: Event, session: string) => void) | undefined;
}

/** A place to listen at. */
export interface RestateListenOptions {
  /** The port; 0 takes a free port. */
  readonly port: number;
  /** The interface. Default `127.0.0.1`. */
  readonly host?: string | undefined;
}

const hostOptions = {
  agents: needed(recordOf(portKinds.agent)),
  store: needed(portKinds.store),
  ingress: needed("text"),
  admin: needed("text"),
  listen: "object",
  address: "text",
  identityKeys: listOf("text"),
  headers: recordOf("text"),
  queue: "text",
  work: "flag",
  attempts: "number",
  budget: portKinds.budget,
  onEvent: "function",
} satisfies OptionKinds<RestateHostOptions>;
const listenOptions = { port: needed("number"), host: "text" } satisfies OptionKinds<RestateListenOptions>;

/** Interfaces that no other machine can use as an address. */
const anywhere: ReadonlySet<string> = new Set(["0.0.0.0", "::"]);

/** @throws LastcallError `configuration` that names the option and the remedy. */
export function checkRestateOptions(options: RestateHostOptions): void {
  checkOptions("hostOnRestate", options, hostOptions);
  const { agents, queue = "lastcall", attempts = 10, ingress, admin, headers = {}, work = true } = options;
  const names = Object.keys(agents);
  if (names.length === 0) throw wrong("hostOnRestate needs an agent: agents: { name: createAgent(...) }.");
  if (!/^[a-z][\w-]{0,49}$/i.test(queue) || /^(restate|openapi)/i.test(queue))
    throw wrong(
      `queue is ${JSON.stringify(queue)}: begin with a letter, but not with restate, and use letters, digits, _ and -.`,
    );
  const strange = names.find((name) => !/^[\w.-]{1,100}$/.test(name));
  if (strange !== undefined)
    throw wrong(
      `The agent ${JSON.stringify(strange)} can't be one of Restate: use letters, digits, _, . and - in its name.`,
    );
  wholeNumber("attempts", attempts);
  checkUrl("ingress", ingress);
  checkUrl("admin", admin);
  checkHeaders(headers);
  if (work) checkPlace(options);
  else if (options.listen !== undefined || options.address !== undefined || options.identityKeys !== undefined)
    throw wrong("A process with work: false listens nowhere: leave out listen, address and identityKeys.");
  expectLastingStore("hostOnRestate", options.store);
}

function checkPlace({ listen, address, identityKeys = [] }: RestateHostOptions): void {
  if (listen === undefined) throw wrong("hostOnRestate needs listen: { port }, or work: false.");
  checkOptions("hostOnRestate: listen", listen, listenOptions);
  const { port, host = "127.0.0.1" } = listen;
  if (wholeNumber("listen.port", port, 0) > 65_535) throw wrong(`listen.port is ${String(port)}: give at most 65535.`);
  if (address !== undefined) checkUrl("address", address);
  else if (anywhere.has(host))
    throw wrong(`listen.host is ${host}: give address, the URL at which Restate finds this.`);
  const strange = identityKeys.find((key) => !key.startsWith("publickeyv1_"));
  if (strange !== undefined)
    throw wrong(`identityKeys has ${JSON.stringify(strange)}: a public key of Restate begins with publickeyv1_.`);
}

function checkUrl(name: string, value: unknown): void {
  if (typeof value !== "string" || !URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol))
    throw wrong(`${name} is ${String(value)}: give a URL that begins with http:// or https://.`);
}

function checkHeaders(headers: Readonly<Record<string, string>>): void {
  try {
    new Headers(headers);
  } catch (cause) {
    throw new LastcallError("configuration", "headers can't be headers of HTTP: give names and texts.", { cause });
  }
}

/** The service of an agent. */
export function serviceOf(queue: string, agent: string): string {
  return `${queue}.${agent}`;
}

function wrong(message: string): LastcallError {
  return new LastcallError("configuration", message);
}
