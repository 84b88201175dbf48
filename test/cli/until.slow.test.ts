// --until against real projects: its commands decide on a completion.

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { call, scriptedProvider, type Script } from "../../src/testing/index.js";
import { runHere, temporary } from "./command.js";

const claim = [call("task_completion", { result: "It works now." })];
const fix = [call("write_file", { path: "double.mjs", content: "export const double = (n) => 2 * n;\n" })];

/** The calls of a model that changes the test instead of the code. */
const cheat = [
  call("write_file", {
    path: "test/double.test.mjs",
    content: 'import test from "node:test"; test("fine", () => {});\n',
  }),
];

interface Done {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly bodies: readonly string[];
  readonly source: string;
}

/** Runs the command in a project with one failing test of node:test. */
async function inProject(script: Script, ...args: readonly string[]): Promise<Done> {
  await using provider = await scriptedProvider(script);
  await using folder = await temporary();
  const { path } = folder;
  await mkdir(join(path, "test"));
  await writeFile(join(path, "double.mjs"), "export const double = (n) => n + n + 1;\n");
  await writeFile(
    join(path, "test/double.test.mjs"),
    `import assert from "node:assert"; import test from "node:test"; import { double } from "../double.mjs";
test("doubles", () => assert.equal(double(2), 4));\n`,
  );
  const ended = await runHere([
    "mend it",
    "--base-url",
    provider.url,
    "--model",
    "m",
    "--workdir",
    path,
    "--yes",
    ...args,
  ]);
  const bodies = provider.requests.map(({ body }) => JSON.stringify(body.messages.at(-1)));
  return { ...ended, bodies, source: await readFile(join(path, "double.mjs"), "utf8") };
}

describe("--until", () => {
  test("refuses a claim that the tests don't confirm, tells the model what they said, and accepts it once they do", async () => {
    const { code, stdout, stderr, bodies, source } = await inProject([claim, fix, claim], "--until", "node --test");
    expect({ code, stdout }).toEqual({ code: 0, stdout: "It works now.\n" });
    expect(bodies[1]).toContain("ERROR check_failed");
    expect(bodies[1]).toContain("exit code 1");
    expect(source).toContain("2 * n");
    expect(stderr).toContain("check node --test: failed");
    expect(stderr).toContain("check node --test: passed");
    expect(stderr).toContain("completed, checked");
  });

  test("never exits 0 for an unconfirmed claim: after --attempts it stops short", async () => {
    const { code, stdout, stderr } = await inProject(() => claim, "--until", "node --test", "--attempts", "2");
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("stopped (checks_failed): the checks failed 2 times");
  });

  test("runs a program and a pipeline as two checks, in their order", async () => {
    const one = `node -e 'process.exit(/2 [*] n/.test(fs.readFileSync("double.mjs")) ? 0 : 1)'`;
    const other = `node -p 1 | node -e 'process.stdin.resume()'`;
    const { code, stderr } = await inProject([claim, fix, claim], "--until", one, "--until", other);
    expect(code).toBe(0);
    expect(stderr.match(/check .*: (passed|failed)/g)).toEqual([
      `check ${one}: failed`,
      `check ${other}: passed`,
      `check ${one}: failed`,
      `check ${one}: passed`,
      `check ${other}: passed`,
    ]);
  });

  test("--json has the receipts: command, exit code, digest and number of failures", async () => {
    const { code, stdout } = await inProject([claim, fix, claim], "--until", "node --test", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      status: "completed",
      verified: "checked",
      receipts: [
        {
          check: "node --test",
          passed: true,
          exitCode: 0,
          failedBefore: 1,
          digest: expect.stringMatching(/^[0-9a-f]{64}$/),
        },
      ],
    });
  });

  test("reports that the model edited the test of its completion", async () => {
    const { code, stderr } = await inProject([claim, cheat, claim], "--until", "node --test");
    expect(code).toBe(0);
    const words = "changed since the start, and part of what the check goes by: test/double.test.mjs";
    expect(stderr).toContain(`      ${words}`);
    expect(stderr).toContain(`Check node --test: ${words}\ncompleted, checked`);
    const { stdout } = await inProject([claim, cheat, claim], "--until", "node --test", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ receipts: [{ passed: true, changed: ["test/double.test.mjs"] }] });
  });

  test("with --protect refuses that, says why, and accepts the work after the test is restored", async () => {
    const protect = ["--until", "node --test", "--protect", "test/**"];
    const { code, stderr, bodies } = await inProject(() => claim, ...protect, "--attempts", "1");
    expect({ code, said: stderr.includes("checks_failed") }).toEqual({ code: 2, said: true });
    expect(bodies).toHaveLength(1);

    let original = "";
    const script: Script = ({ number }) => {
      if (number === 1) return [call("read_file", { path: "test/double.test.mjs" })];
      const restore = [call("write_file", { path: "test/double.test.mjs", content: original })];
      return [cheat, claim, restore, fix, claim][number - 2]!;
    };
    const mended = await inProject(
      (seen) => {
        if (seen.number === 2)
          original = seen.lastText
            .replace(/^\[outside.*\n/, "")
            .replace(/\n\[end .*$/, "")
            .replaceAll(/^ *\d+\t/gm, "");
        return script(seen);
      },
      ...protect,
    );
    expect(mended.stderr).toContain("completed, checked");
    expect(mended.code).toBe(0);
    expect(mended.bodies[3]).toContain("test/double.test.mjs");
    expect(mended.bodies[3]).toContain("protected");
    expect(mended.stderr).not.toContain("part of what the check goes by: test/double.test.mjs\ncompleted");
  });

  test("with --until-every ends with exit code 0 when the tests pass, even without a claim", async () => {
    const claimed = await inProject([fix, claim], "--until-every", "node --test");
    expect(claimed).toMatchObject({ code: 0, stdout: "It works now.\n" });
    const look = [call("list_files", {})];
    const silent = await inProject([look, fix, look], "--until-every", "node --test");
    expect(silent).toMatchObject({ code: 0, stdout: "" });
    expect(silent.stderr).toContain("closing (check_passed): every check passes: node --test");
    expect(silent.stderr).toContain("stopped (check_passed): every check passes: node --test");
  });

  test("--on-edit adds the output of a command on a written file to the call's result", async () => {
    const shown = "node -p 'fs.readFileSync(process.argv[1]).toString()' {file}";
    const { code, bodies, stderr } = await inProject([fix, claim], "--on-edit", `*.mjs: ${shown}`);
    expect(code).toBe(0);
    expect(bodies[1]).toContain("Wrote ");
    expect(bodies[1]).toContain("export const double = (n) => 2 * n;");
    expect(stderr).toContain(`check ${shown}: passed`);
  });

  test.each([
    [["--until", " "], "--until needs a command"],
    [["--until-every", ""], "--until-every needs a command"],
    [["--until", "a", "--until-every", "a"], 'The command "a" is given twice; give it once'],
    [["--protect", "test"], "--protect says what must stay for a check to count, and there is none; add --until"],
    [["--on-edit", "eslint"], '--on-edit "eslint" is no "PATTERN: COMMAND"'],
    [["--timeout", "soon"], '--timeout "soon" is no time such as 90s, 10m or 2h'],
    [["--max-iterations", "0"], '--max-iterations "0" is no whole number from 1 to 9007199254740991'],
    [["--max-tokens", "1e9"], '--max-tokens "1e9" is no whole number from 1 to 9007199254740991'],
    [["--max-cost", "free", "--prices", "x"], '--max-cost "free" is no amount above 0 such as 0.50'],
    [
      ["--max-cost", "1", "--base-url", "http://127.0.0.1:9/v1", "--model", "m", "--prices", "none.json"],
      "--prices none.json can't be used: ENOENT",
    ],
    [["--attempts", "many"], "is no whole number from 1 to 9007199254740991"],
  ])("%j is refused", async (args, words) => {
    const { code, stderr } = await runHere(["x", ...args]);
    expect(code).toBe(4);
    expect(stderr).toContain(words);
  });
});
