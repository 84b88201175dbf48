// A folder with MCP servers for the command: the plain server of the tests, and the official server that has everything.

import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { plainCommand, listed } from "../../mcp/plain-server.js";
import { moduleFolder, type ModuleFolder } from "../modules/module-folder.js";

const everything = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-everything/dist/index.js");

/** The official server, as a file states it. */
export const everythingServer = { command: process.execPath, args: [everything, "stdio"] };

export interface ServerFolder extends ModuleFolder {
  /** Writes a list of servers. Returns its path. */
  servers(servers: Readonly<Record<string, object>>, name?: string): Promise<string>;
  /** The plain server with tools of these names, as a file states it. Its starts, calls and pids stand in the log. */
  plain(names: readonly string[], behaviour?: object): object;
  /** The lines of the log of the plain servers. */
  log(): readonly string[];
}

export async function serverFolder(): Promise<ServerFolder> {
  const folder = await moduleFolder();
  const log = join(folder.path, "servers.log");
  await writeFile(log, "");
  return {
    ...folder,
    servers: (servers, name = "servers.json") => folder.put(name, JSON.stringify({ mcpServers: servers })),
    plain: (names, behaviour = {}) => plainCommand({ tools: names.map((name) => listed(name)), log, ...behaviour }),
    log: () => readFileSync(log, "utf8").trim().split("\n"),
  };
}
