// The client package: the part that is used, as our own types, and its late loading.

import { loadOptional } from "../../packages/index.js";
import type { AuthPackage } from "./auth-package.js";

/**
 * A connection to a server, of the shape that the official packages have. A ready-made connection serves for transports that `mcpTools`
 * does not build itself.
 *
 * Contract: `start` opens it, `send` writes one message, `close` ends it. It calls `onmessage`, `onerror` and `onclose`, which the client
 * sets on it.
 */
export interface McpTransport {
  start(): Promise<void>;
  send(message: unknown, options?: unknown): Promise<void>;
  close(): Promise<void>;
}

/** The options of one request. */
export interface RequestSettings {
  readonly signal?: AbortSignal;
  /** Milliseconds without an answer or progress. */
  readonly timeout?: number;
  /** Milliseconds until an answer, whatever progress there is. */
  readonly maxTotalTimeout?: number;
  readonly resetTimeoutOnProgress?: boolean;
  readonly onprogress?: (progress: {
    progress: number;
    total?: number | undefined;
    message?: string | undefined;
  }) => void;
}

/** The tool of a call, and its arguments. */
export interface CallParameters {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
}

/** The client of the package, as far as it is used. */
export interface PackageClient {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  connect(transport: McpTransport, options?: RequestSettings): Promise<void>;
  close(): Promise<void>;
  request(request: { method: "tools/list"; params?: { cursor: string } }, options?: RequestSettings): Promise<unknown>;
  callTool(params: CallParameters, options?: RequestSettings & { readonly toolDefinition?: unknown }): Promise<unknown>;
  setRequestHandler(
    method: "elicitation/create",
    answer: (request: { params: unknown }, context: unknown) => Promise<Record<string, unknown>>,
  ): void;
  getServerCapabilities(): { readonly tools?: unknown } | undefined;
  getServerVersion(): { readonly name: string; readonly version: string } | undefined;
  getInstructions(): string | undefined;
  getNegotiatedProtocolVersion(): string | undefined;
}

/** The options of the client. */
export interface ClientSettings {
  readonly capabilities: { readonly elicitation: { readonly form: object } };
  readonly versionNegotiation: { readonly mode: "auto" | "legacy"; readonly probe: { readonly timeoutMs: number } };
  readonly listChanged: {
    readonly tools: { readonly autoRefresh: false; readonly debounceMs: 0; readonly onChanged: () => void };
  };
}

/** The package, as far as it is used. */
export interface ClientPackage extends AuthPackage {
  readonly Client: new (self: { name: string; version: string }, settings: ClientSettings) => PackageClient;
  readonly StreamableHTTPClientTransport: new (url: URL, settings: HttpSettings) => McpTransport;
  /** The transport of servers of 2024: a stream of events, which names an address for the messages to the server. */
  readonly SSEClientTransport: new (url: URL, settings: HttpSettings) => McpTransport;
  /** The error of such a stream. */
  readonly SseError: new (...given: never[]) => Error;
}

/** The options of the transports over HTTP. */
interface HttpSettings {
  readonly requestInit: { readonly headers: Record<string, string> };
  readonly fetch: typeof fetch;
}

/**
 * Loads the client package at the first connection.
 * @throws LastcallError `configuration` if it is not installed, or can't be loaded.
 */
export function loadClient(neededBy = "mcpTools"): Promise<ClientPackage> {
  const needed = { name: "@modelcontextprotocol/client", neededBy, from: "2.4" };
  return loadOptional(needed, async () => (await import("@modelcontextprotocol/client")) as unknown as ClientPackage);
}
