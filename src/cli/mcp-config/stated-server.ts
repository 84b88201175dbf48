// Stated servers: the MCP servers that a file names, in the form that other agents read too. Each field is checked.

import { LastcallError } from "../../core/index.js";
import { isPlainObject } from "../../core/internal.js";
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
 * The servers in a file of the form of `.mcp.json`, or in the setting `mcp` of a config file.
 * @throws LastcallError `configuration` that names the file, the server and the field.
 */
export function serversIn(file: SettingsFile): readonly StatedServer[] {
  const { path } = file;
  const whole = parseSettings(file);
  const isConfig = isPlainObject(whole["mcp"]);
  const holder = isPlainObject(whole["mcp"]) ? whole["mcp"] : whole;
  const stranger = Object.keys(holder).find((name) => name !== "mcpServers" && name !== "$schema");
  if (stranger !== undefined)
    throw wrong(`${path}: ${JSON.stringify(stranger)}${isConfig ? " of mcp" : ""} is no field; there is mcpServers`);
  const servers = holder["mcpServers"];
  if (!isPlainObject(servers))
    throw wrong(
      `${path} must hold servers by their names: {"mcpServers": {"demo": {"command": "npx", "args": ["x"]}}}`,
    );
  return Object.entries(servers).map(([name, given]) => readServer(name, given, path));
}

/**
 * The servers of several files. If two files have a server of one name, the first file's server counts.
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
    for (const server of serversIn(file)) {
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

const fields: Readonly<Record<string, Kind>> = {
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

function readServer(name: string, given: unknown, source: string): StatedServer {
  const at = `${source}: the server ${JSON.stringify(name)}`;
  if (!isPlainObject(given)) throw wrong(`${at} must be an object with command or url`);
  for (const [field, value] of Object.entries(given)) {
    const kind = Object.hasOwn(fields, field) ? fields[field] : undefined;
    if (kind === undefined)
      throw wrong(`${at} has the field ${JSON.stringify(field)}, which is not known${hint(field)}`);
    const { fits, words } = kinds[kind];
    if (!fits(value)) throw wrong(`${at}: ${field} must be ${words}, and is ${JSON.stringify(value)}`);
  }
  expectOneWay(at, given);
  const { type: _type, ...stated } = given;
  return { ...stated, name, source };
}

function hint(field: string): string {
  const names = Object.keys(fields);
  const meant = nearest(field, names);
  return meant === undefined ? `; there are ${names.join(", ")}` : `; did you mean ${meant}?`;
}

const types: Readonly<Record<string, "command" | "url">> = {
  stdio: "command",
  http: "url",
  "streamable-http": "url",
};

/** @throws LastcallError `configuration` unless there is one of command and url, and the type and the other fields go with it. */
function expectOneWay(at: string, given: Readonly<Record<string, unknown>>): void {
  const { type, command, url } = given;
  if ((command === undefined) === (url === undefined))
    throw wrong(
      `${at} needs ${command === undefined ? "a command or a url" : "either a command or a url, and has both"}`,
    );
  const way = command === undefined ? "url" : "command";
  if (type === "sse") throw wrong(`${at} has the type sse, which is not spoken here; give its address for http`);
  const wanted = type === undefined ? way : types[type as string];
  if (wanted === undefined) throw wrong(`${at} has the type ${JSON.stringify(type)}; there are stdio and http`);
  if (wanted !== way) throw wrong(`${at} has the type ${type as string}, which needs a ${wanted}`);
  const others = way === "command" ? ["headers"] : ["args", "env", "cwd"];
  const foreign = others.find((field) => given[field] !== undefined);
  if (foreign !== undefined) throw wrong(`${at} has ${foreign}, which does not go with ${way}`);
}

function wrong(message: string): LastcallError {
  return new LastcallError("configuration", /[.?}]$/.test(message) ? message : `${message}.`);
}
