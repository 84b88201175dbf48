// lastcall agents: the agents of a task in a folder, those that nobody trusts among them.

import { join } from "node:path";
import { expect, test } from "vitest";
import type { CalledAgent } from "../../../src/cli/delegates/called-agents.js";
import { runHere } from "../command.js";
import { reviewer, wordFolder } from "./word-folder.js";

test("lists explore and the agents in files, with those that nobody has trusted", async () => {
  await using folder = await wordFolder();
  const mine = await folder.put("home/lastcall/agents/reviewer.md", reviewer);
  const theirs = await folder.put(".lastcall/agents/other.md", reviewer);
  const env = { XDG_CONFIG_HOME: join(folder.path, "home") };
  const args = ["agents", "--workdir", folder.path, "--explore-model", "small"];
  const { code, stdout } = await runHere(args, env);
  expect(code).toBe(0);
  expect(stdout).toContain(
    "explore  built in\n  Has another agent look for something in the files of this folder.\n  model: small; tools: read_file, list_files, search_files\n",
  );
  expect(stdout).toContain(
    `reviewer  ${mine}\n  Reviews a change.\n  model: that of the run; tools: read_file, write_file`,
  );
  expect(stdout).toContain(`${theirs}\n  not trusted, so it is not used\n`);
  const json = JSON.parse((await runHere([...args, "--json"], env)).stdout) as readonly Partial<CalledAgent>[];
  expect(json).toMatchObject([
    { name: "explore", model: "small", effect: "read", trusted: true },
    { name: "reviewer", source: mine, trusted: true },
    { source: theirs, trusted: false },
  ]);
  const none = await runHere(["agents", "--workdir", folder.path, "--no-explore", "--no-agents"], env);
  expect(none.stderr).toContain("There are no agents to call here.");
});
