// Stated servers: the MCP servers that a file names, in the form that other agents read too. A wrong entry is left out alone.

import { LastcallError } from "../../core/index.js";
import { explain, isPlainObject } from "../../core/internal.js";
import { nearest } from "../display/misspelling.js";
import { ReadOnce } from "../display/read-once.js";
import { parseSettings, type SettingsFile } from "../display/settings-text.js";

/** A server as a file states it. Its texts may have variables, which are not expanded yet. */
export interface StatedServer {
  readonly name: string;
  /** The absolute path of the file. */
  readonly source: string;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly only?: readonly string[];
  readonly trust?: boolean;
  /** Milliseconds. */
  readonly timeout?: number;
}

/**
 * The servers in a file of the form of `.mcp.json`, or in the setting `mcp` of a config file. A server with a mistake is left out, and
 * so is a server that is switched off. `say` is told both, and the fields that are not known here.
 * @throws LastcallError `configuration` that names the file, if it holds no servers by their names.
 */
export function serversIn(file: SettingsFile, say: (line: string) => void = () => undefined): readonly StatedServer[] {
  const { path } = file;
  const whole = parseSettings(file);
  const isConfig = isPlainObject(whole["mcp"]);
  const holder = isPlainObject(whole["mcp"]) ? whole["mcp"] : whole;
  const strangers = Object.keys(holder).filter((name) => name !== "mcpServers" && name !== "$schema");
  const servers = holder["mcpServers"];
  if (!isPlainObject(servers)) {
    const [stranger] = strangers;
    throw wrong(
      stranger === undefined
        ? `${path} must hold servers by their names: {"mcpServers": {"demo": {"command": "npx", "args": ["x"]}}}`
        : `${path}: ${JSON.stringify(stranger)}${isConfig ? " of mcp" : ""} is no field; there is mcpServers`,
    );
  }
  for (const name of strangers) say(`${path}: ${JSON.stringify(name)} is not known here, and changes nothing.`);
  return Object.entries(servers).flatMap(([name, given]) => {
    try {
      return readServer(name, given, { source: path, say }) ?? [];
    } catch (thrown) {
      say(`${explain(thrown)} It is left out.`);
      return [];
    }
  });
}

/** The names of the servers in a file, the servers that are left out among them. */
export function serverNamesIn(file: SettingsFile): readonly string[] {
  const whole = parseSettings(file);
  const { mcpServers } = isPlainObject(whole["mcp"]) ? whole["mcp"] : whole;
  return isPlainObject(mcpServers) ? Object.keys(mcpServers) : [];
}

/**
 * The servers of several files. If two files have a server of one name, the first file's server counts.
 * `say` is told which servers are left out.
 * @throws LastcallError `configuration` as `serversIn` does, and if a file is not there.
 */
export async function readServers(
  paths: readonly string[],
  {
    files = new ReadOnce(),
    say = () => undefined,
  }: { readonly files?: ReadOnce; readonly say?: (line: string) => void } = {},
): Promise<readonly StatedServer[]> {
  const byName = new Map<string, StatedServer>();
  for (const path of new Set(paths)) {
    const file = await files.settings(path);
    if (file === undefined) throw wrong(`${path}: there is no such file of MCP servers`);
    for (const server of serversIn(file, say)) {
      const known = byName.get(server.name);
      if (known === undefined) byName.set(server.name, server);
      else
        say(
          `The MCP server ${JSON.stringify(server.name)} of ${path} is left out: ${known.source} has one of that name.`,
        );
    }
  }
  return [...byName.values()];
}

type Kind = "text" | "texts" | "texts by name" | "switch" | "milliseconds";

/** The fields of a server that mean something here, with the kinds of their values. */
export const serverFields: Readonly<Record<string, Kind>> = {
  type: "text",
  command: "text",
  args: "texts",
  env: "texts by name",
  cwd: "text",
  url: "text",
  headers: "texts by name",
  only: "texts",
  trust: "switch",
  timeout: "milliseconds",
};

const isText = (value: unknown): boolean => typeof value === "string";

/** The kinds of values, each with its test and its words. */
const kinds: Readonly<Record<Kind, { readonly fits: (value: unknown) => boolean; readonly words: string }>> = {
  text: { fits: (value) => typeof value === "string" && value !== "", words: "a text" },
  texts: { fits: (value) => Array.isArray(value) && value.every(isText), words: "a list of texts" },
  "texts by name": {
    fits: (value) => isPlainObject(value) && Object.values(value).every(isText),
    words: 'texts by their names, such as {"NAME": "value"}',
  },
  switch: { fits: (value) => typeof value === "boolean", words: "true or false" },
  milliseconds: {
    fits: (value) => Number.isSafeInteger(value) && Number(value) > 0 && Number(value) < 2 ** 31,
    words: "milliseconds, a whole number of at least 1",
  },
};

/** The file of a server, and who is told about the fields that change nothing. */
interface Statement {
  readonly source: string;
  readonly say: (line: string) => void;
}

/** The server; undefined if it is switched off. */
function readServer(name: string, given: unknown, { source, say }: Statement): StatedServer | undefined {
  const at = `${source}: the server ${JSON.stringify(name)}`;
  if (!isPlainObject(given)) throw wrong(`${at} must be an object with command or url`);
  // The switches of other agents, one for each way to say it.
  if (given["disabled"] === true || given["enabled"] === false) {
    say(`${at} is switched off.`);
    return undefined;
  }
  const known = Object.entries(given).filter(([field]) => isKnown(at, field, say));
  for (const [field, value] of known) {
    const { fits, words } = kinds[serverFields[field] ?? "text"];
    if (!fits(value)) throw wrong(`${at}: ${field} must be ${words}, and is ${JSON.stringify(value)}`);
  }
  const stated = Object.fromEntries(known);
  expectOneWay(at, stated);
  const { type: _type, ...rest } = stated;
  return { ...rest, name, source };
}

/**
 * True for a field that means something here. A field of another agent changes nothing, and is told.
 * @throws LastcallError `configuration` for a field that is most likely a misspelling: without it something else would run.
 */
function isKnown(at: string, field: string, say: (line: string) => void): boolean {
  if (Object.hasOwn(serverFields, field)) return true;
  if (field === "disabled" || field === "enabled") return false;
  const meant = nearest(field, Object.keys(serverFields));
  if (meant !== undefined)
    throw wrong(`${at} has the field ${JSON.stringify(field)}, which is not known; did you mean ${meant}?`);
  say(`${at} has the field ${JSON.stringify(field)}, which is not known here, and changes nothing.`);
  return false;
}

/** The values of `type`, each with the field that has to be there. */
export const serverTypes: Readonly<Record<string, "command" | "url">> = {
  stdio: "command",
  http: "url",
  "streamable-http": "url",
  streamableHttp: "url",
  // The address is tried in all ways, with the stream of events last.
  sse: "url",
};

/** @throws LastcallError `configuration` unless there is one of command and url, and the type and the other fields go with it. */
function expectOneWay(at: string, given: Readonly<Record<string, unknown>>): void {
  const { type, command, url } = given;
  if ((command === undefined) === (url === undefined))
    throw wrong(
      `${at} needs ${command === undefined ? "a command or a url" : "either a command or a url, and has both"}`,
    );
  const way = command === undefined ? "url" : "command";
  const wanted = type === undefined ? way : serverTypes[type as string];
  if (wanted === undefined) throw wrong(`${at} has the type ${JSON.stringify(type)}; there are stdio, http and sse`);
  if (wanted !== way) throw wrong(`${at} has the type ${type as string}, which needs a ${wanted}`);
  const others = way === "command" ? ["headers"] : ["args", "env", "cwd"];
  const foreign = others.find((field) => given[field] !== undefined);
  if (foreign !== undefined) throw wrong(`${at} has ${foreign}, which does not go with ${way}`);
}

function wrong(message: string): LastcallError {
  return new LastcallError("configuration", /[.?}]$/.test(message) ? message : `${message}.`);
}
