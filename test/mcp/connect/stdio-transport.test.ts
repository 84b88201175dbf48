// Messages of a local server as they are read from its output.

import { expect, it } from "vitest";
import { callEach, plainServer } from "../plain-server.js";

const rawResult = (result: string): string => `{"jsonrpc":"2.0","id":ID,"result":${result}}`;

it.each([
  [
    "in the data of a result",
    '{"rows":[{"id":1234567890123456789},-9007199254740993,5,1.5]}',
    '{"rows":[{"id":"1234567890123456789"},"-9007199254740993",5,1.5]}',
  ],
  [
    "beside digits in a text",
    '{"id":9007199254740993,"said":"it is 9007199254740993, \\"9007199254740995\\""}',
    '{"id":"9007199254740993","said":"it is 9007199254740993, \\"9007199254740995\\""}',
  ],
])("an id of 19 digits was rounded on its way to the model: %s", async (_place, data, expected) => {
  const server = await plainServer(["raw"]);
  const { results } = await callEach(server.tools, [
    ["plain__raw", { line: rawResult(`{"content":[],"structuredContent":${data}}`) }],
  ]);
  expect(results[0]?.text).toBe(expected);
  await server.close();
});
