// The files of MCP servers: files of the workspace that their command lines name, for the trust in them and their protection.

import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { dirname, isAbsolute, relative, resolve, sep } from "node:path";
import { canonical } from "../../core/internal.js";
import { readServers, type StatedServer } from "../servers/stated-server.js";
import { readBounded } from "../words/bounded-file.js";
import { digestOfFiles, moduleFiles, type ModuleFile } from "./module-files.js";

/** Bytes of a program that its digest covers, if it is too large to be read as a module. */
const longest = 1024 * 1024;

/**
 * The files below the workspace that the command lines of the servers name, with the files that these import by relative paths. Packages
 * and files with variables in their paths are not among them.
 */
export async function serverFiles(servers: readonly StatedServer[], workdir: string): Promise<readonly ModuleFile[]> {
  const root = resolve(workdir);
  const named = servers.flatMap(({ command, args = [], cwd, source }) => {
    if (command === undefined) return [];
    const base = cwd === undefined ? root : resolve(dirname(source), cwd);
    const words = [...(/[\\/]/.test(command) ? [command] : []), ...args];
    return words.filter((word) => word !== "" && !word.includes("${")).map((word) => resolve(base, word));
  });
  const found = await Promise.all([...new Set(named)].map((path) => filesFrom(path, root)));
  return [...new Map(found.flat().map((file) => [file.path, file])).values()];
}

async function filesFrom(path: string, root: string): Promise<readonly ModuleFile[]> {
  const below = relative(root, path);
  if (below === "" || below === ".." || below.startsWith(`..${sep}`) || isAbsolute(below)) return [];
  const isFile = await stat(path).then(
    (there) => there.isFile(),
    () => false,
  );
  if (!isFile) return [];
  // A program of many megabytes, or of hundreds of files, is protected alone, and known by its beginning.
  return moduleFiles(path).catch(async () => [
    { path, text: (await readBounded(path, longest)).bytes.toString("latin1") },
  ]);
}

/**
 * The digest of the servers that a file states, and of the files that these name.
 * @throws LastcallError `configuration` if the file is not there or states no servers.
 */
export async function digestOfServers(path: string, workdir: string): Promise<string> {
  const servers = await readServers([path]);
  const files = await serverFiles(servers, workdir);
  return createHash("sha256").update(canonical(servers)).update(digestOfFiles(files)).digest("hex");
}
