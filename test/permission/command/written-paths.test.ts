import { expect, test } from "vitest";
import { writtenBy } from "../../../src/permission/command/written-paths.js";

test.each<[string, readonly string[]]>([
  ["cp evil.json .mcp.json", [".mcp.json"]],
  ["cp .mcp.json copy.json", ["copy.json"]],
  ["cp .mcp.json folder", ["folder", "folder/.mcp.json"]],
  ["cp .mcp.json new/", ["new/.mcp.json"]],
  ["cp .mcp.json x new", ["new", "new/.mcp.json", "new/x"]],
  ["cp a/.mcp.json .", [".mcp.json"]],
  ["cp -t .git a/config", [".git", ".git/config"]],
  ["cp --target-directory=.git a/config", [".git", ".git/config"]],
  ["rsync -rt a .git", [".git"]],
  ["/bin/mv a b", ["a", "b"]],
  ["rm -rf .git x", [".git", "x"]],
  ["tee -a log", ["log"]],
  ["dd if=a of=.mcp.json", [".mcp.json"]],
  ["sed -i s/a/b/ x", ["s/a/b/", "x"]],
  ["sed -n 1,3p x", []],
  ["cat .mcp.json", []],
  ["npm test", []],
])("%s writes what its words say", (command, paths) => {
  expect(writtenBy(command.split(" "), (path) => [".", "folder"].includes(path))).toEqual(paths);
});
