import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, realpath, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../free-port.js";
import { createAgent, type Session } from "../../../src/index.js";
import { mcpTools, type Elicitation, type McpTools } from "../../../src/mcp/index.js";
import { allowAll } from "../../../src/permission/index.js";
import { assertWellFormed, call, scriptedModel } from "../../../src/testing/index.js";
import { taskCompletion } from "../../../src/tools/index.js";
import { callEach, textOf } from "../plain-server.js";

const require = createRequire(import.meta.url);

function official(server: string): string {
  return require.resolve(`@modelcontextprotocol/${server}/dist/index.js`);
}

const overStdio = async (elicit?: Parameters<typeof mcpTools>[0]["elicit"]): Promise<McpTools> =>
  mcpTools({
    name: "everything",
    command: process.execPath,
    args: [official("server-everything"), "stdio"],
    tell: () => undefined,
    elicit,
  });

/** Starts the server as a process that listens, and connects to it. */
async function overHttp(): Promise<McpTools & { readonly end: () => void }> {
  const port = await freePort();
  const child = spawn(process.execPath, [official("server-everything"), "streamableHttp"], {
    env: { ...process.env, PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  await once(child.stderr, "data");
  for (let attempt = 1; ; attempt += 1) {
    try {
      const tools = await mcpTools({
        name: "everything",
        url: `http://127.0.0.1:${String(port)}/mcp`,
        tell: () => undefined,
      });
      return Object.assign(tools, { end: () => child.kill("SIGKILL") });
    } catch (thrown) {
      if (attempt === 50) throw thrown;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

describe.each([
  ["over stdio", async () => Object.assign(await overStdio(), { end: () => undefined })],
  ["over streamable HTTP", overHttp],
])("the official server-everything, %s", (_how, open) => {
  let server: Awaited<ReturnType<typeof overHttp>>;
  beforeAll(async () => {
    server = await open();
  });
  afterAll(async () => {
    await server.close();
    server.end();
  });

  it("lends its tools under prefixed names, each asked about", () => {
    const names = server.tools.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(["everything__echo", "everything__get-sum", "everything__get-tiny-image"]),
    );
    expect(new Set(server.tools.map(({ effect }) => effect))).toEqual(new Set(["network"]));
    expect([...server.leftOut.keys()]).toEqual(["simulate-research-query"]);
    expect(server.title).toContain("everything");
    expect(server.protocol).toBe("2025-11-25");
    expect(server.instructions).toContain("Everything Server");
  });

  it("answers calls; its results are content from outside, and an image is its kind and size", async () => {
    const { results, progress } = await callEach(server.tools, [
      ["everything__echo", { message: "hi" }],
      ["everything__get-sum", { a: 2, b: 3 }],
      ["everything__get-tiny-image", {}],
      ["everything__get-structured-content", { location: "Chicago" }],
      ["everything__trigger-long-running-operation", { duration: 0.3, steps: 3 }],
    ]);
    expect(results.map(({ ok, from }) => [ok, from])).toEqual(results.map(() => [true, "outside"]));
    expect(results.map(({ text }) => text)).toEqual([
      "Echo: hi",
      "The sum of 2 and 3 is 5.",
      expect.stringContaining("[image/png, 4,033 bytes]"),
      expect.stringContaining("temperature"),
      expect.stringContaining("Long running operation completed"),
    ]);
    expect(results[2]?.attachments).toMatchObject([{ mediaType: "image/png", size: 4033 }]);
    // The package drops a line that comes in one piece with the answer.
    expect(progress.slice(0, 2)).toEqual(["1 of 3\n", "2 of 3\n"]);
  });

  it("never sees arguments that do not fit its schema", async () => {
    const { results } = await callEach(server.tools, [["everything__get-sum", { a: "two", b: 3 }]]);
    expect(results[0]?.failure).toMatchObject({
      kind: "invalid_arguments",
      message: expect.stringContaining("a: ") as string,
    });
  });

  it("asks the user, and the answer to the question of the run reaches it, in an agent made anew", async () => {
    const name = "everything__trigger-elicitation-request";
    const agentOf = (script: Parameters<typeof scriptedModel>[0]) =>
      createAgent({
        model: scriptedModel(script),
        tools: [...server.tools, taskCompletion()],
        permission: allowAll(),
      });
    const asked = await agentOf([[call(name, {})]]).run("Trigger it.");
    if (asked.status !== "waiting") throw new Error(asked.status);
    expect(asked).toMatchObject({ by: name, value: { server: "everything" } });
    expect(asked.replySchema).toMatchObject({
      properties: { action: { enum: ["accept", "decline"] }, content: { properties: { name: { type: "string" } } } },
    });
    const session = JSON.parse(JSON.stringify(asked.session)) as Session;
    const answer = { action: "accept", content: { name: "Ada" } };
    const later = agentOf([[call("task_completion", { result: "done" })]]);
    const ended = await later.run(answer, { session, answers: asked.id });
    expect(ended.status).toBe("completed");
    const result = ended.session.records.find((record) => record.type === "result");
    expect(result?.result.text).toContain("Ada");
    assertWellFormed(ended.session.records);
  });

  it("takes a no as one", async () => {
    const name = "everything__trigger-elicitation-request";
    const model = scriptedModel([[call(name, {})], [call("task_completion", { result: "done" })]]);
    const agent = createAgent({ model, tools: [...server.tools, taskCompletion()], permission: allowAll() });
    const asked = await agent.run("Trigger it.");
    const ended = await agent.run({ action: "decline" }, { session: asked.session });
    const result = ended.session.records.find((record) => record.type === "result");
    expect(result?.result.text).toMatch(/decline/i);
  });

  it("is told that nobody answers if the agent is not interactive, and the model is told the question", async () => {
    const name = "everything__trigger-elicitation-request";
    const agent = createAgent({
      model: scriptedModel([[call(name, {})], [call("task_completion", { result: "done" })]]),
      tools: [...server.tools, taskCompletion()],
      permission: allowAll(),
      interactive: false,
    });
    const { session } = await agent.run("Trigger it.");
    const results = session.records.flatMap((record) => (record.type === "result" ? [record.result] : []));
    expect(results[0]?.failure).toMatchObject({ kind: "tool_error" });
    expect(results[0]?.text).toContain("Please provide inputs for the following fields");
    expect(results[0]?.text).toContain("Ask the user yourself");
  });
});

describe("a question of the official server-everything", () => {
  it("is answered by the caller's elicit", async () => {
    const questions: Elicitation[] = [];
    const server = await overStdio((question) => {
      questions.push(question);
      return { action: "accept", content: { name: "Ada" } };
    });
    const text = await textOf(server.tools, "everything__trigger-elicitation-request");
    expect(text).toContain("Ada");
    expect(questions).toMatchObject([{ server: "everything", schema: { properties: { name: { type: "string" } } } }]);
    await server.close();
  });

  it("goes unanswered if elicit throws, and a person is told why", async () => {
    const told: string[] = [];
    const server = await mcpTools({
      name: "everything",
      command: process.execPath,
      args: [official("server-everything"), "stdio"],
      tell: (line) => told.push(line),
      elicit: () => {
        throw new Error("the form is broken");
      },
    });
    expect(await textOf(server.tools, "everything__trigger-elicitation-request")).toContain("nobody was there");
    expect(told.filter((line) => !line.includes("is left out"))).toEqual([
      expect.stringContaining("the form is broken"),
    ]);
    await server.close();
  });
});

describe("the official server-filesystem over stdio", () => {
  it("reads files of its folder, and refuses others in a failure with its own words", async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), "lastcall-mcp-")));
    await writeFile(join(folder, "note.txt"), "Buy ink.");
    const server = await mcpTools({
      name: "files",
      command: process.execPath,
      args: [official("server-filesystem"), folder],
      only: ["read_text_file", "list_directory"],
      trust: true,
      tell: () => undefined,
    });
    expect(server.tools.map(({ name, effect }) => [name, effect])).toEqual([
      ["files__list_directory", "read"],
      ["files__read_text_file", "read"],
    ]);
    const { results } = await callEach(server.tools, [
      ["files__list_directory", { path: folder }],
      ["files__read_text_file", { path: join(folder, "note.txt") }],
      ["files__read_text_file", { path: "/etc/passwd" }],
    ]);
    expect(results.map(({ ok }) => ok)).toEqual([true, true, false]);
    expect(results[1]?.text).toBe("Buy ink.");
    expect(results[2]?.text).toContain("outside allowed directories");
    await server.close();
  });
});
