import { expect, test } from "vitest";
import { withoutIgnored } from "../../../src/testing/cassette/ignorings.js";

const folder = "/home/me/work";

test("nonces are numbered in their order, so that two nonces stay two", () => {
  const text = "[outside abc123]\nx\n[end abc123] [outside zzz999 (suspicious)]";
  expect(withoutIgnored({ a: [text] }, { ignore: ["nonces"], folder })).toEqual({
    a: ["[outside nonce-1]\nx\n[end nonce-1] [outside nonce-2 (suspicious)]"],
  });
  expect(withoutIgnored("[outside N] and [end N]", { ignore: ["nonces"], folder })).toBe("[outside N] and [end N]");
});

test("the folder is ignored, and a longer name that begins with it is not", () => {
  const text = `${folder}/a.txt, ${folder}; ${folder}-2/b, ${folder}`;
  expect(withoutIgnored(text, { ignore: ["folder"], folder })).toBe(
    "[folder]/a.txt, [folder]; /home/me/work-2/b, [folder]",
  );
  expect(withoutIgnored("a/b", { ignore: ["folder"], folder: "/" })).toBe("a/b");
  expect(withoutIgnored(text, { ignore: [], folder })).toBe(text);
});
