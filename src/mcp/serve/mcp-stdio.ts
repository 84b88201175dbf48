// mcpStdio: agents as tools of the program that started this process, over standard input and output.

import { checkOptions, needed, portKinds, type OptionKinds } from "../../core/internal.js";
import { serverMaker } from "./agent-server.js";
import { checkServed, type ServedAgents, sessionOpener } from "./served-agents.js";
import { ServedTasks } from "./served-tasks.js";
import { loadStdio, type ServerMaker, type ServerPackage } from "./server-package.js";

/** A stream that messages come from: a Readable of Node is one. */
export interface StdioInput {
  readonly readableEnded: boolean;
  readonly destroyed: boolean;
  once(event: string, listener: () => void): unknown;
}

/** A stream that messages go to: a Writable of Node is one. */
export interface StdioOutput {
  once(event: string, listener: () => void): unknown;
}

/** The options of `mcpStdio`. */
export interface McpStdioOptions extends ServedAgents {
  /** The messages of the caller. Default: standard input. */
  readonly input?: StdioInput | undefined;
  /** The messages to the caller, and nothing else. Default: standard output. */
  readonly output?: StdioOutput | undefined;
  /** Ends the serving if it aborts; calls under way are aborted. Default: the caller ends it. */
  readonly signal?: AbortSignal | undefined;
}

const stdioOptions = {
  agents: needed("object"),
  sessions: needed(sessionOpener),
  key: "object",
  answerTimeout: "number",
  budget: portKinds.budget,
  input: "object",
  output: "object",
  signal: "signal",
} satisfies OptionKinds<McpStdioOptions>;

/**
 * Serves agents as the tools of an MCP server over two streams, until the input ends. Calls are as the calls of `mcpHandler`. A
 * question of a run becomes `input_required` in the newest protocol, and `elicitation/create` in the older protocol. For a caller that
 * can't be asked it is the result. Tasks that are at work at the end are suspended: the next process over the same sessions goes on with
 * them. Nothing else may write to the output meanwhile.
 * @throws LastcallError `configuration` for a wrong option, or without the package `@modelcontextprotocol/server`.
 */
export async function mcpStdio(options: McpStdioOptions): Promise<void> {
  checkOptions("mcpStdio", options, stdioOptions);
  checkServed("mcpStdio", options);
  const tasks = new ServedTasks(options);
  await serveStreams((sdk) => serverMaker(sdk, options, { asksOlder: true, tasks }), options);
  await tasks.suspend();
}

/** Serves over two streams until the input ends, the output closes or the signal aborts. */
export async function serveStreams(
  maker: (sdk: ServerPackage) => ServerMaker,
  { input = process.stdin, output = process.stdout, signal }: Pick<McpStdioOptions, "input" | "output" | "signal">,
): Promise<void> {
  const { sdk, serveStdio, StdioServerTransport } = await loadStdio();
  const over = new Promise<void>((resolve) => {
    const end = (): void => {
      resolve();
    };
    // An output that nobody reads any more ends the serving as the end of the input does.
    for (const event of ["end", "close", "error"]) input.once(event, end);
    for (const event of ["close", "error"]) output.once(event, end);
    signal?.addEventListener("abort", end, { once: true });
    if (signal?.aborted === true || input.readableEnded || input.destroyed) resolve();
  });
  const server = serveStdio(maker(sdk), { transport: new StdioServerTransport(input, output) });
  await over;
  await server.close();
}
