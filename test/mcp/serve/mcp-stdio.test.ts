// Agents over two streams: the protocol, its ends, and wrong options. The command's tests have the official client over real pipes.

import { once } from "node:events";
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { createAgent } from "../../../src/index.js";
import { mcpStdio, type McpStdioOptions } from "../../../src/mcp/index.js";
import { memoryStore, openSession } from "../../../src/memory/index.js";
import { call, scriptedModel, type Script } from "../../../src/testing/index.js";
import { taskCompletion } from "../../../src/tools/index.js";

const store = memoryStore();

function served(script: Script): Pick<McpStdioOptions, "agents" | "sessions"> {
  const agent = createAgent({ model: scriptedModel(script), tools: [taskCompletion()] });
  return { agents: { paint: { description: "Paints.", agent } }, sessions: (id) => openSession({ store, id }) };
}

const initialize = {
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } },
};

/** Writes one message of the protocol. */
function send(input: PassThrough, message: object): void {
  input.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

async function next(output: PassThrough): Promise<Record<string, unknown>> {
  const [bytes] = (await once(output, "data")) as [Buffer];
  return JSON.parse(bytes.toString()) as Record<string, unknown>;
}

describe("agents over two streams", () => {
  it("answer calls until the input ends", async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const serving = mcpStdio({ ...served([[call("task_completion", { result: "Painted." })]]), input, output });
    send(input, initialize);
    expect(await next(output)).toMatchObject({ id: 1, result: { serverInfo: { name: "lastcall" } } });
    send(input, { method: "notifications/initialized" });
    send(input, { id: 2, method: "tools/call", params: { name: "paint", arguments: { task: "the fence" } } });
    expect(await next(output)).toMatchObject({ id: 2, result: { content: [{ text: "Painted." }, {}] } });
    input.end();
    await serving;
  });

  it("end with the signal, and their calls are aborted", async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const leaving = new AbortController();
    let aborted: Promise<unknown> = Promise.resolve();
    const options = served([]);
    const agent = {
      run(_input: string, { signal }: { readonly signal: AbortSignal }): Promise<never> {
        aborted = once(signal, "abort");
        leaving.abort();
        return new Promise(() => undefined);
      },
    };
    const serving = mcpStdio({
      ...options,
      agents: { paint: { description: "Paints.", agent } },
      input,
      output,
      signal: leaving.signal,
    });
    send(input, initialize);
    await next(output);
    send(input, { method: "notifications/initialized" });
    send(input, { id: 2, method: "tools/call", params: { name: "paint", arguments: { task: "the fence" } } });
    await serving;
    await aborted;
  });

  it("end at once if the signal has aborted, or the input has ended", async () => {
    await mcpStdio({ ...served([]), input: new PassThrough(), output: new PassThrough(), signal: AbortSignal.abort() });
    const input = new PassThrough().end();
    input.resume();
    await once(input, "end");
    await mcpStdio({ ...served([]), input, output: new PassThrough() });
  });

  it.each<[Partial<McpStdioOptions> & Record<string, unknown>, string]>([
    [{ agents: {} }, "mcpStdio has no agents"],
    [{ agents: { "a b": {} } as never }, 'mcpStdio has an agent named "a b"'],
    [{ key: new Uint8Array(8) }, "The key of mcpStdio is shorter than 32 bytes"],
    [{ hosts: ["a"] }, "hosts"],
  ])("refuse wrong options: %j", async (wrong, words) => {
    await expect(mcpStdio({ ...served([]), ...wrong })).rejects.toThrow(words);
  });
});
