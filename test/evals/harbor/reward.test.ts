// The reward in a file, as an answer: a number is a yes or a no, and everything else is void.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { rewardIn } from "../../../src/evals/harbor/reward.js";
import { newFolder } from "../world.js";

test.each([
  [{ "reward.txt": "1\n" }, "yes"],
  [{ "reward.txt": " 1.0 " }, "yes"],
  [{ "reward.txt": "0.999" }, "no"],
  [{ "reward.txt": "-1" }, "no"],
  [{ "reward.txt": "" }, "void"],
  [{ "reward.txt": "\n" }, "void"],
  [{ "reward.txt": "pass" }, "void"],
  [{ "reward.txt": "Infinity" }, "void"],
  [{ "reward.json": "1" }, "yes"],
  [{ "reward.json": '{"reward": true}' }, "yes"],
  [{ "reward.json": '{"reward": 0, "style": 1}' }, "no"],
  [{ "reward.json": '{"tests": 1}' }, "yes"],
  [{ "reward.json": '{"tests": 1, "style": 1}' }, "void"],
  [{ "reward.json": '{"reward": "1"}' }, "void"],
  [{ "reward.json": '{"reward": 1e999}' }, "void"],
  [{ "reward.json": "{" }, "void"],
  [{ "reward.json": "", "reward.txt": "1" }, "void"],
  [{}, "void"],
])("%j is %s", async (files: Readonly<Record<string, string>>, is) => {
  const folder = newFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const answer = await rewardIn(folder, "exit code 7");
  expect(answer.is).toBe(is);
  expect(answer.why).toContain("exit code 7");
});
