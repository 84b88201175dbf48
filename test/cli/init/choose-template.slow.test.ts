// The choice of a template at a real terminal.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { atTerminal } from "../chat/terminal-screen.js";
import { noTerminal, temporary } from "../command.js";

const down = "\u001b[B";

test.skipIf(noTerminal)(`a person chooses with the arrow keys${noTerminal}`, async () => {
  await using folder = await temporary();
  await using screen = atTerminal(`init ${folder.path}/my-desk`);
  expect(await screen.see("4. service")).toContain("❯ 1. agent");
  await screen.type(down, "\r");
  const { code } = await screen.ended;
  expect(code).toBe(0);
  expect(screen.all()).toContain("❯ 2. desk");
  expect(screen.all()).not.toContain("❯ 1. agent");
  expect(await readFile(join(folder.path, "my-desk/package.json"), "utf8")).toContain('"name": "my-desk"');
});

test.skipIf(noTerminal)(`Ctrl-C leaves, and nothing is made${noTerminal}`, async () => {
  await using folder = await temporary();
  await using screen = atTerminal(`init ${folder.path}/my-desk`);
  await screen.see("4. service");
  await screen.type("\u0003");
  const { code } = await screen.ended;
  expect(code).toBe(130);
  expect(screen.all()).toContain("Nothing was made.");
  await expect(readFile(join(folder.path, "my-desk/package.json"))).rejects.toThrow("ENOENT");
});
