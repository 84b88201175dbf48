// Connection: one open connection to a server, with the newest protocol that both sides speak.

import { LastcallError } from "../../core/index.js";
import { explain, headOf } from "../../core/internal.js";
import { foreignLine } from "../foreign/foreign-text.js";
import { boundedFetch } from "./bounded-fetch.js";
import {
  loadClient,
  type ClientPackage,
  type ClientSettings,
  type McpTransport,
  type PackageClient,
  type RequestSettings,
} from "./package.js";
import { StdioTransport } from "./stdio-transport.js";
import { tapLists } from "./tap-lists.js";
import type { Target } from "./target.js";

/** The receivers of what a server does by itself. */
export interface ServerReceivers {
  /** The server says that its list of tools is another. */
  readonly listChanged: () => void;
  /** The server asks a question of the user. The answer is one of the protocol. */
  readonly asked: (params: unknown) => Promise<Record<string, unknown>>;
  /** The connection has ended. `why` is part of a sentence. */
  readonly closed: (why: string) => void;
  /** The server did something that changes nothing: noise in its output, or a message that nobody waits for. */
  readonly odd: (what: string) => void;
}

/** One page of a server's list of tools, as it was sent. */
export interface ToolPage {
  readonly tools: readonly unknown[];
  /** The cursor of the next page; undefined after the last. */
  readonly next: string | undefined;
}

/** An open connection. */
export interface Connection {
  readonly client: PackageClient;
  /** Asks for one page of the list of tools: without a cursor the first. */
  listTools(cursor: string | undefined, settings: RequestSettings): Promise<ToolPage>;
  /** The revision of the protocol. */
  readonly protocol: string;
  /** The server's name and version, in its own words. */
  readonly title: string;
  /** The words of the server about the use of its tools; undefined if it has none. */
  readonly instructions: string | undefined;
  close(): Promise<void>;
}

/** Characters of a server's instructions that are kept. */
const longestInstructions = 10_000;

/** The settings of `connect`. */
export interface ConnectSettings {
  readonly server: string;
  readonly target: Target;
  /** Milliseconds until the server has to be ready. */
  readonly startTimeout: number;
  readonly receivers: ServerReceivers;
  readonly signal: AbortSignal;
}

/**
 * Connects to a server: in the newest protocol, and in the older protocol if the server ends at a question in the newest.
 * @throws LastcallError `configuration` if the package or the command is missing, `authentication` if the server wants a key, and
 * `provider_unavailable` if it can't be reached or does not answer.
 */
export async function connect(settings: ConnectSettings): Promise<Connection> {
  const { server, signal } = settings;
  const sdk = await loadClient();
  try {
    return await open(sdk, settings, "auto").catch((thrown: unknown) => {
      signal.throwIfAborted();
      if ((thrown as { code?: unknown }).code !== "ERA_NEGOTIATION_FAILED" || settings.target.kind !== "command")
        throw thrown;
      return open(sdk, settings, "legacy");
    });
  } catch (thrown) {
    signal.throwIfAborted();
    throw connectFault(server, thrown);
  }
}

async function open(sdk: ClientPackage, settings: ConnectSettings, mode: "auto" | "legacy"): Promise<Connection> {
  const { target, startTimeout, receivers, signal } = settings;
  const transport = await transportTo(sdk, target);
  const lists = tapLists(transport);
  const client = new sdk.Client({ name: "lastcall", version: "1" }, clientSettings(receivers, mode, startTimeout));
  client.setRequestHandler("elicitation/create", ({ params }) => receivers.asked(params));
  const ending = (): string | undefined => (transport instanceof StdioTransport ? transport.ending : undefined);
  const tellOdd = (error: Error): void => {
    receivers.odd(foreignLine(explain(error), 500));
  };
  // Until an address answers, its errors are the errors of the fault.
  if (target.kind === "command") client.onerror = tellOdd;
  try {
    await client.connect(transport, { timeout: startTimeout, signal });
    client.onerror = tellOdd;
  } catch (thrown) {
    await Promise.all([client.close(), transport.close()].map((closing) => closing.catch(() => undefined)));
    const how = ending();
    if (how === undefined || code(thrown) === "ERA_NEGOTIATION_FAILED") throw thrown;
    throw new LastcallError("provider_unavailable", how, { cause: thrown });
  }
  client.onclose = () => {
    receivers.closed(ending() ?? "the connection was closed");
  };
  const { name = "", version = "" } = client.getServerVersion() ?? {};
  const instructions = client.getInstructions();
  return {
    client,
    listTools: (cursor, given) =>
      lists.next(() =>
        client.request({ method: "tools/list", ...(cursor !== undefined && { params: { cursor } }) }, given),
      ),
    protocol: client.getNegotiatedProtocolVersion() ?? "unknown",
    title: foreignLine(`${name} ${version}`, 200),
    instructions: instructions && headOf(instructions, longestInstructions),
    close: () => client.close(),
  };
}

function code(thrown: unknown): unknown {
  return (thrown as { readonly code?: unknown } | null)?.code;
}

/** The part of the start time after which a server that says nothing is asked in the older protocol. */
const probeShare = 1 / 3;

function clientSettings(receivers: ServerReceivers, mode: "auto" | "legacy", startTimeout: number): ClientSettings {
  return {
    capabilities: { elicitation: { form: {} } },
    versionNegotiation: { mode, probe: { timeoutMs: Math.ceil(startTimeout * probeShare) } },
    listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: receivers.listChanged } },
  };
}

function transportTo(sdk: ClientPackage, target: Target): McpTransport | Promise<McpTransport> {
  if (target.kind === "transport") return target.make();
  if (target.kind === "command") return new StdioTransport(target);
  return new sdk.StreamableHTTPClientTransport(target.url, {
    requestInit: { headers: { ...target.headers } },
    fetch: boundedFetch(fetch),
  });
}

function connectFault(server: string, thrown: unknown): LastcallError {
  if (thrown instanceof LastcallError && thrown.code !== "provider_unavailable") return thrown;
  const { status } = thrown as { readonly status?: unknown };
  const why = foreignLine(reasonOf(thrown), 2000);
  if (status === 401 || status === 403 || /unauthorized/i.test((thrown as Error).name)) {
    const advice = 'Give it the header authorization: headers: { authorization: "Bearer ..." }';
    return new LastcallError("authentication", `The MCP server "${server}" wants a key (${why}). ${advice}.`, {
      cause: thrown,
    });
  }
  return new LastcallError("provider_unavailable", `The MCP server "${server}" can't be used: ${why}.`, {
    cause: thrown,
  });
}

/** The message of an error, and the message of its innermost cause, in which `fetch` says what failed. */
function reasonOf(thrown: unknown): string {
  let inner = thrown;
  for (let depth = 0; depth < 5 && inner instanceof Error && inner.cause instanceof Error; depth += 1)
    inner = inner.cause;
  return inner === thrown || thrown instanceof LastcallError
    ? explain(thrown)
    : `${explain(thrown)}: ${explain(inner)}`;
}
