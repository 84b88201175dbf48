import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createAgent } from "../../../src/index.js";
import { checkGoldens } from "../../../src/testing/index.js";
import { bookkeeper, newWorld, recordedSession, script } from "./bookkeeper.js";

async function goldenFolder(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "goldens-"));
  writeFileSync(join(folder, "pay.json"), JSON.stringify(await recordedSession()));
  writeFileSync(join(folder, "pay-again.json"), JSON.stringify(await recordedSession({}, script)));
  writeFileSync(join(folder, "README.md"), "Kept sessions.");
  return folder;
}

test("each golden journal of a folder goes the same way", async () => {
  const folder = await goldenFolder();
  const agent = createAgent(bookkeeper(newWorld()));
  expect(await checkGoldens(folder, { agent })).toEqual(["pay-again.json", "pay.json"]);
});

test("the error names the file and its departure", async () => {
  const folder = await goldenFolder();
  const agent = createAgent(bookkeeper(newWorld(), { instructions: "Be quick." }));
  await expect(checkGoldens(folder, { agent })).rejects.toThrow(
    /^2 of 2 golden journals depart\.\npay-again\.json:\ndeparts at 1\/model:1 \(request\)\n/,
  );
});

test.each([
  ["an empty folder", (folder: string) => folder, "has no golden journal"],
  ["no folder", (folder: string) => join(folder, "none"), "The folder of golden journals can't be read"],
  [
    "a file that is no JSON",
    (folder: string) => {
      writeFileSync(join(folder, "bad.json"), "{");
      return folder;
    },
    "bad.json is no session",
  ],
])("%s is refused", async (_name, make, message) => {
  const folder = make(mkdtempSync(join(tmpdir(), "goldens-")));
  const agent = createAgent(bookkeeper(newWorld()));
  await expect(checkGoldens(folder, { agent })).rejects.toThrow(message);
});
