// Rounds and rivals that lack something, or would have to ask somebody, are refused before anything is done.

import { expect, test } from "vitest";
import { runHere } from "../command.js";

const until = ["--until", "true"];

test.each([
  [["do it", "--rounds", "3"], "--rounds needs a check that says what is right; add --until"],
  [["do it", "--best-of", "3"], "--best-of needs a check that says what is right; add --until"],
  [["do it", "--by", "wc"], "--by rates the runs of --best-of; add --best-of N"],
  [["do it", ...until, "--rounds", "2", "--best-of", "2"], "two ways; give one of them"],
  [["do it", ...until, "--rounds", "2", "--by", "wc"], "--rounds takes no --by"],
  [["do it", ...until, "--rounds", "2", "--park"], "asks nobody; leave out --ask and --park"],
  [["do it", ...until, "--best-of", "2", "--dry-run"], "needs files that change; leave out --dry-run"],
  [["do it", ...until, "--best-of", "2", "--no-save"], "leave out --no-save"],
  [["do it", ...until, "--best-of", "0"], "is no whole number"],
])("%j", async (args, words) => {
  const { code, stderr } = await runHere([...args, "--no-config"]);
  expect({ code, stderr }).toMatchObject({ code: 4, stderr: expect.stringContaining(words) });
});
