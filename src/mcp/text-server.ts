// Text server: texts as the resources of an MCP server, beside tools that answer in words. The command uses it, and no entry has it.

import { explain } from "../core/internal.js";
import { serveStreams, type McpStdioOptions } from "./serve/mcp-stdio.js";
import type { ServerPackage, ServerMaker, ToolAnswer } from "./serve/server-package.js";

/** A text that is served. */
export interface ServedText {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
  readonly text: string;
}

/** A tool with one argument, a text, which reads and changes nothing. */
export interface TextTool {
  readonly name: string;
  readonly description: string;
  readonly argument: { readonly name: string; readonly description: string };
  /** The answer. An error that it throws is told to the caller, in its words. */
  readonly answer: (argument: string) => string;
}

/** A server of texts. */
export interface TextServer {
  readonly name: string;
  readonly version: string;
  /** Tells the caller's model when to use it. */
  readonly instructions: string;
  readonly tools: readonly TextTool[];
  readonly texts: readonly ServedText[];
}

/**
 * Serves the texts over two streams until the input ends.
 * @throws LastcallError `configuration` without the package `@modelcontextprotocol/server`.
 */
export async function serveTexts(
  server: TextServer,
  streams: Pick<McpStdioOptions, "input" | "output" | "signal">,
): Promise<void> {
  await serveStreams((sdk) => makerOf(sdk, server), streams);
}

function makerOf(sdk: ServerPackage, { name, version, instructions, tools, texts }: TextServer): ServerMaker {
  return () => {
    const server = new sdk.McpServer({ name, version }, { instructions });
    for (const { name: tool, description, argument, answer } of tools) {
      const schema = {
        type: "object",
        properties: { [argument.name]: { type: "string", description: argument.description } },
        required: [argument.name],
        additionalProperties: false,
      };
      const settings = { description, inputSchema: sdk.fromJsonSchema(schema), annotations: { readOnlyHint: true } };
      server.registerTool(tool, settings, (input) =>
        Promise.resolve(answered(() => answer(String(input[argument.name])))),
      );
    }
    for (const { uri, name: short, title, description, mimeType, text } of texts)
      server.registerResource(short, uri, { title, description, mimeType }, () => ({
        contents: [{ uri, mimeType, text }],
      }));
    return server;
  };
}

function answered(answer: () => string): ToolAnswer {
  try {
    return { content: [{ type: "text", text: answer() }] };
  } catch (thrown) {
    return { content: [{ type: "text", text: explain(thrown) }], isError: true };
  }
}
