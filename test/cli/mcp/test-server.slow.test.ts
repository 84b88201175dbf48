// lastcall mcp test: one server tried, and one of its tools called.

import { expect, test } from "vitest";
import { runHere, type Ended } from "../command.js";
import { everythingServer, serverFolder, type ServerFolder } from "./server-folder.js";

async function tried(folder: ServerFolder, server: object, ...words: readonly string[]): Promise<Ended> {
  const list = await folder.servers({ demo: server });
  return runHere(["mcp", "test", ...words, "--mcp", list, "--workdir", folder.path], { XDG_CONFIG_HOME: folder.path });
}

test("connects, and shows the server with its tools", async () => {
  await using folder = await serverFolder();
  const { code, stdout } = await tried(folder, everythingServer, "demo");
  expect(code).toBe(0);
  expect(stdout).toMatch(/connected in [\d.]+ m?s: mcp-servers\/everything [\d.]+, protocol \S+, 13 tools\n/);
  expect(stdout).toContain("    demo__echo ");
});

test("calls a tool by either name, and prints its result alone", async () => {
  await using folder = await serverFolder();
  const plain = folder.plain(["echo"]);
  expect(await tried(folder, plain, "demo", "echo", '{"a":1}')).toEqual({ code: 0, stdout: '{"a":1}\n', stderr: "" });
  expect((await tried(folder, plain, "demo", "demo__echo")).stdout).toBe("{}\n");
  const { stdout } = await tried(folder, plain, "demo", "echo", "--json");
  expect(JSON.parse(stdout)).toMatchObject({ name: "demo", result: { tool: "demo__echo", text: "{}", failed: false } });
});

test("a call that fails prints why, and exits 1; a question of the server is part of that", async () => {
  await using folder = await serverFolder();
  expect(await tried(folder, folder.plain(["fail"]), "demo", "fail")).toMatchObject({
    code: 1,
    stdout: expect.stringContaining("There is no such page.") as string,
  });
  const wrong = await tried(folder, everythingServer, "demo", "get-sum", '{"a":"x"}');
  expect(wrong).toMatchObject({ code: 1, stdout: expect.stringContaining("b") as string });
  const asked = await tried(folder, everythingServer, "demo", "trigger-elicitation-request");
  expect(asked).toMatchObject({ code: 1, stdout: expect.stringContaining("asked the user a question") as string });
});

test("a server or tool that is not there, or can't be used, is told, and exits 4 or 1", async () => {
  await using folder = await serverFolder();
  const plain = folder.plain(["echo"]);
  expect((await tried(folder, plain, "other")).stderr).toContain('There is no MCP server "other". There are: demo.');
  expect((await tried(folder, plain, "demo", "nix")).stderr).toContain(
    'has no tool "nix" that can be used. It has: demo__echo.',
  );
  expect(await tried(folder, { command: "no-such-program" }, "demo")).toMatchObject({ code: 4, stdout: "" });
  const dead = await tried(folder, folder.plain([], { exits: 3 }), "demo");
  expect(dead).toMatchObject({ code: 1, stderr: expect.stringContaining("it ended with the code 3") as string });
});
