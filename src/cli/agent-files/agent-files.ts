// The files of agents: the files of a folder, and the agents in given files.

import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { LastcallError } from "../../core/index.js";
import { explain } from "../../core/internal.js";
import { ReadOnce } from "../display/read-once.js";
import type { SettingsFile } from "../display/settings-text.js";
import { visible } from "../display/visible.js";
import { agentIn, type StatedAgent } from "./stated-agent.js";

/** Agents that one folder may have. Each is a tool that the model reads with every request. */
const most = 50;

/** The folder of a workspace that its agents are in. */
export function agentFolder(workdir: string): string {
  return join(resolve(workdir), ".lastcall", "agents");
}

/**
 * The Markdown files of a folder, by their names. None if there is no such folder.
 * @throws LastcallError `configuration` if one can't be read, or there are more than 50.
 */
export async function agentFilesIn(folder: string, read: ReadOnce = new ReadOnce()): Promise<readonly SettingsFile[]> {
  const names = (await namesIn(folder)).filter((name) => /\.md$/i.test(name)).sort();
  if (names.length > most)
    throw new LastcallError(
      "configuration",
      `${visible(folder)} has ${String(names.length)} agents, and a model can use ${String(most)} at the most. Move some of them away, or leave all out: --no-agents.`,
    );
  const files = await Promise.all(names.map((name) => loadAgent(join(folder, name), read)));
  return files.filter((file) => file !== undefined);
}

/**
 * Reads the agents in these files.
 * @throws LastcallError `configuration` that names the file and what is wrong in it, or both files with one name.
 */
export async function readAgents(
  paths: readonly string[],
  read: ReadOnce = new ReadOnce(),
): Promise<readonly StatedAgent[]> {
  const agents = await Promise.all([...new Set(paths)].map((path) => readAgent(path, read)));
  for (const [index, { name, source }] of agents.entries()) {
    const other = agents.slice(0, index).find((one) => one.name === name);
    if (other !== undefined)
      throw new LastcallError(
        "configuration",
        `${visible(other.source)} and ${visible(source)} both have an agent named "${name}". Rename one of them, or leave it out.`,
      );
  }
  return agents;
}

async function readAgent(path: string, read: ReadOnce): Promise<StatedAgent> {
  const file = await loadAgent(path, read);
  if (file !== undefined) return agentIn(file);
  throw new LastcallError("configuration", `--agents ${visible(path)}: there is no such file.`);
}

/** The file of an agent; undefined if it is gone. */
async function loadAgent(path: string, read: ReadOnce): Promise<SettingsFile | undefined> {
  try {
    return await read.settings(path);
  } catch (thrown) {
    const message = `${visible(explain(thrown))}. Move it away, or leave all agents in files out: --no-agents.`;
    throw new LastcallError("configuration", message, { cause: thrown });
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === "ENOENT") return [];
    const message = `${visible(folder)} can't be read: ${explain(thrown)}. Move it away, or leave all agents in files out: --no-agents.`;
    throw new LastcallError("configuration", message, { cause: thrown });
  }
}
