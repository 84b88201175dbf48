// The progress of a call, for a reader that may be slower than the server.

import { expect, test } from "vitest";
import { Latest } from "../../../src/mcp/tools/latest.js";

test("a slow reader gets the newest line, and the last line comes before the end", async () => {
  const latest = new Latest();
  const reading = latest.read();
  latest.put("1");
  latest.put("2");
  expect(await reading.next()).toEqual({ done: false, value: "2" });
  const next = reading.next();
  latest.put("3");
  expect(await next).toEqual({ done: false, value: "3" });
  latest.put("4");
  latest.end();
  expect(await reading.next()).toEqual({ done: false, value: "4" });
  expect(await reading.next()).toEqual({ done: true, value: undefined });
});

test("a flood is cut after a thousand lines, and its end is still seen", async () => {
  const latest = new Latest();
  let lines = 0;
  const reading = (async () => {
    for await (const line of latest.read()) lines += line.length;
  })();
  for (let at = 0; at < 1200; at += 1) {
    latest.put("a");
    await new Promise((resolve) => setImmediate(resolve));
  }
  latest.end();
  await reading;
  expect(lines).toBe(1000);
});
