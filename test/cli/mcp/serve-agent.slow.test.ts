// lastcall mcp serve: the agent of the command as a tool of the official client.

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterEach, describe, expect, test } from "vitest";
import { call, scriptedProvider, type ScriptedProvider } from "../../../src/testing/index.js";
import { runHere, start } from "../command.js";
import { moduleFolder, type ModuleFolder } from "../modules/module-folder.js";
import { bin } from "../../dist.js";

const done = [call("task_completion", { result: "Painted." })];
const asks = [call("ask_question", { question: "Which colour?" })];
const writes = [call("run_command", { command: ": > made" })];
const clients: Client[] = [];

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

function argumentsFor(folder: ModuleFolder, provider: ScriptedProvider): readonly string[] {
  const place = ["--workdir", folder.path, "--sessions", join(folder.path, "sessions")];
  return ["mcp", "serve", "--base-url", provider.url, "--model", "m", "--no-sandbox", ...place];
}

function clientFor(mode: "auto" | "legacy", answer: string | undefined): Client {
  const client = new Client(
    { name: "test", version: "1" },
    { capabilities: answer === undefined ? {} : { elicitation: { form: {} } }, versionNegotiation: { mode } },
  );
  if (answer !== undefined)
    client.setRequestHandler(
      "elicitation/create",
      () => Promise.resolve({ action: "accept", content: { answer } }) as never,
    );
  clients.push(client);
  return client;
}

async function overStdio(args: readonly string[], mode: "auto" | "legacy", answer?: string): Promise<Client> {
  const client = clientFor(mode, answer);
  const env = { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "" };
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [bin, ...args], env, stderr: "pipe" }),
  );
  return client;
}

interface Result {
  readonly content: readonly { readonly text?: string }[];
  readonly isError?: boolean;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** The session that a result names. */
function sessionIn(_meta: Result["_meta"]): string {
  return String(_meta?.["lastcall/session"]);
}

async function paint(client: Client, input: Record<string, string>, name = "lastcall"): Promise<Result> {
  return (await client.callTool({ name, arguments: input })) as unknown as Result;
}

describe("over standard input and output", () => {
  test.each(["auto", "legacy"] as const)("a call is a session of the command, negotiated %s", async (mode) => {
    await using folder = await moduleFolder();
    await using provider = await scriptedProvider([done]);
    const client = await overStdio(argumentsFor(folder, provider), mode);
    expect((await client.listTools()).tools).toMatchObject([
      { name: "lastcall", description: expect.stringContaining("Works on a task in the folder") as string },
    ]);
    const { content } = await paint(client, { task: "Paint the fence." });
    expect(content).toMatchObject([
      { text: "Painted." },
      { text: expect.stringContaining(": mcp-lastcall-") as string },
    ]);
    await client.close();
    const listed = await runHere(["sessions", "--sessions", join(folder.path, "sessions")]);
    expect(listed.stdout).toMatch(/^mcp-lastcall-\S+ .* completed .*Paint the fence\.$/m);
  });

  test.each(["auto", "legacy"] as const)("a question is asked of the caller, negotiated %s", async (mode) => {
    await using folder = await moduleFolder();
    await using provider = await scriptedProvider([asks, done]);
    const client = await overStdio(argumentsFor(folder, provider), mode, "blue");
    expect((await paint(client, { task: "Paint." })).content[0]?.text).toBe("Painted.");
    expect(JSON.stringify(provider.requests.at(-1)?.body)).toContain("blue");
  });

  test.each(["auto", "legacy"] as const)(
    "a caller that can't be asked gets the question as the result, negotiated %s",
    async (mode) => {
      await using folder = await moduleFolder();
      await using provider = await scriptedProvider([asks, done]);
      const client = await overStdio(argumentsFor(folder, provider), mode);
      const { content, _meta } = await paint(client, { task: "Paint." });
      expect(content[0]?.text).toContain("The agent asks a question and waits: Which colour?");
      const answered = await paint(client, { task: "blue", session: sessionIn(_meta) });
      expect(answered.content[0]?.text).toBe("Painted.");
    },
  );

  test("an approval is never the caller's: with --park its owner gives it", async () => {
    await using folder = await moduleFolder();
    await using provider = await scriptedProvider([writes, done]);
    const args = argumentsFor(folder, provider);
    const client = await overStdio([...args, "--park"], "auto");
    const { content, isError, _meta } = await paint(client, { task: "Paint." });
    expect(isError).toBe(true);
    expect(content[0]?.text).toContain("an approval that only its owner can give");
    expect(await readdir(folder.path)).not.toContain("made");
    await client.close();
    const id = sessionIn(_meta);
    const rest = ["--sessions", join(folder.path, "sessions"), "--base-url", provider.url, "--no-sandbox"];
    const { code, stderr } = await runHere(["resume", id, "--approve", ...rest]);
    expect(code, stderr).toBe(0);
    expect(await readdir(folder.path)).toContain("made");
  });

  test("the agent of a module has its own name and description", async () => {
    await using folder = await moduleFolder();
    await using provider = await scriptedProvider([done]);
    const agent = await folder.put(
      "paint-shop.mjs",
      'export default { description: "Paints.", instructions: "Paint." };',
    );
    const client = await overStdio([...argumentsFor(folder, provider), "--agent", agent], "auto");
    expect((await client.listTools()).tools).toMatchObject([{ name: "paint-shop", description: "Paints." }]);
    expect((await paint(client, { task: "Go." }, "paint-shop")).content[0]?.text).toBe("Painted.");
  });

  test("standard output has the protocol alone, and its end is the end of the command", async () => {
    await using folder = await moduleFolder();
    await using provider = await scriptedProvider([done]);
    const { child, ended, seen } = start([...argumentsFor(folder, provider), "--verbose"]);
    const send = (message: object): boolean =>
      child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`) ?? false;
    const clientInfo = { name: "t", version: "1" };
    send({ id: 1, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo } });
    send({ method: "notifications/initialized" });
    send({ id: 2, method: "tools/call", params: { name: "lastcall", arguments: { task: "Paint." } } });
    await seen('"id":2');
    child.stdin?.end();
    const { code, stdout, stderr } = await ended;
    expect(code).toBe(0);
    expect(
      stdout
        .trim()
        .split("\n")
        .map((line) => (JSON.parse(line) as { id: number }).id),
    ).toEqual([1, 2]);
    expect(stderr).toContain("completed, unchecked · 1 iteration");
  });
});

describe("over HTTP on this machine", () => {
  test("a caller with the token is served, and nobody else; an interrupt ends it", async () => {
    await using folder = await moduleFolder();
    await using provider = await scriptedProvider([done]);
    const { child, ended, seen } = start([...argumentsFor(folder, provider), "--port", "0"]);
    let stderr = "";
    child.stderr?.on("data", (text: string) => (stderr += text));
    await seen('"mcpServers"');
    const line = /\{"mcpServers".*\}/.exec(stderr)?.[0] ?? "{}";
    const { mcpServers } = JSON.parse(line) as {
      mcpServers: { lastcall: { url: string; headers: Record<string, string> } };
    };
    const { url, headers } = mcpServers.lastcall;
    const client = clientFor("auto", undefined);
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
    expect((await paint(client, { task: "Paint." })).content[0]?.text).toBe("Painted.");
    await client.close();
    expect((await fetch(url, { method: "POST", body: "{}" })).status).toBe(401);
    const origin = { ...headers, origin: "https://evil.example" };
    expect((await fetch(url, { method: "POST", body: "{}", headers: origin })).status).toBe(403);
    child.kill("SIGINT");
    expect((await ended).code).toBe(130);
  });

  test("a port that is taken, or a token that is short, is told", async () => {
    await using folder = await moduleFolder();
    await using provider = await scriptedProvider([done]);
    const { port } = new URL(provider.url);
    const args = [...argumentsFor(folder, provider), "--port", port];
    expect(await runHere(args)).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("can't be listened on") as string,
    });
    const short = await runHere(args, { LASTCALL_MCP_TOKEN: "secret" });
    expect(short).toMatchObject({ code: 4, stderr: expect.stringContaining("fewer than 16 characters") as string });
  });
});

test.each([
  [["--json"], "--json prints one outcome"],
  [["--no-save"], "lastcall mcp serve takes no --no-save, which goes with a task and lastcall review."],
  [["--ask"], "--ask needs a person"],
])("an option that a served agent can't have is told: %j", async (args, words) => {
  const { code, stderr } = await runHere(["mcp", "serve", ...args, "--no-config"]);
  expect({ code, stderr }).toMatchObject({ code: 4, stderr: expect.stringContaining(words) as string });
});

test("--port without a server is told", async () => {
  const { code, stderr } = await runHere(["do it", "--port", "80", "--no-config"]);
  expect({ code, stderr }).toMatchObject({
    code: 4,
    stderr: expect.stringContaining(
      "which goes with lastcall serve, lastcall studio and lastcall mcp serve.",
    ) as string,
  });
});
