import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agentFilesIn, readAgents } from "../../../src/cli/agent-files/agent-files.js";
import { temporary } from "../command.js";

const text = "---\ndescription: x\n---\nYou review.\n";

test("the Markdown files of a folder are agents, by their names; no folder has none", async () => {
  await using folder = await temporary();
  for (const name of ["b.md", "a.MD", "c.txt"]) await writeFile(join(folder.path, name), text);
  expect((await agentFilesIn(folder.path)).map(({ path }) => path)).toEqual([
    join(folder.path, "a.MD"),
    join(folder.path, "b.md"),
  ]);
  expect(await agentFilesIn(join(folder.path, "none"))).toEqual([]);
  await expect(agentFilesIn(join(folder.path, "c.txt"))).rejects.toThrow(/c\.txt can't be read: .* --no-agents/);
});

test("a device, a folder and a huge file are no agents, and the message says which file", async () => {
  await using folder = await temporary();
  const path = join(folder.path, "x.md");
  await symlink("/dev/zero", path);
  await expect(agentFilesIn(folder.path)).rejects.toThrow(`${path} can't be read: it is no plain file. Move it away`);
  await using other = await temporary();
  await mkdir(join(other.path, "x.md"));
  await expect(agentFilesIn(other.path)).rejects.toThrow("it is no plain file");
  await using third = await temporary();
  await writeFile(join(third.path, "x.md"), "x".repeat(1024 * 1024 + 1));
  await expect(agentFilesIn(third.path)).rejects.toThrow("it is longer than 1 MiB");
});

test("more agents than a model can use are an error, and so is a file that is not there", async () => {
  await using folder = await temporary();
  for (let index = 0; index < 51; index++) await writeFile(join(folder.path, `${String(index)}.md`), text);
  await expect(agentFilesIn(folder.path)).rejects.toThrow("has 51 agents, and a model can use 50 at the most");
  await expect(readAgents([join(folder.path, "no.md")])).rejects.toThrow("no.md: there is no such file.");
});
