// The tool for the command: it counts, and the rules on files hold for it.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call, scriptedProvider } from "../../src/testing/index.js";
import { run } from "../cli/command.js";
import { printed, projectWith } from "./example.js";

test("it counts the lines of a file, prints what the page says, and reads nothing outside of the folder", async () => {
  await using project = await projectWith("line-tools");
  await writeFile(join(project.path, "package.json"), '{\n  "name": "x"\n}\n');
  await using provider = await scriptedProvider([
    [call("count_lines", { path: "/etc/passwd" })],
    [call("count_lines", { path: "package.json" })],
    [call("task_completion", { result: "It has 3 lines." })],
  ]);
  const tools = ["--tools", join(project.path, "line-tools.mjs")];
  const args = ["How many?", ...tools, "--base-url", provider.url, "--model", "m", "--workdir", project.path];
  const { code, stdout, stderr } = await run([...args, "--no-save"]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: printed("line-tools")[0] });
  expect(stderr).toContain("count_lines package.json\n      ok 3");
  expect(stderr).toMatch(/count_lines \/etc\/passwd\n {6}denied /);
});
