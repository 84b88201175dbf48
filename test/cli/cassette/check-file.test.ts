import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { recordingProvider, scriptedProvider } from "../../../src/testing/index.js";
import { ask, cassetteFile } from "../../testing/cassette/recorded-folder.js";
import { runHere } from "../command.js";

test("lastcall cassette check lists the requests, and ends with 2 if there is a problem", async () => {
  const file = cassetteFile();
  await using upstream = await scriptedProvider(["hello"]);
  await using recorder = await recordingProvider({ upstream: upstream.url, file });
  await ask(recorder, "one");
  const good = await runHere(["cassette", "check", file]);
  expect(good).toMatchObject({ code: 0, stderr: "" });
  expect(good.stdout).toMatch(
    /^1 request; not compared: nonces, folder\n1 {2}POST \/chat\/completions {2}200 {2}\d+ pieces? in \d+ ms\n/,
  );
  expect(good.stdout).toContain("It can be replayed, and no known key is in it.");

  writeFileSync(file, readFileSync(file, "utf8").replace('"one"', '"two"'));
  const bad = await runHere(["cassette", "check", file]);
  expect(bad).toMatchObject({ code: 2, stderr: expect.stringContaining("The body of request 1 was changed") });
});

test.each([
  [["cassette"], "lastcall cassette needs check and a file"],
  [["cassette", "look", "x"], 'lastcall cassette has no "look"; it has check FILE'],
  [["cassette", "check", "none.jsonl"], "The cassette none.jsonl can't be read"],
])("%j is refused", async (words, message) => {
  const { code, stderr } = await runHere(words);
  expect({ code, stderr }).toMatchObject({ code: 4, stderr: expect.stringContaining(message) });
});
