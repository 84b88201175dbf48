import { PassThrough } from "node:stream";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { serveTexts } from "../../src/mcp/text-server.js";

test("the error of a tool is told in its words, an answer is its text, and the end of the input ends the serving", async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const tool = {
    name: "half",
    description: "Halves a number",
    argument: { name: "of", description: "An even number" },
    answer(of: string) {
      if (Number(of) % 2 !== 0) throw new Error(`${of} is not even.`);
      return String(Number(of) / 2);
    },
  };
  const text = { uri: "x://a", name: "a", title: "A", description: "The letter", mimeType: "text/plain", text: "aaa" };
  const server = { name: "numbers", version: "1", instructions: "Halve numbers here.", tools: [tool], texts: [text] };
  const served = serveTexts(server, { input, output });
  const lines = createInterface({ input: output })[Symbol.asyncIterator]();
  const ask = async (id: number, method: string, params: object): Promise<unknown> => {
    input.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    const line = await lines.next();
    return (JSON.parse(String(line.value)) as { readonly result: unknown }).result;
  };
  const caller = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } };
  expect(await ask(1, "initialize", caller)).toMatchObject({ instructions: "Halve numbers here." });
  const half = (id: number, of: string): Promise<unknown> => ask(id, "tools/call", { name: "half", arguments: { of } });
  expect(await half(2, "8")).toMatchObject({ content: [{ type: "text", text: "4" }] });
  expect(await half(3, "7")).toMatchObject({ content: [{ type: "text", text: "7 is not even." }], isError: true });
  expect(await ask(4, "resources/read", { uri: "x://a" })).toMatchObject({ contents: [{ uri: "x://a", text: "aaa" }] });
  input.end();
  await served;
});
