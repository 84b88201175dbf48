// Connection: one open connection to a server, with the newest protocol that both sides speak.

import { LastcallError } from "../../core/index.js";
import { explain, headOf, isPlainObject, unlessAborted } from "../../core/internal.js";
import { ownVersion } from "../../packages/index.js";
import { foreignLine } from "../foreign/foreign-text.js";
import { boundedFetch } from "./bounded-fetch.js";
import { fetchWithDigits } from "./keep-digits.js";
import { mendedFetch } from "./mended-fetch.js";
import {
  loadClient,
  type CallParameters,
  type ClientPackage,
  type ClientSettings,
  type McpTransport,
  type PackageClient,
  type RequestSettings,
} from "./package.js";
import { StdioTransport } from "./stdio-transport.js";
import { codeOf, reasonOf, statusOf, wasNotSent } from "./request-errors.js";
import { signInNeededBy } from "./sign-in-needed.js";
import { tapMessages, type Tap } from "./tap-messages.js";
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

/** An open connection. */
export interface Connection {
  /** True if the server says that it has tools. */
  readonly hasTools: boolean;
  /** True if notices of a changed list come over a stream of their own, so that they may come after the result that they belong to. */
  readonly hasLateNotices: boolean;
  /** Asks for one page of the list of tools: without a cursor the first. The answer is a stranger's. */
  listTools(cursor: string | undefined, settings: RequestSettings): Promise<Readonly<Record<string, unknown>>>;
  /** Calls a tool. The answer is a stranger's. */
  callTool(params: CallParameters, settings: RequestSettings & { readonly toolDefinition?: unknown }): Promise<unknown>;
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

/** A way to speak with a server: the newest protocol or the older one, and for an address of 2024 its own transport. */
type Way = "auto" | "legacy" | "sse";

/**
 * Connects to a server: in the newest protocol, and in the older protocol if the server does not answer a question in the newest.
 * @throws LastcallError `configuration` if the package or the command is missing, `authentication` if the server wants a key, and
 * `provider_unavailable` if it can't be reached or does not answer in time.
 */
export async function connect(settings: ConnectSettings): Promise<Connection> {
  const { server, signal, startTimeout } = settings;
  const sdk = await loadClient();
  const end = performance.now() + startTimeout;
  const over = (way: Way): Promise<Connection> =>
    open(sdk, settings, { way, left: Math.max(1, Math.ceil(end - performance.now())) });
  let [way, fault]: [Way | undefined, unknown] = ["auto", undefined];
  while (way !== undefined) {
    try {
      return await over(way);
    } catch (thrown) {
      signal.throwIfAborted();
      // An address that speaks neither way is told by its answer to the older protocol.
      fault = way === "sse" ? fault : thrown;
      way = end <= performance.now() ? undefined : nextWay(way, settings.target, thrown);
    }
  }
  throw connectFault(server, fault);
}

/** The way to try after a way that failed; undefined if no other could work. */
function nextWay(way: Way, { kind }: Target, thrown: unknown): Way | undefined {
  if (signInNeededBy(thrown) !== undefined) return undefined;
  if (way === "auto") {
    // Over stdio the package asks a server that lives in the older protocol by itself.
    const isOver = kind === "command" && codeOf(thrown) !== "ERA_NEGOTIATION_FAILED";
    return isOver || wasNotSent(thrown) ? undefined : "legacy";
  }
  const status = statusOf(thrown) ?? 0;
  const isElsewhere = status >= 400 && status < 500 && status !== 401 && status !== 403;
  return way === "legacy" && kind === "url" && isElsewhere ? "sse" : undefined;
}

async function open(sdk: ClientPackage, settings: ConnectSettings, { way, left }: Attempt): Promise<Connection> {
  const { target, startTimeout, receivers } = settings;
  const late = AbortSignal.timeout(left);
  const signal = AbortSignal.any([settings.signal, late]);
  const transport = await transportTo(sdk, target, way);
  const tap = tapMessages(transport);
  const mode = way === "auto" ? "auto" : "legacy";
  const self = { name: "lastcall", version: ownVersion() };
  const client = new sdk.Client(self, clientSettings(receivers, mode, startTimeout));
  client.setRequestHandler("elicitation/create", ({ params }) => receivers.asked(params));
  const ending = (): string | undefined => (transport instanceof StdioTransport ? transport.ending : undefined);
  const tellOdd = (error: Error): void => {
    // A stream of events that broke opens again with another session, which nobody began.
    if (error instanceof sdk.SseError) void client.close();
    else
      setImmediate(() => {
        if (!tap.hasThrown(error) && signInNeededBy(error) === undefined)
          receivers.odd(foreignLine(explain(error), 500));
      });
  };
  // Until an address answers, its errors are the errors of the fault.
  if (target.kind === "command") client.onerror = tellOdd;
  try {
    await unlessAborted(client.connect(transport, { timeout: left, signal }), signal);
    client.onerror = tellOdd;
  } catch (thrown) {
    // Closing the server ends it too, so its end is looked at first.
    const how = late.aborted ? lateWords(target, startTimeout) : ending();
    await Promise.all([client.close(), transport.close()].map((closing) => closing.catch(() => undefined)));
    if (how === undefined || codeOf(thrown) === "ERA_NEGOTIATION_FAILED") throw thrown;
    throw new LastcallError("provider_unavailable", how, { cause: thrown });
  }
  client.onclose = () => {
    receivers.closed(ending() ?? "the connection was closed");
  };
  return connectionOver(client, tap, target.kind !== "command");
}

function lateWords({ kind }: Target, startTimeout: number): string {
  const words = `it did not answer within ${String(startTimeout / 1000)} s`;
  return kind === "command" ? `${words}; if it had to be downloaded, the next start is faster` : words;
}

/** One attempt to connect: the way, and the milliseconds that are left for it. */
interface Attempt {
  readonly way: Way;
  readonly left: number;
}

function connectionOver(client: PackageClient, tap: Tap, isElsewhere: boolean): Connection {
  const tools = client.getServerCapabilities()?.tools;
  const { name = "", version = "" } = client.getServerVersion() ?? {};
  const instructions = client.getInstructions();
  return {
    hasTools: tools !== undefined,
    hasLateNotices: isElsewhere && isPlainObject(tools) && tools["listChanged"] === true,
    async listTools(cursor, given) {
      const params = cursor === undefined ? {} : { params: { cursor } };
      const sent = tap.sent(await client.request({ method: "tools/list", ...params }, given));
      return isPlainObject(sent) ? sent : {};
    },
    callTool: async (params, given) => tap.sent(await client.callTool(params, given)),
    protocol: client.getNegotiatedProtocolVersion() ?? "unknown",
    title: foreignLine(`${name} ${version}`, 200),
    instructions: instructions && headOf(instructions, longestInstructions),
    close: () => client.close(),
  };
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

function transportTo(sdk: ClientPackage, target: Target, way: Way): McpTransport | Promise<McpTransport> {
  if (target.kind === "transport") return target.make();
  if (target.kind === "command") return new StdioTransport(target);
  const settings = {
    requestInit: { headers: { ...target.headers } },
    fetch: fetchWithDigits(mendedFetch(boundedFetch(target.fetch ?? fetch))),
  };
  return way === "sse"
    ? new sdk.SSEClientTransport(target.url, settings)
    : new sdk.StreamableHTTPClientTransport(target.url, settings);
}

function connectFault(server: string, thrown: unknown): LastcallError {
  const needed = signInNeededBy(thrown);
  if (needed !== undefined) return needed;
  if (thrown instanceof LastcallError && thrown.code !== "provider_unavailable") return thrown;
  const status = statusOf(thrown);
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
