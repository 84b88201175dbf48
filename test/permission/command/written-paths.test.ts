import { expect, test } from "vitest";
import { writtenBy } from "../../../src/permission/command/written-paths.js";

test.each<[string, readonly string[]]>([
  ["cp evil.json .mcp.json", [".mcp.json", ".mcp.json/evil.json"]],
  ["cp a/.mcp.json .", [".mcp.json"]],
  ["cp -t .git a/config", [".git", ".git/config"]],
  ["cp --target-directory=.git a/config", [".git", ".git/config"]],
  ["rsync -rt a .git", [".git", ".git/a"]],
  ["/bin/mv a b", ["a", "b", "b/a"]],
  ["rm -rf .git x", [".git", "x"]],
  ["tee -a log", ["log"]],
  ["dd if=a of=.mcp.json", [".mcp.json"]],
  ["sed -i s/a/b/ x", ["s/a/b/", "x"]],
  ["sed -n 1,3p x", []],
  ["cat .mcp.json", []],
  ["npm test", []],
])("%s writes what its words say", (command, paths) => {
  expect(writtenBy(command.split(" "))).toEqual(paths);
});
