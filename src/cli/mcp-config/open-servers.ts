// Opens the MCP servers of a run, all at once. A server that can't be used is told in a line, and the run goes on without its
// tools.

import { LastcallError, type ToolSource } from "../../core/index.js";
import { asFault } from "../../core/internal.js";
import type { McpTools, SignIns } from "../../mcp/index.js";
import { visible } from "../display/visible.js";
import { count } from "../display/quantities.js";
import { serverSecrets, type ExpandedServer } from "./expand-server.js";

/** The open servers of a run. */
export interface OpenServers {
  readonly open: readonly McpTools[];
  /** Their tools for an agent. Changes by tools of servers on this machine are recorded, if the run records changes. */
  readonly sources: readonly ToolSource[];
  /** The names of the stated servers that have no tools here: they can't be used, are left out or switched off, or the run is dry. */
  readonly missing: readonly string[];
  /** Texts of the settings of servers to redact everywhere. */
  readonly secrets: readonly string[];
  /** The sign-ins at these servers. */
  readonly signIn: SignIns | undefined;
  /** Sends the lines about servers here from now on. */
  tellTo(say: (line: string) => void): void;
  /** Ends all servers. */
  close(): Promise<void>;
}

/** The names of all servers, the receivers of lines, and the signal that stops the start. */
export interface OpeningPlace {
  /** The names of all servers that are stated, also of servers that are not opened. */
  readonly names: readonly string[];
  /** Prints a line about a problem. */
  readonly say: (line: string) => void;
  /** Prints a line that says how it goes. */
  readonly note: (line: string) => void;
  readonly signal: AbortSignal;
  /** Records what the tools of a server on this machine change. Default: nothing is recorded. */
  readonly record?: ((source: McpTools) => ToolSource) | undefined;
  /** Makes the sign-ins at servers that want it. Default: nobody signs in. */
  readonly signIns?: () => Promise<SignIns>;
}

/** Opens the servers. It never throws: a server that can't be used is missing. */
export async function openServers(
  servers: readonly ExpandedServer[],
  { names, say, note, signal, record, signIns }: OpeningPlace,
): Promise<OpenServers> {
  let tell = say;
  const [{ mcpTools }] = servers.length === 0 ? [{ mcpTools: undefined }] : [await import("../../mcp/index.js")];
  const signIn = servers.some(takesSignIn) ? await signIns?.() : undefined;
  const opened = await Promise.all(
    servers.map(async (server) => {
      try {
        const told = (line: string): void => {
          tell(visible(line));
        };
        const ways = signIn === undefined || !takesSignIn(server) ? {} : { signIn };
        return await mcpTools?.({ ...server, ...ways, signal, tell: told });
      } catch (thrown) {
        if (!signal.aborted) say(`${problemOf(server.name, thrown)} Its tools are missing.`);
        return undefined;
      }
    }),
  );
  const open = opened.filter((one) => one !== undefined);
  if (open.length > 0)
    note(`MCP servers: ${open.map(({ name, tools }) => `${name} (${count(tools.length, "tool")})`).join(", ")}`);
  const isLocal = ({ name }: McpTools): boolean =>
    servers.some((server) => server.name === name && server.command !== undefined);
  return {
    open,
    sources: open.map((one) => (record !== undefined && isLocal(one) ? record(one) : one)),
    missing: names.filter((name) => !open.some((one) => one.name === name)),
    secrets: servers.flatMap(serverSecrets),
    signIn,
    tellTo(other) {
      tell = other;
    },
    async close() {
      await Promise.all(open.map((one) => one.close()));
    },
  };
}

/** True for an address to which no key is sent, and to which a token may be. */
export function takesSignIn({ url, headers = {} }: Pick<ExpandedServer, "url" | "headers">): boolean {
  if (url === undefined || Object.keys(headers).some((name) => name.toLowerCase() === "authorization")) return false;
  return /^(?:https:|http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?:[:/]|$))/i.test(url);
}

/** The reason why a server can't be used, in one line that names it. */
export function problemOf(name: string, thrown: unknown): string {
  const { message } = asFault(thrown);
  const words = message.includes(`"${name}"`)
    ? message
    : `The MCP server ${JSON.stringify(name)} can't be used: ${message}`;
  const line = visible(words.replaceAll(/\s*\n\s*/g, " ").trim());
  return /[.!?]$/.test(line) ? line : `${line}.`;
}

/** The fault of the command about a server, with the code of the fault that was thrown. */
export function faultOf(name: string, thrown: unknown): LastcallError {
  return new LastcallError(asFault(thrown).code, problemOf(name, thrown), { cause: thrown });
}
