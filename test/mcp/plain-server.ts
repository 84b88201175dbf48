// Starts the plain server of the tests, and runs single calls of its tools.

import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createAgent, type Event, type JournalResult, type Tool } from "../../src/index.js";
import { mcpTools, type McpOptions, type McpTools } from "../../src/mcp/index.js";
import { call, scriptedModel } from "../../src/testing/index.js";
import { taskCompletion } from "../../src/tools/index.js";

/** A tool as the plain server lists it: any arguments unless it says otherwise. */
export function listed(name: string, more: object = {}): object {
  return { name, description: `Does ${name}.`, inputSchema: { type: "object" }, ...more };
}

/** The plain server with these tools, and all that it told. */
export interface Plain extends McpTools {
  readonly told: readonly string[];
  /** The lines that the server wrote to its log. */
  log(): readonly string[];
}

/** The command of the plain server, with its behaviour. */
export function plainCommand(behaviour: object): Pick<McpOptions, "command" | "args"> {
  const script = resolve(import.meta.dirname, "plain-server.mjs");
  const file = join(mkdtempSync(join(tmpdir(), "lastcall-mcp-")), "behaviour.json");
  writeFileSync(file, JSON.stringify(behaviour));
  return { command: process.execPath, args: [script, file] };
}

/** Starts the plain server. Its tools are those with these names, and what `behaviour` says. */
export async function plainServer(
  names: readonly string[],
  behaviour: object = {},
  options: Partial<McpOptions> = {},
): Promise<Plain> {
  const told: string[] = [];
  const log = join(mkdtempSync(join(tmpdir(), "lastcall-mcp-")), "log");
  const tools = names.map((name) => listed(name));
  const server = await mcpTools({
    name: "plain",
    ...plainCommand({ tools, log, ...behaviour }),
    tell: (line) => told.push(line),
    ...options,
  });
  return Object.assign(server, {
    told,
    log: () => readFileSync(log, "utf8").trim().split("\n"),
  });
}

/** True if the process is there and runs. One that ended and that nobody reaped, as the first process of a container may not, does not run. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    const line = readFileSync(`/proc/${String(pid)}/stat`, "latin1");
    return !/^ [ZX] /.test(line.slice(line.lastIndexOf(")") + 1));
  } catch {
    // There is no /proc, or the process has just ended.
    return !existsSync("/proc/self/stat");
  }
}

/** What came of calls: their results in order, and their progress. */
export interface Called {
  readonly results: readonly JournalResult[];
  readonly progress: readonly unknown[];
}

/** Runs an agent that makes these calls, one an iteration, each of them approved. */
export async function callEach(
  tools: readonly Tool[],
  calls: readonly (readonly [name: string, input: object])[],
): Promise<Called> {
  const results: JournalResult[] = [];
  const progress: unknown[] = [];
  const agent = createAgent({
    model: scriptedModel([
      ...calls.map(([name, input]) => [call(name, input as never)]),
      [call("task_completion", { result: "done" })],
    ]),
    permission: () => true,
    tools: [...tools, taskCompletion()] as readonly Tool[],
  });
  const onEvent = (event: Event): void => {
    if (event.type === "call-end" && event.result.name !== "task_completion") results.push(event.result);
    if (event.type === "call-progress") progress.push(event.progress);
  };
  const outcome = await agent.run("Go.", { onEvent });
  if (outcome.status !== "completed") throw new Error(`The run ended ${outcome.status}.`);
  return { results, progress };
}

/** The text of the result of one call. */
export async function textOf(tools: readonly Tool[], name: string, input: object = {}): Promise<string> {
  const { results } = await callEach(tools, [[name, input]]);
  return results[0]?.text ?? "";
}
