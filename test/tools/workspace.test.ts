// workspaceTools: all the tools together, in the form that an agent gets.

import { writeFile as write } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, expectTypeOf, test } from "vitest";
import { createAgent } from "../../src/index.js";
import { allowAll } from "../../src/permission/index.js";
import { compile } from "../../src/schema/index.js";
import { call as scripted, scriptedModel } from "../../src/testing/index.js";
import { taskCompletion, workspaceTools } from "../../src/tools/index.js";
import { makeFolder } from "./fixture.js";

describe("the workspace tools", () => {
  test("keep their names as types, and say what they do to the world", async () => {
    const tools = workspaceTools({ root: await makeFolder() });
    expectTypeOf(tools[0].name).toEqualTypeOf<"read_file">();
    expectTypeOf(tools[7].name).toEqualTypeOf<"run_command">();
    expect(tools.map(({ name, effect }) => [name, effect])).toEqual([
      ["read_file", "read"],
      ["write_file", "write"],
      ["edit_file", "write"],
      ["list_files", "read"],
      ["search_files", "read"],
      ["move_file", "write"],
      ["delete_file", "write"],
      ["run_command", "execute"],
    ]);
  });

  test("send schemas that every server takes: no bounds, no patterns", async () => {
    for (const { input } of workspaceTools({ root: await makeFolder() })) {
      const { json } = compile(input);
      expect(JSON.stringify(json)).not.toMatch(
        /"(?:minimum|maximum|exclusive\w*|min\w+|max\w+|format|default)":|"pattern":"/i,
      );
      for (const field of Object.values(json["properties"] as object)) expect(field).toHaveProperty("description");
    }
  });

  test("work in an agent: it reads, writes, runs and completes", async () => {
    const root = await makeFolder();
    await write(join(root, "name.txt"), "world");
    const model = scriptedModel([
      [scripted("list_files"), scripted("read_file", { path: "name.txt" })],
      [scripted("write_file", { path: "greet.sh", content: "read name < name.txt; echo hello $name" })],
      [scripted("run_command", { command: "sh greet.sh" })],
      ({ lastText }) => [scripted("task_completion", { result: lastText })],
    ]);
    const agent = createAgent({
      model,
      tools: [...workspaceTools({ root }), taskCompletion()],
      permission: allowAll(),
    });
    const outcome = await agent.run("Greet.");
    const result = expect.stringMatching(/^\[outside (\w{6})\]\nexit code 0\nhello world\n\n\[end \1\]$/) as string;
    expect(outcome).toMatchObject({ status: "completed", value: { result } });
  });
});
