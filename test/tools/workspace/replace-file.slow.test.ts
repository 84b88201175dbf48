// Replacing a file in a process that is killed: the old or the new file is there, whole.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile as read, rm, writeFile as write } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { makeFolder } from "../fixture.js";
import { built } from "../../dist.js";

test("a process that is killed in the midst of it leaves the old file or the new one, whole", async () => {
  const root = await makeFolder();
  const script = `
    import { writeFile } from "${built("tools")}";
    const tool = writeFile({ root: process.cwd() });
    const signal = new AbortController().signal;
    process.stdout.write("ready\\n");
    for (let turn = 0; ; turn += 1) {
      const content = String.fromCharCode(97 + turn % 26).repeat(4_000_000);
      await tool.run({ path: "a.txt", content }, { signal });
    }`;
  await write(join(root, "a.txt"), "z".repeat(4_000_000));
  let isCaught = 0;
  for (let kills = 0; kills < 8; kills += 1) {
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
      cwd: root,
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(child.stdout, "data");
    // Half of the kills come once the new file is visible beside the old one, the others at random times.
    if (kills % 2 === 0) while ((await readdir(root)).length === 1);
    else await sleep(Math.random() * 60);
    child.kill("SIGKILL");
    await once(child, "close");
    const text = await read(join(root, "a.txt"), "utf8");
    expect(text.length).toBe(4_000_000);
    expect(text).toBe((text[0] ?? "").repeat(4_000_000));
    const left = (await readdir(root)).filter((name) => name !== "a.txt");
    if (left.length > 0) isCaught += 1;
    for (const name of left) {
      expect(name).toMatch(/^\.lastcall-/);
      await rm(join(root, name));
    }
  }
  expect(isCaught).toBeGreaterThan(0);
}, 60_000);
