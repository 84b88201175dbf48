// The remarks on a command that failed at a wall: the wall that the model is told of, and the way to ask for it.

import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createAgent, type Wall } from "../../../src/index.js";
import { gate } from "../../../src/permission/index.js";
import { wallsMet } from "../../../src/shell/index.js";
import { call, scriptedModel } from "../../../src/testing/index.js";
import { bubblewrap, runCommand, taskCompletion } from "../../../src/tools/index.js";
import { finding, folderElsewhere, why } from "../sandboxes.js";

const all: readonly Wall[] = ["files", "protected", "network", "home", "secrets"];

test.each<readonly [output: string, walls: readonly Wall[]]>([
  ["npm error code EAI_AGAIN\nnpm error request to https://registry.npmjs.org/zod failed", ["network"]],
  ["curl: (6) Could not resolve host: example.com", ["network"]],
  ["fatal: Unable to create '/w/p/.git/index.lock': Read-only file system", ["protected"]],
  ["error: could not lock config file .git/config: Read-only file system", ["protected"]],
  ["cat: /home/ann/.ssh/id_rsa: No such file or directory", ["home"]],
  ["Error: OPENAI_API_KEY is not set", ["secrets"]],
  ["touch: cannot touch '../x': Read-only file system", ["files"]],
  ["Error: EROFS: read-only file system, open '../x'", ["files"]],
  ["sh: 1: cannot create /etc/x: Permission denied", ["files"]],
  ["touch: cannot touch '../x': Permission denied", ["files"]],
  ["touch: ../x: Operation not permitted", ["files"]],
  ["Error: EACCES: permission denied, open '../x'", ["files"]],
  ["cat: secret.txt: Permission denied", []],
  ["sh: 1: ./run.sh: Permission denied", []],
  ["src/a.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'.", []],
  ["AssertionError: expected 2 to be 3", []],
])("%j tells of the walls %j", (output, walls) => {
  expect(wallsMet(output, all).map(({ wall }) => wall)).toEqual(walls);
});

test("in a workspace that nobody may change, the workspace is named and not what is outside", () => {
  const met = wallsMet("touch: cannot touch 'x': Read-only file system", [...all, "workspace"]);
  expect(met.map(({ wall }) => wall)).toEqual(["workspace"]);
});

test("an open wall is no reason", () => {
  expect(wallsMet("Could not resolve host: example.com", ["files", "home"])).toEqual([]);
});

test.skipIf(!finding.ok)(`the model is told of the wall, and how to ask for it${why}`, async () => {
  const root = folderElsewhere();
  mkdirSync(join(root, ".git"));
  const commands = [
    `node -e "fetch('http://example.com').catch(e => { console.error(e.cause); process.exit(1) })"`,
    `node -e "fs.writeFileSync('.git/x', '1')"`,
    `node -e "fs.writeFileSync('../x', '1')"`,
    "node -e 'process.exit(3)'",
  ];
  const model = scriptedModel([
    ...commands.map((command) => [call("run_command", { command })]),
    [call("task_completion", { result: "ok" })],
  ]);
  const shell = bubblewrap({ root, writable: true });
  const agent = createAgent({
    model,
    tools: [runCommand({ root, shell }), taskCompletion()],
    permission: gate({ root }),
  });
  const { session } = await agent.run("Go.");
  const results = session.records.flatMap((record) =>
    record.type === "result" && record.result.name === "run_command" ? [record.result.text] : [],
  );
  const remarks = results.map((text) => text.match(/^\[(?:It may|It made).*$/gm) ?? []);
  const left = readdirSync(root, { encoding: "utf8", recursive: true }).toSorted();
  // A failure says all at the first time: what each command printed, and what there is.
  const said = `${results.join("\n\n")}\n\nIn the workspace: ${left.join(", ")}\n`;
  expect(left, said).toEqual([".git", ".git/hooks"]);
  expect(remarks, said).toEqual([
    [expect.stringMatching(/the sandbox has no network.*needs: \["network"\]/)],
    [expect.stringMatching(/the data of git can't be changed.*needs: \["protected"\]/)],
    [expect.stringMatching(/^\[It may have failed because nothing outside of the workspace[^:]*sandbox\.\]$/)],
    [],
  ]);
});

test.skipIf(!finding.ok)(
  `a build that failed for an empty file names it, and goes on when the person opens it${why}`,
  async () => {
    const root = folderElsewhere();
    writeFileSync(join(root, ".npmrc"), "//r.example.com/:_authToken=0123456789abcdef\n");
    mkdirSync(join(root, "app"));
    writeFileSync(join(root, "app/.env"), "DATABASE=PRESENT-0123456789\n");
    writeFileSync(join(root, "install.sh"), "test -s .npmrc || { echo 'error: .npmrc has no token'; exit 1; }");
    writeFileSync(join(root, "serve.sh"), "test -s app/.env || { echo 'app/.env: DATABASE is not set'; exit 1; }");
    const builds = ["sh ./install.sh", "sh ./serve.sh"];
    const model = scriptedModel([
      ...builds.flatMap((command) => [
        [call("run_command", { command })],
        [call("run_command", { command, needs: ["secrets"] })],
      ]),
      [call("task_completion", { result: "ok" })],
    ]);
    const agent = createAgent({
      model,
      tools: [runCommand({ root, shell: bubblewrap({ root, writable: true }) }), taskCompletion()],
      permission: gate({ root, approver: () => true }),
    });
    const { session } = await agent.run("Go.");
    const results = session.records.flatMap((record) =>
      record.type === "result" && record.result.name === "run_command" ? [record.result.text] : [],
    );
    expect(results[0]).toMatch(/\[It may have failed because \.npmrc is empty in the sandbox.*needs: \["secrets"\]/);
    expect(results[2]).toMatch(
      /\[It may have failed because .*app\/\.env.* empty in the sandbox.*needs: \["secrets"\]/,
    );
    for (const result of [results[1], results[3]]) expect(result).toMatch(/^exit code 0/);
  },
);
