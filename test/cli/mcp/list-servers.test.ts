// lastcall mcp list: the servers of a folder, those that nobody trusts among them.

import { join } from "node:path";
import { expect, test } from "vitest";
import { runHere } from "../command.js";
import type { ServerReport } from "../../../src/cli/mcp/server-report.js";
import { guardedServer } from "../../mcp/sign-in/guarded-server.js";
import { serverFolder } from "./server-folder.js";

test("shows each server with its file, how it can be reached, and its tools with their effects", async () => {
  await using folder = await serverFolder();
  const refused = { name: "bad", description: "Bad.", inputSchema: { $ref: "http://a.example/x" } };
  const reading = {
    name: "look",
    description: "Looks.",
    inputSchema: { type: "object" },
    annotations: { readOnlyHint: true },
  };
  const list = await folder.servers({
    plain: { ...folder.plain([], { tools: [refused, reading] }), trust: true },
    gone: { command: "no-such-program", args: ["${NONE:-a b}"] },
    lacks: { url: "https://a.example/${NO_SUCH}" },
  });
  const env = { XDG_CONFIG_HOME: folder.path };
  const args = ["mcp", "list", "--mcp", list, "--workdir", folder.path];
  const { code, stdout } = await runHere(args, env);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^plain {2}.*servers\.json\n {2}\S*node .*\n {2}connected in .*: plain 1, protocol 2025-11-25, 1 tool\n {4}plain__look {2}read\n/,
  );
  expect(stdout).toMatch(/left out: bad \(The input schema of tool/);
  expect(stdout).toContain('  no-such-program "${NONE:-a b}"\n  The MCP server "gone" can\'t be used: ');
  expect(stdout).toContain("url needs the variable NO_SUCH, which is not set.");
  const json = JSON.parse((await runHere([...args, "--json"], env)).stdout) as readonly ServerReport[];
  expect(json).toMatchObject([
    {
      name: "plain",
      source: list,
      trusted: true,
      status: "connected",
      tools: [{ name: "plain__look", effect: "read" }],
    },
    { name: "gone", status: "failed" },
    { name: "lacks", status: "failed" },
  ]);
  expect(folder.log()).toEqual(["start", "start"]);
});

test("says of a server that wants a sign-in for its list that it does", async () => {
  await using folder = await serverFolder();
  const guarded = await guardedServer();
  const list = await folder.servers({ bank: { url: guarded.url, trust: true } });
  const args = ["mcp", "list", "--mcp", list, "--workdir", folder.path];
  const { code, stdout } = await runHere(args, { XDG_CONFIG_HOME: folder.path });
  await guarded.close();
  expect(code).toBe(0);
  expect(stdout).toContain("  wants a sign-in before it shows its tools: a run that calls it asks you\n");
});

test("starts none that nobody has trusted, and says how to use them", async () => {
  await using folder = await serverFolder();
  const path = await folder.servers({ plain: folder.plain(["echo"]) }, ".mcp.json");
  const { code, stdout, stderr } = await runHere(["mcp", "list", "--workdir", folder.path], {
    XDG_CONFIG_HOME: join(folder.path, "home"),
  });
  expect(code).toBe(0);
  expect(stdout).toContain("  not trusted, so it was not started\n");
  expect(stderr).toContain(`To use it: --mcp ${path}`);
  expect(folder.log()).toEqual([""]);
});

test.each<[string, object, readonly string[]]>([
  ["a wrong server", { wrong: { command: 5 } }, ['"wrong": command must be a text']],
  ["one of the old transport", { old: { type: "sse", url: "https://a.example/sse" } }, ["https://a.example/sse"]],
  ["one with a field of another agent", { other: { command: "a", alwaysAllow: [] } }, ["alwaysAllow", "  a\n"]],
])("shows a file that nobody has trusted, with %s", async (_what, servers, words) => {
  await using folder = await serverFolder();
  await folder.servers(servers as Readonly<Record<string, object>>, ".mcp.json");
  const env = { XDG_CONFIG_HOME: join(folder.path, "home") };
  const { code, stdout, stderr } = await runHere(["mcp", "list", "--workdir", folder.path], env);
  expect(code).toBe(0);
  for (const part of words) expect(`${stdout}${stderr}`).toContain(part);
  expect(stderr).not.toContain("There are no MCP servers here");
  expect(folder.log()).toEqual([""]);
});

test("says that there are none", async () => {
  await using folder = await serverFolder();
  const env = { XDG_CONFIG_HOME: folder.path };
  const { code, stdout, stderr } = await runHere(["mcp", "list", "--workdir", folder.path], env);
  expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
  expect(stderr).toContain("There are no MCP servers here.");
  expect((await runHere(["mcp", "list", "--json", "--workdir", folder.path], env)).stdout).toBe("[]\n");
});
