import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agentNames } from "../../../src/cli/agent-files/left-out-agents.js";
import { temporary } from "../command.js";

test("agents are named by their fields, and files that can't be used by themselves", async () => {
  await using folder = await temporary();
  const at = (name: string): string => join(folder.path, name);
  await writeFile(at("a.md"), "---\nname: reviewer\ndescription: x\n---\nReview.\n");
  await writeFile(at("b.MD"), "nothing");
  const paths = [at("none/gone.md"), at("a.md")];
  expect(await agentNames({ folders: [folder.path, at("none"), at("a.md")], paths })).toEqual([
    "reviewer",
    "b",
    "gone",
    "reviewer",
  ]);
});
