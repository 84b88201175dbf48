// Harbor tasks that can't be tried here, and folders that are wrong.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { evaluation, gateOf, harborTasks } from "../../../src/evals/index.js";
import { agentWith, claim, drained, modelThat, newFolder } from "../world.js";
import { taskFolder, saidOf, writeTask } from "./harbor-world.js";

describe("a task that needs more than a work folder is void without a run, and says why", () => {
  const docker = (text: string) => ({ "environment/Dockerfile": text });
  const toml = (text: string) => ({ "task.toml": text });
  test.each([
    [
      {
        ...docker("FROM ubuntu\nWORKDIR /app\nRUN apt-get update && apt-get install -y jq\n"),
        "solution/solve.sh": undefined,
      },
      'it needs the programs of "RUN apt-get update && apt-get install -y jq", and has no solution',
    ],
    [docker("FROM ubuntu\nWORKDIR /app\nRUN cat > a << 'EOF'\nUSER x\nEOF\n"), "has a form that is not read here"],
    [docker("FROM ubuntu\nWORKDIR /solution\n"), "its work folder /solution can't be had here"],
    [docker("FROM ubuntu\nWORKDIR /app\nCOPY --from=build /x /app/x\n"), "copies with an option"],
    [docker("FROM a AS build\nFROM b\nWORKDIR /app\n"), "begins a second image"],
    [docker("FROM ubuntu\nWORKDIR /app\nCOPY conf /etc/app/\n"), "copies outside of /app"],
    [docker("FROM ubuntu\nWORKDIR /app\nADD https://example.com/x.tgz .\n"), "downloads a file"],
    [docker("FROM ubuntu\nWORKDIR /app\nENV APP_MODE=test\n"), "sets a variable"],
    [docker("FROM ubuntu\nWORKDIR /app\nUSER app\n"), "needs a container"],
    [docker("FROM ubuntu\n"), "its work folder / can't be had here"],
    [docker("FROM ubuntu\nWORKDIR /usr/src/app\n"), "its work folder /usr/src/app can't be had here"],
    [{ "environment/docker-compose.yaml": "services: {}\n" }, "several containers"],
    [{ "environment/Dockerfile": undefined }, "no environment/Dockerfile"],
    [{ "tests/test.sh": undefined, "tests/test.bat": "echo 1\n" }, "no tests/test.sh"],
    [{ "instruction.md": "Edit /etc/nginx/nginx.conf.\n" }, "names /etc/nginx"],
    [
      { ...docker("FROM python:3.12\nWORKDIR /app\n"), "solution/solve.sh": undefined },
      "needs the programs of the image python:3.12",
    ],
    [toml('[environment]\ndocker_image = "x/y"\ngpus = 1\n'), "it needs a GPU"],
    [toml("[environment]\ncpus = 4096\n"), "4096 processors"],
    [toml('[environment]\nmemory = "9999G"\n'), "MB of memory"],
    [toml('[environment]\nos = "windows"\n'), "Windows"],
    [toml('[environment]\nnetwork_mode = "allowlist"\nallowed_hosts = ["example.com"]\n'), "some hosts"],
    [toml('[[environment.mcp_servers]]\nname = "a"\nurl = "http://x"\n'), "MCP servers"],
    [toml('[[steps]]\nname = "one"\n'), "several steps"],
    [toml('[verifier]\nenvironment_mode = "separate"\n'), "a container of their own"],
    [toml('[verifier]\nenv = { KEY = "${NOT_SET_ANYWHERE}" }\n'), "NOT_SET_ANYWHERE, which is not set"],
    [toml('schema_version = "2.0"\n'), "its format is 2.0"],
  ])("%j", async (files: Readonly<Record<string, string | undefined>>, why) => {
    expect(await saidOf(taskFolder(files))).toContain(why);
  });

  test("a text behind a line with << is no instruction, and more than three reasons are counted", async () => {
    const heredoc = await saidOf(taskFolder(docker("FROM ubuntu\nWORKDIR /app\nRUN cat > a <<EOF\nUSER x\nEOF\n")));
    expect(heredoc).not.toContain("USER");
    const many = docker("FROM ubuntu\nWORKDIR /app\nUSER a\nUSER b\nUSER c\nUSER d\nUSER e\n");
    expect(await saidOf(taskFolder(many))).toMatch(/USER c" needs a container; and 2 more/);
  });

  test("its trials stand in the report beside those of other tasks, and fail the gate", async () => {
    const folder = newFolder();
    writeTask(join(folder, "needs-gpu"), { "task.toml": "[environment]\ngpus = 1\n" });
    let asked = 0;
    const model = modelThat([claim]);
    const plan = evaluation({
      tasks: await harborTasks(folder),
      variants: { bare: agentWith() },
      models: { liar: { ...model, respond: (...given) => ((asked += 1), model.respond(...given)) } },
      trials: 2,
    });
    const { report } = await drained(plan, { base: newFolder() });
    expect(report.rows.map(({ result, attempts, why }) => [result, attempts, why.includes("it needs a GPU")])).toEqual([
      ["void", 0, true],
      ["void", 0, true],
    ]);
    expect(asked).toBe(0);
    expect(gateOf(report)).toEqual(["2 of 2 trials are void, more than 5 %"]);
  });
});

describe("a folder that is wrong is a fault that says what to do", () => {
  test("no folder, no task, a task.toml that is no TOML, no instruction", async () => {
    const folder = newFolder();
    await expect(harborTasks(join(folder, "none"))).rejects.toThrow("there is no folder");
    await expect(harborTasks(folder)).rejects.toThrow("nor a folder directly below it has a task.toml");
    await expect(harborTasks(taskFolder({ "task.toml": "version = \n" }))).rejects.toThrow("task.toml is no TOML");
    await expect(harborTasks(taskFolder({ "instruction.md": "\n" }))).rejects.toThrow("no words in instruction.md");
  });

  test("the tasks of a folder come in order, with names that files can have", async () => {
    const folder = newFolder();
    for (const name of ["b.two", "a"]) writeTask(join(folder, name));
    writeFileSync(join(folder, "readme.md"), "not a task\n");
    expect((await harborTasks(folder)).map(({ id }) => id)).toEqual(["a", "b-two"]);
  });
});
