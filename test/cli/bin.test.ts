// The entry of the command: a Node that is too old is told in one sentence.

import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { run, temporary } from "./command.js";

test.each([
  ["18.20.1", "refused"],
  ["20.18.3", "refused"],
  ["20.19.0", "taken"],
  ["24.0.0", "taken"],
])(
  "Node %s died with a SyntaxError where it lacked a function; it is refused in a sentence, or taken (%s)",
  async (version, way) => {
    await using folder = await temporary();
    const pretend = join(folder.path, "pretend.cjs");
    const value = `{ ...process.versions, node: ${JSON.stringify(version)} }`;
    await writeFile(pretend, `Object.defineProperty(process, "versions", { value: ${value} });`);
    const env = { NODE_OPTIONS: `--require ${pretend}`, XDG_STATE_HOME: folder.path };
    const ended = await run(["resume", "no-such-session"], env);
    const sentence = `lastcall needs Node 20.19 or later, and this is Node ${version}.\n`;
    if (way === "refused") expect(ended).toMatchObject({ code: 4, stdout: "", stderr: sentence });
    else expect(ended.stderr).not.toContain("needs Node");
    expect((await run(["--version"], env)).code).toBe(0);
  },
);

test("the oldest Node in the sentence is the one that package.json names", async () => {
  const root = resolve(import.meta.dirname, "../..");
  const { engines } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { engines: { node: string } };
  expect(engines.node).toBe(">=20.19.0");
});
