// The server package: the part that is used, as our own types, and its late loading.

import { loadOptional } from "../../packages/index.js";

/** A result of a tool: its parts, and whether the call failed. */
export interface ToolAnswer {
  readonly content: readonly object[];
  readonly isError?: boolean;
  /** Data for the caller's program, which no model sees. */
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** The context of one call. */
export interface CallContext {
  readonly mcpReq: {
    readonly signal: AbortSignal;
    readonly _meta?: { readonly progressToken?: string | number | undefined } | undefined;
    /** In the newest protocol: what the caller says about itself with this request. */
    readonly envelope?: Readonly<Record<string, unknown>> | undefined;
    readonly inputResponses?: Readonly<Record<string, unknown>> | undefined;
    /** The verified state of a question that was answered; undefined without one. */
    requestState?(): unknown;
    notify(notification: { method: "notifications/progress"; params: Record<string, unknown> }): Promise<void>;
  };
}

/** One server of the package: it lives for one request over HTTP, or for one connection over two streams. */
export interface PackageServer {
  readonly server: {
    /** The capabilities of a caller with the older protocol; undefined before it has said them. */
    getClientCapabilities(): { readonly elicitation?: unknown } | undefined;
    registerCapabilities(capabilities: { readonly extensions: Readonly<Record<string, object>> }): void;
    /** Answers a method that an extension of the protocol has. */
    setRequestHandler(
      method: string,
      schemas: { readonly params: unknown },
      handle: (params: Readonly<Record<string, unknown>>, context: CallContext) => Promise<object>,
    ): void;
  };
  registerTool(
    name: string,
    settings: { description: string; inputSchema: unknown; annotations?: { readonly readOnlyHint: boolean } },
    call: (input: Readonly<Record<string, unknown>>, context: CallContext) => Promise<unknown>,
  ): unknown;
  registerResource(
    name: string,
    uri: string,
    settings: { title: string; description: string; mimeType: string },
    read: () => { readonly contents: readonly object[] },
  ): unknown;
}

/** The sender of a request over HTTP, in the form in which the package passes it on. */
export interface AuthInfo {
  readonly token: string;
  readonly clientId: string;
  readonly scopes: string[];
  readonly extra: Record<string, unknown>;
}

/** Makes a server for the protocol of its caller: the newest, or the older protocol. */
export type ServerMaker = (request: {
  readonly era: "legacy" | "modern";
  readonly authInfo?: AuthInfo | undefined;
}) => PackageServer;

/** The package, as far as it is used. */
export interface ServerPackage {
  readonly McpServer: new (
    self: { name: string; version: string },
    settings:
      { requestState: { verify: unknown }; inputRequired: { roundTimeoutMs: number } } | { instructions: string },
  ) => PackageServer;
  createMcpHandler(make: ServerMaker): {
    fetch(request: Request, by?: { readonly authInfo: AuthInfo }): Promise<Response>;
  };
  createRequestStateCodec(settings: { key: Uint8Array | string; ttlSeconds: number }): {
    mint(payload: unknown, context: CallContext): Promise<string>;
    readonly verify: unknown;
  };
  readonly inputRequired: ((given: { inputRequests: Record<string, unknown>; requestState: string }) => unknown) & {
    elicit(given: object): unknown;
  };
  acceptedContent(responses: unknown, name: string): Readonly<Record<string, unknown>> | undefined;
  fromJsonSchema(schema: object): unknown;
}

/** The part of the package that serves over two streams. */
export interface StdioPackage {
  serveStdio(make: ServerMaker, settings: { transport: unknown }): { close(): Promise<void> };
  readonly StdioServerTransport: new (input: unknown, output: unknown) => unknown;
}

/**
 * Loads the server package at the first request.
 * @throws LastcallError `configuration` if it is not installed, or can't be loaded.
 */
export function loadServer(): Promise<ServerPackage> {
  return load(async () => (await import("@modelcontextprotocol/server")) as unknown as ServerPackage);
}

/**
 * Loads the package with its part for two streams.
 * @throws LastcallError `configuration` if it is not installed, or can't be loaded.
 */
export async function loadStdio(): Promise<StdioPackage & { readonly sdk: ServerPackage }> {
  const sdk = await loadServer();
  const stdio = await load(async () => (await import("@modelcontextprotocol/server/stdio")) as unknown as StdioPackage);
  return { sdk, serveStdio: stdio.serveStdio, StdioServerTransport: stdio.StdioServerTransport };
}

function load<Package>(importIt: () => Promise<Package>): Promise<Package> {
  const needed = { name: "@modelcontextprotocol/server", neededBy: "serving over MCP", from: "2.4" };
  return loadOptional(needed, importIt);
}
