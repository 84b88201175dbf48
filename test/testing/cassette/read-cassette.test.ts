import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { checkCassette, recordingProvider, scriptedProvider } from "../../../src/testing/index.js";
import { ask, cassetteFile } from "./recorded-folder.js";

test("a check lists the requests, and names a changed body and a key that somebody put in", async () => {
  const file = cassetteFile();
  await using upstream = await scriptedProvider([{ text: "first" }, { text: "cut here", cut: "reset" }]);
  await using recorder = await recordingProvider({ upstream: upstream.url, file, labels: { model: "m" } });
  await ask(recorder, "one");
  await ask(recorder, "two");
  const good = await checkCassette(file);
  expect(good).toMatchObject({ ignore: ["nonces", "folder"], labels: { model: "m" }, problems: [] });
  expect(good.exchanges).toMatchObject([
    { method: "POST", path: "/chat/completions", status: 200, end: "complete" },
    { method: "POST", path: "/chat/completions", status: 200, end: "cut" },
  ]);

  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replace('"content":"two"', '"content":"three"'));
  expect((await checkCassette(file)).problems).toEqual([
    "The body of request 2 was changed: its digest is another. Record the run again.",
  ]);
  writeFileSync(file, text.replace('"model":"m"}', '"model":"sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD"}'));
  expect((await checkCassette(file)).problems).toEqual([
    "A key or token is in the first line. Delete the file, and revoke the key.",
  ]);
  writeFileSync(file, text.replace("first", "first sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD"));
  expect((await checkCassette(file)).problems).toEqual([
    "A key or token is in request 1 or its response. Delete the file, and revoke the key.",
  ]);
});
