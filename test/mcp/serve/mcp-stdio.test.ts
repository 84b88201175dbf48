// Agents over two streams: the protocol, its ends, and wrong options. The command's tests have the official client over real pipes.

import { once } from "node:events";
import { PassThrough } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
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

  it("leave a task that is at work to the next process, and the client finds it there", async () => {
    let hold = true;
    const calls = scriptedModel(() => [call("task_completion", { result: "Painted." })]);
    const model: typeof calls = {
      ...calls,
      async *respond(request, signal) {
        while (hold) await sleep(5, undefined, { signal });
        return yield* calls.respond(request, signal);
      },
    };
    const { sessions } = served([]);
    const agents = { paint: { description: "Paints.", agent: createAgent({ model, tools: [taskCompletion()] }) } };
    const meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "t", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": { extensions: { "io.modelcontextprotocol/tasks": {} } },
    };
    const [input, output] = [new PassThrough(), new PassThrough()];
    const serving = mcpStdio({ agents, sessions, input, output });
    send(input, { id: 1, method: "tools/call", params: { name: "paint", arguments: { task: "x" }, _meta: meta } });
    const made = (await next(output)) as { readonly result: { readonly taskId: string; readonly status: string } };
    expect(made.result.status).toBe("working");
    input.end();
    await serving;
    hold = false;
    const [later, answers] = [new PassThrough(), new PassThrough()];
    const again = mcpStdio({ agents, sessions, input: later, output: answers });
    for (let status = "working"; status !== "completed";) {
      send(later, { id: 2, method: "tasks/get", params: { taskId: made.result.taskId, _meta: meta } });
      const { result } = (await next(answers)) as { readonly result: { readonly status: string } };
      status = result.status;
      await sleep(10);
    }
    later.end();
    await again;
    const { records } = await openSession({ store, id: made.result.taskId.split(".")[0] ?? "" }).toJSON();
    expect(records.map(({ type }) => type)).toContain("resume");
    expect(records.at(-1)).toMatchObject({ type: "outcome", status: "completed" });
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
