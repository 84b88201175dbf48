// A report about one MCP server: its file, whether it can be reached, and its tools. For people and as data.

import type { McpTools } from "../../mcp/index.js";
import { startable } from "../code/server-files.js";
import { problemOf, takesSignIn } from "../mcp-config/open-servers.js";
import { wayOf } from "../mcp-config/server-lines.js";
import type { StatedServer } from "../mcp-config/stated-server.js";
import { commandSignIns } from "../person/sign-in.js";
import type { Surroundings } from "../person/surface.js";
import { count, seconds } from "../display/quantities.js";
import type { ReadOnce } from "../display/read-once.js";
import { visible } from "../display/visible.js";

/** The report, as `--json` prints it. */
export interface ServerReport {
  readonly name: string;
  /** The absolute path of the file that states it. */
  readonly source: string;
  /** The command line or the address, with variables that are not expanded. */
  readonly way: string;
  readonly trusted: boolean;
  readonly status: "connected" | "failed" | "not trusted";
  /** The reason of a failure. */
  readonly reason?: string;
  /** The server's name and version, in its own words. */
  readonly title?: string;
  readonly protocol?: string;
  /** Milliseconds until the server was ready. */
  readonly time?: number;
  readonly tools?: readonly ReportedTool[];
  /** The tools that can't be used, by the server's names for them, and the reasons. */
  readonly leftOut?: Readonly<Record<string, string>>;
}

/** A tool of a report. */
interface ReportedTool {
  readonly name: string;
  readonly effect: string;
  readonly description: string;
}

/** The report about a server that nobody has trusted. It was not started. */
export function untrusted(stated: StatedServer): ServerReport {
  return { ...about(stated), trusted: false, status: "not trusted" };
}

/** The report about a server that could not be reached. */
export function failed(stated: StatedServer, thrown: unknown): ServerReport {
  return { ...about(stated), trusted: true, status: "failed", reason: problemOf(stated.name, thrown) };
}

function about(stated: StatedServer): Pick<ServerReport, "name" | "source" | "way"> {
  return { name: stated.name, source: stated.source, way: wayOf(stated) };
}

/** The place that servers are started from. */
export interface ReportPlace extends Pick<Surroundings, "env" | "signal"> {
  readonly workdir: string;
  /** The files that were read. A server is not started if its files have changed since. */
  readonly files: ReadOnce;
  /** Told what a server does besides. */
  readonly tell: (line: string) => void;
}

/**
 * Connects to the server, and reports it. The caller closes it. A server that lists its tools for people alone who signed in has the tool
 * that signs in, and the tools that it had for the last person who did.
 * @throws LastcallError as `mcpTools` does, and for a variable that is missing.
 */
export async function connected(
  stated: StatedServer,
  { signal, tell, ...place }: ReportPlace,
): Promise<{ readonly report: ServerReport; readonly server: McpTools }> {
  const { mcpTools } = await import("../../mcp/index.js");
  const start = performance.now();
  const { server: started } = await startable(stated, place);
  const signIn = takesSignIn(started) ? await commandSignIns(place.env) : undefined;
  const server = await mcpTools({ ...started, signal, tell, ...(signIn && { signIn }) });
  const { title, protocol, tools, leftOut } = server;
  const report: ServerReport = {
    ...about(stated),
    trusted: true,
    status: "connected",
    title,
    protocol,
    time: Math.round(performance.now() - start),
    tools: tools.map(({ name, effect = "execute", description }) => ({ name, effect, description })),
    leftOut: Object.fromEntries(leftOut),
  };
  return { report, server };
}

/** The report in lines for people. */
export function reportLines(report: ServerReport): readonly string[] {
  const { name, source, way, status, reason = "", title = "", tools = [], leftOut = {} } = report;
  const head = [`${visible(name)}  ${visible(source)}`, `  ${way}`];
  if (status === "not trusted") return [...head, "  not trusted, so it was not started"];
  if (status === "failed") return [...head, `  ${reason}`];
  if (title === "" && tools.some((tool) => tool.name === `${name}__sign_in`))
    return [...head, "  wants a sign-in before it shows its tools: a run that calls it asks you"];
  const width = Math.max(0, ...tools.map((tool) => tool.name.length));
  return [
    ...head,
    `  connected in ${seconds(report.time ?? 0)}: ${visible(title)}, protocol ${visible(report.protocol ?? "")}, ${count(tools.length, "tool")}`,
    ...tools.map((tool) => `    ${tool.name.padEnd(width)}  ${tool.effect}`),
    ...Object.entries(leftOut).map(([tool, why]) => `    left out: ${visible(tool)} (${visible(why)})`),
  ];
}
