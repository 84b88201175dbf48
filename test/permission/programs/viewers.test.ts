// Programs that show files: words and files of a workspace by which they would do more.

import { expect, test } from "vitest";
import { makeScene } from "../scene.js";

const files = { "a.txt": "1\n", "b.txt": "2\n", "@list": "../outside.txt\n", "x.zip": { to: "../outside.txt" } };
const programs = "less more bat batcat cat xxd strings tac tar unzip gzip";

test.each([
  "less a.txt",
  "less -N a.txt b.txt",
  "more a.txt",
  "bat a.txt",
  "batcat -p --color=always a.txt",
  "xxd a.txt",
  "xxd -c8 -l 16 a.txt",
  "strings -n 4 a.txt",
  "tac a.txt",
  "tar -tzf a.tgz",
  "unzip -l a.zip",
])("%s shows and does nothing else", async (command) => {
  expect(await makeScene(files, programs).question(command)).toBeUndefined();
});

test.each([
  "less '+!touch made' a.txt",
  "less -o made a.txt",
  "less -k keys a.txt",
  "less ../outside.txt",
  "more +/x a.txt",
  "bat cache --build",
  "bat --pager 'touch made' a.txt",
  "bat --style=full --color=always a.txt",
  // The second file is written.
  "xxd a.txt made",
  "xxd -ac 8 a.txt",
  "xxd -r a.txt",
  "xxd a.txt -p",
  // The words in the file count.
  "strings @list",
  "strings -n @list a.txt",
  "strings *",
  // A copy of the input goes to a temporary file.
  "cat a.txt | tac",
  "tar tf evil:a.tgz",
  "tar -tf a.tgz --to-command=id",
  "tar xf a.tgz",
  // It finds x.zip.
  "unzip -l x",
  "unzip -l '*'",
  "unzip -o a.zip",
])("%s is asked about", async (command) => {
  expect(await makeScene(files, programs).runs(command)).toBe(false);
});

test("tar is asked about if the programs that it starts may be of the workspace", async () => {
  const scene = makeScene({ ...files, "bin/gzip": "" }, programs);
  process.env["PATH"] = `${scene.bin}:${scene.root}/bin`;
  expect(await scene.question("tar -tzf a.tgz")).toContain("in the workspace");
});

test.each([
  ["less a.txt", "LESSOPEN"],
  ["bat a.txt", "BAT_PAGER"],
  ["tar tf a.tgz", "TAR_OPTIONS"],
  ["java -version", "JAVA_TOOL_OPTIONS"],
])("%s is asked about if its tool gives it %s", async (command, name) => {
  const scene = makeScene(files, `${programs} java`);
  expect(await scene.question(command, [], { [name]: "x" })).toContain(name);
  expect(await scene.question(command, [], { OTHER: "x" })).toBeUndefined();
});

test("a pager is asked about if the model can write its settings", async () => {
  const scene = makeScene({ ...files, ".lesskey": "#env\nLESSOPEN=|touch made\n" }, programs);
  const before = process.env["HOME"];
  process.env["HOME"] = scene.root;
  try {
    expect(await scene.question("less a.txt")).toContain(".lesskey");
  } finally {
    process.env["HOME"] = before;
  }
});
