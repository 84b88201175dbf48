// The files of MCP servers and of command lines: the files of the workspace that they run, for the trust in them and their
// protection.

import { createHash } from "node:crypto";
import { dirname, resolve } from "node:path";
import { canonical } from "../../core/internal.js";
import { expandServer, variableIn, type ExpandedServer, type Variables } from "../mcp-config/expand-server.js";
import { readServers, type StatedServer } from "../mcp-config/stated-server.js";
import { expectUnchanged, type ReadOnce } from "../display/read-once.js";
import { digestOfFiles } from "./module-files.js";
import { ProgramWalk, type ProgramFiles } from "./program-files.js";

/** The workspace, the environment, and the files that were read before. */
export interface CodePlace {
  readonly workdir: string;
  readonly env: Variables;
  readonly files: ReadOnce;
}

/** The files in the workspace that the command lines of the servers run, as far as that can be told. */
export async function serverFiles(
  servers: readonly StatedServer[],
  { workdir, env, files }: CodePlace,
): Promise<ProgramFiles> {
  const walk = new ProgramWalk(workdir, files);
  const untold: string[] = [];
  const expand = (text: string, isValue = false): string =>
    text.replaceAll(/\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g, (whole, name: string, fallback?: string) => {
      const stated = variableIn(env, name);
      const value = stated === undefined || stated === "" ? fallback : stated;
      if (value === undefined && !isValue) untold.push(`what ${whole} stands for`);
      return value ?? "";
    });
  for (const { command, args = [], env: given = {}, cwd, source } of servers) {
    if (command === undefined) continue;
    const folder = cwd === undefined ? resolve(workdir) : resolve(dirname(source), expand(cwd));
    const variables = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, expand(value, true)]));
    await walk.line({ words: [command, ...args].map((word) => expand(word)), folder, variables });
  }
  return { ...walk.found, untold: [...new Set([...walk.found.untold, ...untold])] };
}

/** A server that can be started, and the files that it runs. */
export interface StartableServer {
  /** It is not started if one of the files is no longer as it was read. */
  readonly server: ExpandedServer;
  readonly program: ProgramFiles;
}

/**
 * Makes a stated server ready to be started.
 * @throws LastcallError `configuration` as `expandServer` does.
 */
export async function startable(stated: StatedServer, place: CodePlace): Promise<StartableServer> {
  const expanded = expandServer(stated, place.env, resolve(place.workdir));
  const program = await serverFiles([stated], place);
  return { server: { ...expanded, beforeStart: () => expectUnchanged(program.files) }, program };
}

/** The files in the workspace that a line for a shell names. Its folders do not take part: the line is told the files to work on. */
export async function lineFiles(
  line: string,
  { workdir, files }: Pick<CodePlace, "workdir" | "files">,
): Promise<ProgramFiles> {
  const walk = new ProgramWalk(workdir, files);
  await walk.line({ words: ["sh", "-c", line], folder: resolve(workdir), variables: {}, isForFiles: true });
  return walk.found;
}

/**
 * The digest of the servers that a file states, and of the files that these run.
 * @throws LastcallError `configuration` if the file is not there or states no servers.
 */
export async function digestOfServers(path: string, place: CodePlace): Promise<string> {
  const servers = await readServers([path], { files: place.files });
  const { files } = await serverFiles(servers, place);
  return createHash("sha256").update(canonical(servers)).update(digestOfFiles(files)).digest("hex");
}
