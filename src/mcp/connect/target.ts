// Target: where a server is. A command to run, an address, or a transport of the caller's own.

import { LastcallError } from "../../core/index.js";
import { isPlainObject } from "../../core/internal.js";
import type { McpTransport } from "./package.js";

/** The place of a server. Exactly one of `command`, `url` and `transport` is given. */
export interface McpTarget {
  /** The program of a local server. It is started without a shell. */
  readonly command?: string | undefined;
  /** The arguments of the command. Default: none. */
  readonly args?: readonly string[] | undefined;
  /**
   * The variables that the command gets besides PATH, HOME, LANG, LC_*, LOGNAME, SHELL, TERM, TMPDIR, TZ and USER. No other variable of
   * this process reaches it. Default: none.
   */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** The folder that the command starts in. Default: the folder of this process. */
  readonly cwd?: string | undefined;
  /** The address of a server that speaks streamable HTTP. */
  readonly url?: string | undefined;
  /** The headers of every request to the address, such as `authorization`. Over plain http only to this machine. Default: none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Makes a transport of the caller's own, one for each start of the server. */
  readonly transport?: (() => McpTransport | Promise<McpTransport>) | undefined;
}

/** A checked target. */
export type Target =
  | {
      readonly kind: "command";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly cwd: string | undefined;
    }
  | {
      readonly kind: "url";
      readonly url: URL;
      readonly headers: Readonly<Record<string, string>>;
      /** The fetch function, which may bring a token with each request. Default: the fetch function of the platform. */
      readonly fetch?: typeof fetch;
    }
  | { readonly kind: "transport"; readonly make: () => McpTransport | Promise<McpTransport> };

/**
 * Reads where a server is.
 * @throws LastcallError `configuration` that names what is wrong.
 */
export function readTarget(server: string, options: McpTarget): Target {
  const { command, args = [], env = {}, cwd, url, headers = {}, transport } = options;
  const ways = Object.entries({ command, url, transport }).filter(([, value]) => value !== undefined);
  const [way] = ways.map(([name]) => name);
  if (ways.length !== 1) {
    const given = ways.length === 0 ? "none" : ways.map(([name]) => name).join(" and ");
    throw wrong(server, `needs exactly one of command, url and transport, and has ${given}`);
  }
  const foreign = misplaced(options, way ?? "");
  if (foreign !== undefined) throw wrong(server, `has ${foreign}, which does not go with ${String(way)}`);
  if (transport !== undefined) return { kind: "transport", make: transport };
  if (url !== undefined)
    return { kind: "url", url: readAddress(server, url, headers), headers: texts(server, "headers", headers) };
  if (typeof command !== "string" || command === "") throw wrong(server, "has a command that is no text");
  if (!Array.isArray(args) || args.some((one: unknown) => typeof one !== "string"))
    throw wrong(server, 'has args that are no list of texts, such as ["-y", "some-server"]');
  return { kind: "command", command, args, env: texts(server, "env", env), cwd };
}

/** The first option that belongs to another way. */
function misplaced({ args, env, cwd, headers }: McpTarget, way: string): string | undefined {
  const others = way === "command" ? { headers } : way === "url" ? { args, env, cwd } : { args, env, cwd, headers };
  return Object.entries(others).find(([, value]) => value !== undefined)?.[0];
}

function readAddress(server: string, text: unknown, headers: object): URL {
  let url: URL;
  try {
    url = new URL(String(text));
  } catch (thrown) {
    throw wrong(server, `has the url ${JSON.stringify(text)}, which is no address`, thrown);
  }
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw wrong(server, `has a url with ${url.protocol} (give http: or https:)`);
  if (url.username !== "" || url.password !== "")
    throw wrong(server, "has a name or a password in its url (give the header authorization instead)");
  const isHere = ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
  if (url.protocol === "http:" && !isHere && Object.keys(headers).length > 0)
    throw wrong(server, "has headers for an address without encryption, where others could read them (give https:)");
  return url;
}

function texts(server: string, name: string, given: unknown): Readonly<Record<string, string>> {
  if (isPlainObject(given) && Object.values(given).every((value) => typeof value === "string"))
    return given as Readonly<Record<string, string>>;
  throw wrong(server, `has ${name} that are no texts by their names`);
}

function wrong(server: string, problem: string, cause?: unknown): LastcallError {
  return new LastcallError(
    "configuration",
    `The MCP server "${server}" ${problem}.`,
    cause === undefined ? {} : { cause },
  );
}
