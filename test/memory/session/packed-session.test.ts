// Sessions as a page carries them: nothing of markup is in their text, and a text that grows without end is not read.

import { expect, test } from "vitest";
import { packed, unpacked } from "../../../src/memory/session/packed-session.js";

async function* pieces(...texts: readonly string[]): AsyncGenerator<string, void, void> {
  yield* texts;
}

test("any text comes back as it was, and is letters and digits on its way", async () => {
  const value = { a: "</script><!-- \u2028\u2029 \ud800 \u0000 😀 ]]>", b: ["x".repeat(600_000)] };
  const text = await packed(pieces(...(JSON.stringify(value).match(/.{1,50000}/gsu) ?? [])));
  expect(text).toMatch(/^[A-Za-z0-9+/=]+$/);
  expect(await unpacked(text)).toEqual(value);
});

test("too much is neither packed nor unpacked, and a text that was cut is told", async () => {
  const long = JSON.stringify("x".repeat(2_000_000));
  await expect(packed(pieces(long), 1_048_576)).rejects.toThrow("more than 1 MB");
  const text = await packed(pieces(long));
  expect(text.length).toBeLessThan(20_000);
  await expect(unpacked(text, 1_048_576)).rejects.toThrow("more than 1 MB");
  await expect(unpacked(text.slice(0, 100))).rejects.toThrow("the page is not whole");
  await expect(unpacked("<b>")).rejects.toThrow("the page is not whole");
});
