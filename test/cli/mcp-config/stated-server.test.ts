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

describe("a mistake is told with its place:", () => {
  test.each<[object | string, string]>([
    [{}, 'the server "demo" needs a command or a url.'],
    [{ command: "a", url: "https://b" }, 'the server "demo" needs either a command or a url, and has both.'],
    [{ command: "a", arg: ["b"] }, 'the server "demo" has the field "arg", which is not known; did you mean args?'],
    [{ command: "a", disabled: true }, '"disabled", which is not known; there are type, command, args, env,'],
    [{ command: "a", __proto__x: 1 }, '"__proto__x", which is not known'],
    [{ command: ["a"] }, 'the server "demo": command must be a text, and is ["a"].'],
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
    [{ type: "sse", url: "https://b" }, "has the type sse, which is not spoken here; give its address for http."],
    [{ type: "http", command: "b" }, "has the type http, which needs a url."],
    [{ type: "ws", url: "https://b" }, 'has the type "ws"; there are stdio and http.'],
    ['{"mcpServers": {"demo": "npx x"}}', 'the server "demo" must be an object with command or url.'],
    ['{"mcpServers": []}', 'must hold servers by their names: {"mcpServers":'],
    ['{"servers": {}}', '"servers" is no field; there is mcpServers.'],
    ['{"mcp": {"servers": {}}}', '"servers" of mcp is no field; there is mcpServers.'],
    ["{", "can't be read"],
  ])("%j", (given, words) => {
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
