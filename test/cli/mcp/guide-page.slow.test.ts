// The section of the guide about the command: its file and its lines work as they stand.

import { readFileSync } from "node:fs";
import { symlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { call } from "../../../src/testing/index.js";
import { runHere } from "../command.js";
import { serverFolder } from "./server-folder.js";

const root = resolve(import.meta.dirname, "../../..");
const page = readFileSync(join(root, "docs/guide/12-tools-from-mcp-servers.md"), "utf8");
const section = page.slice(page.indexOf("## At the command"));
const list = /^```json\n([^]*?)^```$/m.exec(section)?.[1] ?? "";
const lines = (/^```sh\n([^]*?)^```$/m.exec(section)?.[1] ?? "").split("\n").filter((line) => line !== "");

/** The words of a line of the page that begins so, without its remark. */
function wordsOf(beginning: string): readonly string[] {
  const line = lines.find((one) => one.startsWith(beginning)) ?? "";
  const words = line.replace(/\s+#.*$/, "").match(/'[^']*'|"[^"]*"|\S+/g) ?? [];
  return words.slice(1).map((word) => word.replace(/^(['"])(.*)\1$/, "$2"));
}

test("the guide's .mcp.json gives a task its tool, mcp list lists it, and mcp test calls it", async () => {
  await using folder = await serverFolder();
  await symlink(join(root, "node_modules/.bin"), join(folder.path, "node_modules/.bin"));
  const path = await folder.put(".mcp.json", list);
  const env = { XDG_CONFIG_HOME: folder.path };
  // Nobody is there to trust the file, so it is named.
  const named = ["--mcp", path];
  const script = [[call("demo__get-sum", { a: 19, b: 23 })], [call("task_completion", { result: "It is 42." })]];
  const { code, stdout, stderr } = await folder.on(script, [...wordsOf('lastcall "add'), ...named]);
  expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: "It is 42.\n" });
  expect(stderr).toContain("ok The sum of 19 and 23 is 42.");
  const place = [...named, "--workdir", folder.path];
  const listed = await runHere([...wordsOf("lastcall mcp list"), ...place], env);
  expect(listed.stdout).toContain("demo__get-sum ");
  const tried = await runHere([...wordsOf("lastcall mcp test"), ...place], env);
  expect(tried).toMatchObject({ code: 0, stdout: "The sum of 19 and 23 is 42.\n" });
});
