// The servers that files state: each field is checked, and a mistake is told with its file, server and field.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readServers, serversIn, type StatedServer } from "../../../src/cli/mcp-config/stated-server.js";
import { temporary } from "../command.js";

function read(server: object | string): readonly StatedServer[] {
  const text = typeof server === "string" ? server : JSON.stringify({ mcpServers: { demo: server } });
  return serversIn({ path: "/w/.mcp.json", text });
}

test.each<[object, object]>([
  [
    { command: "npx", args: ["x"] },
    { command: "npx", args: ["x"] },
  ],
  [
    { type: "stdio", command: "npx", env: { A: "b" }, cwd: "d" },
    { command: "npx", env: { A: "b" }, cwd: "d" },
  ],
  [
    { type: "http", url: "https://a.example/mcp", headers: { x: "y" } },
    { url: "https://a.example/mcp", headers: { x: "y" } },
  ],
  [{ type: "streamable-http", url: "https://a.example" }, { url: "https://a.example" }],
  [{ type: "sse", url: "https://a.example/sse" }, { url: "https://a.example/sse" }],
  [
    { url: "https://a.example", only: ["a"], trust: true, timeout: 5000 },
    { url: "https://a.example", only: ["a"], trust: true, timeout: 5000 },
  ],
])("%j is a server", (given, wanted) => {
  expect(read(given)).toEqual([{ name: "demo", source: "/w/.mcp.json", ...wanted }]);
});

test("a config file has them in its setting mcp, as YAML too", () => {
  const text = "tier: read-only\nmcp:\n  mcpServers:\n    demo: { command: npx }\n";
  expect(serversIn({ path: "/w/lastcall.config.yaml", text })).toMatchObject([{ name: "demo", command: "npx" }]);
});

/** The lines about a server that is left out beside a sound server. */
function leftOut(server: unknown): readonly string[] {
  const said: string[] = [];
  const text = JSON.stringify({ mcpServers: { demo: server, good: { command: "g" } } });
  const servers = serversIn({ path: "/w/.mcp.json", text }, (line) => said.push(line));
  expect(servers).toEqual([{ name: "good", source: "/w/.mcp.json", command: "g" }]);
  return said;
}

describe("a server with a mistake is left out alone, and told with its place:", () => {
  test.each<[unknown, string]>([
    [{}, "needs a command or a url."],
    [{ command: "a", url: "https://b" }, "needs either a command or a url, and has both."],
    [{ command: "a", arg: ["b"] }, 'has the field "arg", which is not known; did you mean args?'],
    [{ command: "a", onyl: ["b"] }, 'has the field "onyl", which is not known; did you mean only?'],
    [{ command: ["a"] }, 'command must be a text, and is ["a"].'],
    [{ command: "" }, 'command must be a text, and is "".'],
    [{ command: "a", args: "b" }, 'args must be a list of texts, and is "b".'],
    [
      { command: "a", env: { PORT: 3000 } },
      'env must be texts by their names, such as {"NAME": "value"}, and is {"PORT":3000}',
    ],
    [{ command: "a", trust: "yes" }, 'trust must be true or false, and is "yes".'],
    [{ command: "a", timeout: "5s" }, 'timeout must be milliseconds, a whole number of at least 1, and is "5s".'],
    [{ command: "a", only: "b" }, "only must be a list of texts"],
    [{ command: "a", headers: { a: "b" } }, "has headers, which does not go with command."],
    [{ url: "https://b", args: [] }, "has args, which does not go with url."],
    [{ type: "http", command: "b" }, "has the type http, which needs a url."],
    [{ type: "sse", command: "b" }, "has the type sse, which needs a url."],
    [{ type: "ws", url: "https://b" }, 'has the type "ws"; there are stdio, http and sse.'],
    ["npx x", "must be an object with command or url."],
  ])("%j", (given, words) => {
    const [line = "", ...more] = leftOut(given);
    expect(line).toContain(words);
    expect([line.startsWith('/w/.mcp.json: the server "demo"'), more]).toEqual([true, []]);
    expect(line).toMatch(/It is left out\.$/);
  });
});

test.each([[{ disabled: true }], [{ enabled: false }]])("a server that is switched off is no server: %j", (off) => {
  expect(leftOut({ command: "a", ...off })).toEqual(['/w/.mcp.json: the server "demo" is switched off.']);
});

test("fields of other agents change nothing, and are told", () => {
  const said: string[] = [];
  const demo = { command: "a", disabled: false, autoApprove: ["b"], alwaysAllow: [], __proto__x: 1 };
  const text = JSON.stringify({ inputs: [], mcpServers: { demo } });
  expect(serversIn({ path: "/w/.mcp.json", text }, (line) => said.push(line))).toEqual([
    { name: "demo", source: "/w/.mcp.json", command: "a" },
  ]);
  expect(said).toEqual([
    '/w/.mcp.json: "inputs" is not known here, and changes nothing.',
    ...["autoApprove", "alwaysAllow", "__proto__x"].map(
      (field) =>
        `/w/.mcp.json: the server "demo" has the field "${field}", which is not known here, and changes nothing.`,
    ),
  ]);
});

describe("a file that holds no servers by their names is refused:", () => {
  test.each([
    ['{"mcpServers": []}', 'must hold servers by their names: {"mcpServers":'],
    ['{"servers": {}}', '"servers" is no field; there is mcpServers.'],
    ['{"mcp": {"servers": {}}}', '"servers" of mcp is no field; there is mcpServers.'],
    ["{", "can't be read"],
  ])("%s", (given, words) => {
    expect(() => read(given)).toThrow(words);
    expect(() => read(given)).toThrow("/w/.mcp.json");
  });
});

test("of two servers with one name the first counts, and the other is told", async () => {
  await using folder = await temporary();
  const put = async (name: string, command: string): Promise<string> => {
    const path = join(folder.path, name);
    await writeFile(path, JSON.stringify({ mcpServers: { demo: { command }, [name]: { command } } }));
    return path;
  };
  const [one, two] = [await put("one.json", "a"), await put("two.json", "b")];
  const said: string[] = [];
  const found = await readServers([one, two, one], { say: (line) => said.push(line) });
  expect(found.map(({ name, command }) => `${name} ${command ?? ""}`)).toEqual(["demo a", "one.json a", "two.json b"]);
  expect(said).toEqual([`The MCP server "demo" of ${two} is left out: ${one} has one of that name.`]);
});

test("a file that is not there is told", async () => {
  await expect(readServers(["/no/such.json"])).rejects.toThrow("/no/such.json: there is no such file of MCP servers.");
});
