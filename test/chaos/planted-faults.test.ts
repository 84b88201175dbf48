// The faults that `npm run plant` plants can be planted: the script itself takes minutes, and CI runs a part of it in turn.

import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { faults } from "./planted-faults.mjs";

test.each(faults)("this fault has its place in the sources: $name", ({ file, from, to, tests }) => {
  expect(readFileSync(file, "utf8").split(from)).toHaveLength(2);
  expect(to).not.toBe(from);
  for (const path of tests) expect(existsSync(path), path).toBe(true);
});
