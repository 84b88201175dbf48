// Ignoring: compares names. The comparison with git is in ignoring.slow.test.ts.

import { expect, test } from "vitest";
import { ignoringNothing } from "../../src/files/index.js";

test("a name is the same whichever way its accents are written, and names of dots are names", () => {
  const ignoring = ignoringNothing.and("", "caf\u00e9\n...\n");
  expect(ignoring.ignores("cafe\u0301")).toBe(true);
  expect(ignoring.ignores(".../x")).toBe(true);
  expect(ignoring.ignores("....")).toBe(false);
});
