import { PassThrough } from "node:stream";
import { setTimeout as later } from "node:timers/promises";
import { expect, test } from "vitest";
import { chooseTemplate } from "../../../src/cli/init/choose-template.js";
import { plain } from "../../../src/cli/display/quantities.js";

const choices = [
  { name: "agent", about: "one" },
  { name: "desk", about: "two" },
  { name: "coding", about: "three" },
] as const;

/** The choice after these keys, and all that was drawn. */
async function chosenBy(...keys: readonly string[]): Promise<{ name: string | undefined; drawn: string }> {
  const input = new PassThrough();
  let drawn = "";
  const output = { write: (text: string) => (drawn += text) !== "" };
  const { signal } = new AbortController();
  const chosen = chooseTemplate(choices, { input, output, columns: 30, style: plain, signal });
  for (const key of keys) {
    input.write(key);
    await later(5);
  }
  return { name: await chosen, drawn };
}

const [up, down] = ["\u001b[A", "\u001b[B"];

test.each([
  [["\r"], "agent"],
  [[down, "\r"], "desk"],
  [[down, down, down, "\r"], "agent"],
  [[up, "\r"], "coding"],
  [["2", "\r"], "desk"],
  [["9", "x", "\r"], "agent"],
  [["\u0003"], undefined],
  [["\u0004"], undefined],
])("the keys %j choose %s", async (keys, name) => {
  expect((await chosenBy(...keys)).name).toBe(name);
});

test("the list is drawn in the lines that it has, marked at the choice, and cut at the width", async () => {
  const { drawn } = await chosenBy(down, "\r");
  const [, first = "", second = ""] = drawn.split(/\u001b\[3A|Return\.\n/);
  const lines = (part: string): readonly string[] => part.replaceAll("\u001b[2K", "").trimEnd().split("\n");
  expect(lines(first)).toEqual(["❯ 1. agent   one", "  2. desk    two", "  3. coding  three"]);
  expect(lines(second)).toEqual(["  1. agent   one", "❯ 2. desk    two", "  3. coding  three"]);
});

test("the end of the input and an interrupt leave without a choice", async () => {
  const input = new PassThrough();
  const output = { write: () => true };
  const asking = { input, output, columns: 80, style: plain };
  const ended = chooseTemplate(choices, { ...asking, signal: new AbortController().signal });
  input.end();
  expect(await ended).toBeUndefined();
  expect(await chooseTemplate(choices, { ...asking, signal: AbortSignal.abort() })).toBeUndefined();
});
