// A client that knows tasks: the official client, the official package for tasks, and requests of one's own to the same address.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import {
  createTaskSessionFromClient,
  type RawClientDispatch,
  type TaskEnabledSession,
  type WithTasksOptions,
} from "@modelcontextprotocol/ext-tasks/client";

const clientInfo = { name: "test", version: "1" };
const protocolVersion = "2026-07-28";

/** The capabilities of a client that shows forms. */
export const showsForms = { elicitation: { form: {} } };

let lastId = 0;

/** An answer in the words of JSON-RPC. */
export interface Answer {
  readonly result?: Record<string, unknown> & { readonly content?: readonly { readonly text?: string }[] };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** Sends one request as the client of tasks does. */
async function send(
  url: URL,
  { method, params }: { readonly method: string; readonly params: Record<string, unknown> },
  headers: Readonly<Record<string, string>> = {},
  signal?: AbortSignal,
): Promise<Answer> {
  const name = params["name"] ?? params["taskId"];
  const response = await fetch(url, {
    method: "POST",
    // The package of tasks gives the same names in other letters.
    headers: new Headers({
      ...Object.fromEntries(Object.entries(headers).filter(([header]) => header.toLowerCase() !== "mcp-name")),
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": protocolVersion,
      "mcp-method": method,
      "mcp-name": String(name),
    }),
    body: JSON.stringify({ jsonrpc: "2.0", id: (lastId += 1), method, params }),
    ...(signal && { signal }),
  });
  const text = await response.text();
  const data = /^data: (\{.*\})$/m.exec(text)?.[1] ?? text;
  return JSON.parse(data) as Answer;
}

/** Asks for something as a client with these capabilities, which knows tasks unless told otherwise. */
export async function ask(
  url: URL,
  method: string,
  params: Record<string, unknown>,
  {
    headers = {},
    capabilities = { ...showsForms, extensions: { "io.modelcontextprotocol/tasks": {} } },
  }: {
    readonly headers?: Readonly<Record<string, string>>;
    readonly capabilities?: object;
  } = {},
): Promise<Answer> {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": protocolVersion,
    "io.modelcontextprotocol/clientInfo": clientInfo,
    "io.modelcontextprotocol/clientCapabilities": capabilities,
  };
  return send(url, { method, params: { ...params, _meta } }, headers);
}

/** The official client of tasks, connected. Each address is another endpoint, so the caller may name an endpoint that stays. */
export async function connectTasks(
  url: URL,
  {
    headers = {},
    capabilities = showsForms,
    ...options
  }: WithTasksOptions & {
    readonly headers?: Readonly<Record<string, string>>;
    readonly capabilities?: Readonly<Record<string, never>> | typeof showsForms;
  } = {},
): Promise<TaskEnabledSession & { end(): Promise<void> }> {
  const client = new Client(clientInfo, { capabilities, versionNegotiation: { mode: "auto" } });
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  const rawDispatch: RawClientDispatch = async (request, { signal, context } = {}) => {
    const sent = request as unknown as Parameters<typeof send>[1];
    const { result, error } = await send(url, sent, { ...headers, ...context?.headers }, signal);
    return error === undefined ? { kind: "result", result: result as never } : { kind: "error", error: error as never };
  };
  const v2RequestFraming = { protocolVersion, clientInfo, clientCapabilities: capabilities };
  const session = createTaskSessionFromClient(client, {
    endpointId: "house",
    rawDispatch,
    v2RequestFraming,
    ...options,
  });
  return Object.assign(session, {
    async end() {
      await session.close();
      await client.close();
    },
  });
}
