// Lists the agents that a task here could call, and the agents that nobody has trusted.

import { resolve } from "node:path";
import { readAgents } from "../agent-files/agent-files.js";
import type { Settings } from "../args/args.js";
import type { FolderFile } from "../args/trust.js";
import { sayer, type Surroundings } from "../person/surface.js";
import { visible } from "../display/visible.js";
import { agentLines } from "./agent-lines.js";
import { reportOf, statedAgents } from "./called-agents.js";

/**
 * Prints the agents. Returns the exit code.
 * @throws LastcallError `configuration` if a file of an agent is wrong.
 */
export async function listAgents(
  settings: Settings,
  around: Surroundings,
  untrusted: readonly FolderFile[],
): Promise<number> {
  const { stdout } = around;
  const agents = await readAgents(
    settings.agents.map((path) => resolve(path)),
    around.files,
  );
  const wantsExplore = settings.agent === undefined;
  const reports = statedAgents({ settings, agents, wantsExplore }).map(reportOf);
  const others = untrusted.filter(({ option }) => option === "--agents").map(({ path }) => path);
  if (settings.json) {
    const all = [
      ...reports.map((report) => ({ ...report, trusted: true })),
      ...others.map((source) => ({ source, trusted: false })),
    ];
    stdout.write(`${JSON.stringify(all, null, 2)}\n`);
  } else {
    const lines = [
      ...reports.flatMap(agentLines),
      ...others.flatMap((path) => [visible(path), "  not trusted, so it is not used"]),
    ];
    lines.forEach((line) => stdout.write(`${line}\n`));
  }
  if (reports.length + others.length > 0) return 0;
  const say = await sayer(around);
  say("There are no agents to call here. Write one in .lastcall/agents/NAME.md: lastcall help agents says how.");
  return 0;
}
