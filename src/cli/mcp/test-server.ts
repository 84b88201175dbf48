// Tries one MCP server: connects to it, tells its tools, and calls a tool if the command line names it.

import { resolve } from "node:path";
import { LastcallError, type JournalResult, type Tool } from "../../core/index.js";
import type { Settings } from "../args/args.js";
import type { GivenCall, McpOrder } from "../args/mcp-order.js";
import type { McpTools } from "../../mcp/index.js";
import { sayer, type Surroundings } from "../person/surface.js";
import { faultOf } from "../mcp-config/open-servers.js";
import { readServers, type StatedServer } from "../mcp-config/stated-server.js";
import { ReadOnce } from "../display/read-once.js";
import { visible, visibleWords } from "../display/visible.js";
import { connected, reportLines } from "./server-report.js";

/**
 * Tries the server. Returns the exit code: 1 if the call fails.
 * @throws LastcallError `configuration` if there is no such server or tool, and the fault of a server that can't be used.
 */
export async function testServer(
  { mcp, workdir, json }: Settings,
  around: Surroundings,
  { name, call }: Extract<McpOrder, { readonly do: "mcp-test" }>,
): Promise<number> {
  const { env, signal, stdout, files = new ReadOnce() } = around;
  const say = await sayer(around);
  const stated = find(
    name,
    await readServers(
      mcp.map((path) => resolve(path)),
      { files, say },
    ),
  );
  const tell = (line: string): void => {
    say(visible(line));
  };
  const place = { env, signal, files, workdir: resolve(workdir), tell };
  const { report, server } = await connected(stated, place).catch((thrown: unknown) => {
    if (signal.aborted) return { report: undefined, server: undefined };
    throw faultOf(name, thrown);
  });
  if (server === undefined) return 130;
  try {
    const result = call && (await resultOf(server, call, signal));
    const print = (text: string): boolean => stdout.write(`${text}\n`);
    if (json) print(JSON.stringify(result === undefined ? report : { ...report, result }, null, 2));
    else if (result === undefined) reportLines(report).forEach(print);
    else print(stdout.isTTY ? visibleWords(result.text, { multiline: true }) : result.text);
    return signal.aborted ? 130 : result?.failed === true ? 1 : 0;
  } finally {
    await server.close();
  }
}

function find(name: string, servers: readonly StatedServer[]): StatedServer {
  const found = servers.find((one) => one.name === name);
  if (found !== undefined) return found;
  const names = servers.map((one) => one.name).join(", ");
  const there = names === "" ? "There are none that may be used; lastcall mcp list says why" : `There are: ${names}`;
  throw new LastcallError("configuration", `There is no MCP server ${JSON.stringify(name)}. ${there}.`);
}

/** The result of a call, as it is printed. */
interface CallResult {
  readonly tool: string;
  readonly text: string;
  readonly failed: boolean;
}

/** Calls the tool as an agent would: its arguments are checked, and its result is made safe and bounded. Nobody answers its questions. */
async function resultOf(server: McpTools, { tool, input }: GivenCall, signal: AbortSignal): Promise<CallResult> {
  const names = server.tools.map((one) => one.name);
  const name = names.find((one) => one === tool) ?? names.find((one) => one === `${server.name}__${tool}`);
  if (name === undefined)
    throw new LastcallError(
      "configuration",
      `The MCP server ${JSON.stringify(server.name)} has no tool ${JSON.stringify(tool)} that can be used. It has: ${names.join(", ")}.`,
    );
  const [{ createAgent }, { allowAll }, { call, scriptedModel }, { taskCompletion }] = await Promise.all([
    import("../../index.js"),
    import("../../permission/index.js"),
    import("../../testing/index.js"),
    import("../../tools/index.js"),
  ]);
  let result: JournalResult | undefined;
  const agent = createAgent({
    model: scriptedModel([[call(name, input)], [call("task_completion", { result: "" })]]),
    permission: allowAll(),
    tools: [...server.tools, taskCompletion()] as readonly Tool[],
    interactive: false,
  });
  await agent.run("Call it.", {
    signal,
    onEvent(event) {
      if (event.type === "call-end" && event.result.name === name) result ??= event.result;
    },
  });
  return { tool: name, text: result?.text ?? "", failed: result?.failure !== undefined };
}
