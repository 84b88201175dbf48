// Lists the MCP servers that a run here would have, and the servers that nobody has trusted.

import { resolve } from "node:path";
import { explain } from "../../core/internal.js";
import type { Settings } from "../args/args.js";
import type { FolderFile } from "../args/trust.js";
import { sayer, type Surroundings } from "../person/surface.js";
import { readServers, serversIn } from "../mcp-config/stated-server.js";
import { ReadOnce } from "../display/read-once.js";
import { visible } from "../display/visible.js";
import { connected, failed, reportLines, untrusted, type ServerReport } from "./server-report.js";

/**
 * Prints the servers. Trusted servers are started to see their tools. Returns the exit code.
 * @throws LastcallError `configuration` if a file of servers is wrong.
 */
export async function listServers(
  { mcp, workdir, json }: Settings,
  around: Surroundings,
  untrustedFiles: readonly FolderFile[],
): Promise<number> {
  const { env, signal, stdout, files = new ReadOnce() } = around;
  const say = await sayer(around);
  const stated = await readServers(
    mcp.map((path) => resolve(path)),
    { files, say },
  );
  const trusted = await Promise.all(
    stated.map(async (server): Promise<ServerReport> => {
      try {
        const place = { env, signal, files, workdir: resolve(workdir), tell: () => undefined };
        const { report, server: open } = await connected(server, place);
        await open.close();
        return report;
      } catch (thrown) {
        return failed(server, thrown);
      }
    }),
  );
  if (signal.aborted) return 130;
  untrustedFiles.forEach((file) => {
    tellProblems(file, say);
  });
  const reports = [...trusted, ...untrustedFiles.flatMap(({ servers }) => servers.map(untrusted))];
  if (json) stdout.write(`${JSON.stringify(reports, null, 2)}\n`);
  else reports.flatMap(reportLines).forEach((line) => stdout.write(`${line}\n`));
  if (reports.length === 0 && untrustedFiles.length === 0)
    say(
      "There are no MCP servers here. Name them in .mcp.json, in the setting mcp of a config file, or with --mcp FILE.",
    );
  return 0;
}

/** Tells the servers that a file without trust states wrongly. They stand in no report. */
function tellProblems(file: FolderFile, say: (line: string) => void): void {
  if (file.option !== "--mcp") return;
  const tell = (line: string): void => {
    say(visible(line));
  };
  try {
    serversIn(file, tell);
  } catch (thrown) {
    tell(explain(thrown));
  }
}
