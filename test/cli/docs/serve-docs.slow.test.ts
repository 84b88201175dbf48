// lastcall docs --mcp: the pages, as the official client gets them.

import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, describe, expect, test } from "vitest";
import { shippedPages } from "../../../src/cli/docs/shipped-pages.js";
import { bin } from "../../dist.js";
import { run } from "../command.js";
import { questions } from "./questions.js";

const clients: Client[] = [];

afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
});

async function connect(mode: "auto" | "legacy" = "auto"): Promise<Client> {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  clients.push(client);
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [bin, "docs", "--mcp"] }));
  return client;
}

async function call(
  client: Client,
  name: string,
  input: Record<string, unknown>,
): Promise<{ readonly text: string; readonly isError: boolean }> {
  const { content, isError = false } = await client.callTool({ name, arguments: input });
  return { text: content.map((part) => (part.type === "text" ? part.text : "")).join(""), isError };
}

describe.each(["auto", "legacy"] as const)("a client that speaks the protocol %s", (mode) => {
  test("gets two tools that change nothing, and the pages as resources", async () => {
    const client = await connect(mode);
    const { tools } = await client.listTools();
    expect(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint])).toEqual([
      ["search_docs", true],
      ["read_page", true],
    ]);
    const { resources } = await client.listResources();
    const pages = shippedPages();
    expect(resources.map(({ name }) => name)).toEqual(pages.map(({ name }) => name));
    const [page] = pages.filter(({ name }) => name === "limits");
    const { contents } = await client.readResource({ uri: "lastcall://pages/docs/limits.md" });
    expect(contents).toEqual([{ uri: "lastcall://pages/docs/limits.md", mimeType: "text/markdown", text: page?.text }]);
    expect(client.getInstructions()).toContain("read the page SKILL first");
  });

  test("searches, and reads what it found", async () => {
    const client = await connect(mode);
    const found = await call(client, "search_docs", { query: questions[9]?.asked });
    const [first = ""] = found.text.split("\n");
    expect(first).toBe("limits#a-cap-for-each-user-and-day");
    const read = await call(client, "read_page", { page: first });
    expect(read).toEqual({ text: expect.stringMatching(/^## A cap for each user and day\n/), isError: false });
  });
});

test("two clients at once have a server each, and many calls of one are answered", async () => {
  const [one, other] = await Promise.all([connect(), connect("legacy")]);
  const answers = await Promise.all(
    questions.flatMap(({ asked }) => [one, other].map((client) => call(client, "search_docs", { query: asked }))),
  );
  expect(answers.filter(({ isError }) => isError)).toEqual([]);
  for (let at = 0; at < answers.length; at += 2) expect(answers[at]?.text).toBe(answers[at + 1]?.text);
});

test("a wrong argument is a failed call with words that help", async () => {
  const client = await connect("legacy");
  const wrong: readonly (readonly [name: string, input: Record<string, unknown>, words: string])[] = [
    ["read_page", { page: "nothing" }, 'There is no page "nothing".'],
    ["read_page", { page: "limts" }, "Did you mean limits?"],
    [
      "read_page",
      { page: "limits#nothing" },
      'The page limits has no section "nothing". It has limits, limits-that-ask, a-cap',
    ],
    ["read_page", { page: "" }, 'There is no page "".'],
    ["read_page", { page: "../../../etc/passwd" }, "There is no page"],
    ["search_docs", { query: "" }, "The query is empty"],
    ["search_docs", {}, "query"],
    ["search_docs", { query: 7 }, "query"],
  ];
  for (const [name, input, words] of wrong)
    expect(await call(client, name, input)).toEqual({ text: expect.stringContaining(words), isError: true });
  expect((await call(client, "search_docs", { query: "如何恢复会话" })).text).toContain("The pages are in English");
  const long = await call(client, "search_docs", { query: "session resume crash ".repeat(500) });
  expect(long).toEqual({ text: expect.stringContaining("sessions"), isError: false });
});

test("the server ends with the input of its caller, and says nothing of its own", async () => {
  expect(await run(["docs", "--mcp"])).toEqual({ code: 0, stdout: "", stderr: "" });
});
