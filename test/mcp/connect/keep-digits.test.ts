// Long numbers in the events of a server over HTTP.

import { expect, test } from "vitest";
import { fetchWithDigits } from "../../../src/mcp/connect/keep-digits.js";

const result = (more: string): string => `{"jsonrpc":"2.0","id":1,"result":${more}}`;
const long = result('{"content":[],"structuredContent":{"id":1234567890123456789}}');
const kept = result(
  '{"content":[{"type":"text","text":"{\\"id\\":\\"1234567890123456789\\"}"}],"structuredContent":{"id":1234567890123456800}}',
);

/** The stream as it is read behind the fetch function, if it comes in pieces of `size` bytes. */
async function through(stream: string, size: number): Promise<string> {
  const bytes = new TextEncoder().encode(stream);
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.subarray(at, at + size));
      controller.close();
    },
  });
  const answer = new Response(body, { headers: { "content-type": "text/event-stream" } });
  return (await fetchWithDigits(() => Promise.resolve(answer))("http://127.0.0.1/")).text();
}

test.each([1, 2, 7, 1000])("have their digits, however the stream is split: %i bytes", async (size) => {
  const before = ": alive\n\nid: 4\nevent: message\n";
  const other = `data: ${result('{"content":[],"structuredContent":{"name":"Zoë 🦜","n":12}}')}\n\n`;
  expect(await through(`${before}data: ${long}\n\n${other}`, size)).toBe(`${before}data: ${kept}\n\n${other}`);
});

test.each([
  [
    "a result that has words",
    result('{"content":[{"type":"text","text":"x"}],"structuredContent":{"id":1234567890123456789}}'),
  ],
  ["an event that is no message", '"structuredContent" 1234567890123456789'],
  ["lines that end with a carriage return alone", `x\r\r`],
])("stay as they came: %s", async (_what, data) => {
  for (const size of [1, 1000]) expect(await through(`data: ${data}\n\n`, size)).toBe(`data: ${data}\n\n`);
});

test("an end that was cut off is passed on", async () => {
  expect(await through(`data: ${long}`, 5)).toBe(`data: ${long}`);
});

test("an event is passed on once it is whole, before the next one begins", async () => {
  let write: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({ start: (controller) => void (write = controller) });
  const answer = new Response(body, { headers: { "content-type": "text/event-stream" } });
  const { body: read } = await fetchWithDigits(() => Promise.resolve(answer))("http://127.0.0.1/");
  const reader = (read as ReadableStream<Uint8Array>).getReader();
  write!.enqueue(new TextEncoder().encode("data: 1\n\ndata: 2"));
  expect(new TextDecoder().decode((await reader.read()).value)).toBe("data: 1\n\n");
  write!.close();
  expect(new TextDecoder().decode((await reader.read()).value)).toBe("data: 2");
});
