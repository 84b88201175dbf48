// The variables and wrappers in front of a command.

import { expect, it } from "vitest";
import { behindTimeout, isHarmlessAssignment } from "../../../src/permission/command/wrappers.js";

it.each([
  ["CI", "1"],
  ["NODE_ENV", "test"],
  ["TZ", "Europe/Berlin"],
  ["TZ", ""],
  ["LC_ALL", "en_US.UTF-8"],
  ["RUST_BACKTRACE", "full"],
])("%s=%s is harmless", (name, value) => {
  expect(isHarmlessAssignment(name, value)).toBe(true);
});

it.each([
  ["PATH", "."],
  ["LD_PRELOAD", "x"],
  ["NODE_OPTIONS", "x"],
  ["GIT_DIR", "x"],
  ["GIT_EDITOR", "x"],
  ["HOME", "x"],
  ["IFS", "x"],
  ["ENV", "x"],
  ["BASH_ENV", "x"],
  ["LC_all", "C"],
  ["TZ", "/etc/passwd"],
  ["TZ", "../x"],
  ["TZ", ":/etc/passwd"],
  ["LANG", "a/b"],
  ["CI", "a b"],
])("%s=%s is not", (name, value) => {
  expect(isHarmlessAssignment(name, value)).toBe(false);
});

it.each<[string, string | undefined]>([
  ["timeout 5 npm test", "npm test"],
  ["timeout -k 1s -s KILL 0.5m ls -la", "ls -la"],
  ["timeout --foreground 5 ls", "ls"],
  ["timeout 5", undefined],
  ["timeout -x 5 ls", undefined],
  ["timeout -k x 5 ls", undefined],
  ["timeout five ls", undefined],
  ["nice ls", undefined],
])("behind %j is %j", (text, behind) => {
  expect(behindTimeout(text.split(" "))?.join(" ")).toBe(behind);
});
