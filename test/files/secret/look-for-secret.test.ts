// Whether a file is likely to hold secrets, by its name and its content.

import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { isSecretAt, isSecretFound } from "../../../src/files/secret/look-for-secret.js";
import { readingAtMost } from "../short-reads.js";

function folderForTest(): string {
  const folder = mkdtempSync(join(tmpdir(), "lastcall-secret-"));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

test("a secret was not seen behind a read that got less than the file has", () => {
  const place = join(folderForTest(), "notes.txt");
  writeFileSync(place, `${"A word. ".repeat(20)}\n-----BEGIN RSA PRIVATE KEY-----\n${"MIIEpAIBAAKCAQEA".repeat(20)}\n`);
  expect(isSecretAt("notes.txt", place)).toBe(true);
  readingAtMost(50);
  expect(isSecretAt("notes.txt", place)).toBe(true);
});

test("a file in a folder that is renamed to one of secrets is looked at again", async () => {
  const folder = folderForTest();
  mkdirSync(join(folder, "notes"));
  writeFileSync(join(folder, "notes/app.json"), '{ "pin": 4711');
  utimesSync(join(folder, "notes/app.json"), 1, 1);
  // Only findings about files that have not changed for two seconds are kept.
  await sleep(2100);
  expect(isSecretFound("notes/app.json", join(folder, "notes/app.json"))).toBe(false);
  renameSync(join(folder, "notes"), join(folder, "secrets"));
  const place = join(folder, "secrets/app.json");
  expect(isSecretFound("secrets/app.json", place)).toBe(isSecretAt("secrets/app.json", place));
  expect(isSecretFound("secrets/app.json", place)).toBe(true);
});

test.each([
  ["missing", "password", false],
  ["missing", ".env", true],
])("a file that is %s counts by its name: %s", (_what, name, isSecret) => {
  expect(isSecretAt(name, join(folderForTest(), name))).toBe(isSecret);
});
