// The names of agents in files that a run may leave out, so that a rule about such an agent is told from a mistake.

import { basename } from "node:path";
import { ReadOnce } from "../display/read-once.js";
import { agentFilesIn } from "./agent-files.js";
import { agentIn } from "./stated-agent.js";

/** The names of the agents in these folders and files. A file that can't be used gives its own name; a folder, none. Nothing is thrown. */
export async function agentNames(
  { folders, paths }: { readonly folders: readonly string[]; readonly paths: readonly string[] },
  read: ReadOnce = new ReadOnce(),
): Promise<readonly string[]> {
  const found = await Promise.all(folders.map((folder) => agentFilesIn(folder, read).catch(() => [])));
  const named = await Promise.all(
    paths.map(async (path) => (await read.settings(path).catch(() => undefined)) ?? { path, text: "" }),
  );
  return [...found.flat(), ...named].map((file) => {
    try {
      return agentIn(file).name;
    } catch {
      return basename(file.path).replace(/\.md$/i, "");
    }
  });
}
