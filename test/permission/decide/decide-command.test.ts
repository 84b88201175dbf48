// Decides about commands that a shell expands, through the gate: with rules, and with programs in the workspace.

import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { gate, type GateOptions } from "../../../src/permission/index.js";
import type { Approver } from "../../../src/index.js";

// The gate looks for a program and never runs it: which ones the machine has must not matter here.
const path = process.env["PATH"] ?? "";
let bin = "";

beforeAll(async () => {
  bin = await realpath(await mkdtemp(join(tmpdir(), "lastcall-programs-")));
  for (const name of "awk cat column cut echo env find grep jq less ls npm node ps rg sort timeout tsc wc xargs".split(
    " ",
  ))
    await writeFile(join(bin, name), "", { mode: 0o755 });
  process.env["PATH"] = `${bin}${delimiter}${path}`;
});

afterAll(async () => {
  process.env["PATH"] = path;
  await rm(bin, { recursive: true, force: true });
});

async function makeRoot(): Promise<string> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "lastcall-decide-")));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  await mkdir(join(root, "src"));
  for (const name of ["a.txt", "b.txt", "src/a.ts", ".env"]) await writeFile(join(root, name), "");
  await symlink("/etc/passwd", join(root, "link"));
  return root;
}

/** The decision, and the words for whoever is asked. */
async function decided(command: string, options: Partial<GateOptions> = {}): Promise<string> {
  const root = options.root ?? (await makeRoot());
  const approver = vi.fn<Approver>(() => false);
  const call = {
    id: "1",
    name: "run_command",
    effect: "execute" as const,
    input: { command },
    reach: { command, folder: "." },
  };
  const deciding = { signal: new AbortController().signal, session: "s", preview: () => Promise.resolve(undefined) };
  const { allowed } = await gate({ approver, ...options, root }).decide(call, deciding);
  const [question] = approver.mock.calls;
  return allowed ? "yes" : question === undefined ? "no" : `ask: ${question[1].why}`;
}

describe("in the read-only tier", () => {
  it.each([
    "cat *.txt",
    "wc -l < a.txt",
    "for f in src/*; do wc -l $f; done | cat",
    "cat <<'E'\n$(x)\nE",
    "find . \\( -name a -o -name b \\) ! -empty -printf '%p\\n'",
    "[ -f a.txt ] && test a = b",
    'ls nothing; echo "exit $?"',
    "LC_ALL=C ls; timeout 5 ls",
    "awk -F/ '$1 >= 2 || /x/ { print $2 }' a.txt",
    "jq -r --arg a b '.x | keys' a.txt",
    "xargs -n1 echo < a.txt",
    "env; ps aux; cat a.txt | less",
    "ps -ef; ps -p 1 -f",
    "grep -n x a.txt -A 3; cut -d, -f1 a.txt",
    "npm -v; tsc --version",
  ])("%j runs", async (command) => {
    expect(await decided(command, { tier: "read-only" })).toBe("yes");
  });

  it.each([
    "cat l*",
    "cat .e*",
    "cat < link",
    "for f in *; do cat $f; done",
    "for f in a; do cd src; done",
    "CI=1 cd src",
    "timeout 5 cat link",
    "timeout 5 cd src",
    "awk 'BEGIN { while (getline < \"/etc/passwd\") print }'",
    "awk -v ARGC=2 1 a.txt",
    "awk 1 -v link",
    "awk 1 -F /etc/passwd",
    "awk 1 -F/../../../../../etc/passwd",
    "cut -f1 a.txt -d link",
    "find -- . -delete",
    "sort -m a.txt > /dev/null",
    "find -H -- . -exec sh a.txt {} +",
    "ps -uxewww",
    "ps -ef aux",
    "ps -p xe",
    "ps '-e -p 1'",
    "jq -n '$ENV'",
    "jq -n --rawfile a link '$a'",
    "xargs -n1 rm < a.txt",
    "xargs -I{} echo {} < a.txt",
    "env ls",
    "ps auxe",
    "less +!id a.txt",
    "npm ls --global-style",
    "npm install",
    "cat $?",
    "[ $? -eq x ]",
    "grep -r x .",
  ])("%j does not", async (command) => {
    expect(await decided(command, { tier: "read-only" })).toBe("no");
  });
});

describe("a command behind a change of the folder", () => {
  // The link leads out of the workspace, and lies in the root: its folder src has none.
  it.each(["cd src || cat link", "cd src; cat link", "cd src || ls; cat link", "cd src && cd .. && cat link"])(
    "is looked at in each folder that it may run in: %s",
    async (command) => {
      expect(await decided(command)).toContain("ask: ");
    },
  );

  it("is looked at in the new folder alone if it runs only there", async () => {
    expect(await decided("cd src && cat link")).toBe("yes");
  });
});

describe("with rules", () => {
  const allow = ["run_command(npm test)"];

  it.each(["CI=1 npm test", "timeout -k 5 60 npm test", 'npm test; echo "exit $?"', "for f in a b; do npm test; done"])(
    "a rule for npm test covers %j",
    async (command) => {
      expect(await decided(command, { allow })).toBe("yes");
    },
  );

  it.each([
    ["npm test && cat *.txt", "once its other commands ran"],
    ["PATH=. npm test", "it sets PATH"],
    ["npm test < a.txt", "it gets an input"],
    ["timeout 60 npm run x", "no rule allows npm"],
  ])("and not %j", async (command, why) => {
    expect(await decided(command, { allow })).toContain(why);
  });

  it.each(["noglob rm a", "nocorrect rm a", "- rm a", "repeat 2 rm a", "'noglob' rm a"])(
    "a rule that forbids a program finds it behind a word that only zsh looks behind: %s",
    async (command) => {
      expect(await decided(command, { deny: ["run_command(rm *)"], mode: "allow-all" })).toBe("no");
    },
  );

  it("a program named timeout in the workspace is none", async () => {
    const root = await makeRoot();
    await writeFile(join(root, "timeout"), "", { mode: 0o755 });
    vi.stubEnv("PATH", `${root}${delimiter}${process.env["PATH"] ?? ""}`);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await decided("timeout 5 npm test", { root, allow })).toContain("no rule allows timeout");
    expect(await decided("timeout 5 ls", { root })).toContain("no rule allows timeout");
  });

  it.each(["hyperfine", "bat", "gofmt", "some-new-program", "env", "git", "cp"])(
    "a rule with a * does not cover %s, and the question names the rule that would",
    async (name) => {
      const why = await decided(`${name} x`, { allow: [`run_command(${name} *)`] });
      expect(why).toContain(`does not cover ${name}, which is none of the programs that do only what their words say`);
      expect(why).toContain(`a rule with all of its words does: run_command(${name} x)`);
    },
  );

  it("a rule with a * does not cover a search that prints secrets", async () => {
    expect(await decided("grep -r x .", { allow: ["run_command(grep *)"] })).toContain(".env");
  });

  it.each([
    ["for f in push; do git $f; done", "run_command(git push *)"],
    ["cat $PWD/src/a.ts", "read(src/**)"],
    ["cat s*/a.ts", "read(src/**)"],
    ["cd s*; cat a.ts", "read(src/**)"],
    ["for f in src/*; do cat $f; done", "read(src/**)"],
  ])("%j is refused under %s, whatever is allowed", async (command, rule) => {
    for (const more of [{}, { tier: "full-access" as const }, { mode: "allow-all" as const }])
      expect(await decided(command, { ...more, deny: [rule] })).toBe("no");
  });

  it.each([
    "xargs echo < a.txt",
    "xargs rm < a.txt",
    "for f in -exec; do find . $f rm {} +; done",
    "sudo r? x",
    "cat $X",
  ])("under a rule that forbids a command, %j is asked about in every mode", async (command) => {
    expect(await decided(command, { mode: "allow-all", deny: ["run_command(rm *)"] })).toContain("ask");
  });
});

it("npm obeys an .npmrc of the workspace, so it is asked about", async () => {
  const root = await makeRoot();
  await writeFile(join(root, ".npmrc"), "logs-dir=x\n");
  expect(await decided("npm --version", { root })).toContain("it obeys .npmrc");
  expect(await decided("cd src && npm -v", { root })).toContain("it obeys .npmrc");
});
