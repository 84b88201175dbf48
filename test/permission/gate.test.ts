// The gate on real folders: the order of rules, protected paths, tiers, grants, modes and approvers.

import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, test, vi } from "vitest";
import { createAgent, LastcallError, tool, type Deciding, type FrozenCall } from "../../src/index.js";
import { gate, type GateOptions } from "../../src/permission/index.js";
import type { Approver } from "../../src/index.js";
import { call, permissionConformance, scriptedModel } from "../../src/testing/index.js";
import { z } from "zod";
import { processorTime } from "../processor-time.js";
import { emptyRoot } from "../empty-root.js";

// The gate looks for a program and never runs it: which ones the machine has must not matter here.
const path = process.env["PATH"] ?? "";
const programs = "cat date diff find git grep head ls rg sed sort tail uniq wc".split(" ");
let bin = "";

beforeAll(async () => {
  bin = await realpath(await mkdtemp(join(tmpdir(), "lastcall-programs-")));
  for (const name of programs) await writeFile(join(bin, name), "", { mode: 0o755 });
  process.env["PATH"] = `${bin}${delimiter}${path}`;
});

afterAll(async () => {
  process.env["PATH"] = path;
  await rm(bin, { recursive: true, force: true });
});

async function makeRoot(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "lastcall-gate-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const root = join(folder, "project");
  await mkdir(join(root, "src"), { recursive: true });
  await writeFile(join(root, "src/a.ts"), "1\n");
  return root;
}

const deciding: Deciding = {
  signal: new AbortController().signal,
  session: "s",
  preview: () => Promise.resolve(undefined),
};

const reading = (path: string): FrozenCall => ({
  id: "1",
  name: "read_file",
  effect: "read",
  input: { path },
  reach: { reads: [path] },
});
const writing = (path: string, name = "write_file"): FrozenCall => ({
  id: "1",
  name,
  effect: "write",
  input: { path, content: "x" },
  reach: { writes: [path] },
});
const running = (command: string, folder?: string): FrozenCall => ({
  id: "1",
  name: "run_command",
  effect: "execute",
  input: { command },
  reach: { command, ...(folder !== undefined && { folder }) },
});

/** The decision of the gate: `yes`, `no`, or `ask` if the approver was asked. */
async function verdict(options: GateOptions, asked: FrozenCall): Promise<string> {
  const approver = vi.fn<Approver>(() => false);
  const { allowed } = await gate({ approver, ...options }).decide(asked, deciding);
  if (allowed) return "yes";
  return approver.mock.calls.length > 0 ? "ask" : "no";
}

describe("the tier is the most that there is", () => {
  it.each<[GateOptions["tier"], FrozenCall, string]>([
    ["read-only", reading("src/a.ts"), "yes"],
    ["read-only", reading("/etc/hostname"), "no"],
    ["read-only", writing("src/b.ts"), "no"],
    ["read-only", running("ls src"), "yes"],
    ["read-only", running("npm test"), "no"],
    ["workspace-write", writing("src/b.ts"), "yes"],
    ["workspace-write", writing("../b.ts"), "no"],
    ["workspace-write", writing("~/b.ts"), "no"],
    ["workspace-write", running("npm test"), "ask"],
    ["workspace-write", running("ls", "src"), "yes"],
    ["workspace-write", running("ls", ".."), "no"],
    ["workspace-write", running("ls", "/"), "no"],
    ["full-access", running("npm test; rm -rf x"), "yes"],
    ["full-access", writing(".git/config"), "no"],
    ["full-access", writing("AGENTS.md"), "ask"],
  ])("%s, %j: %s", async (tier, asked, expected) => {
    const root = await makeRoot();
    expect(await verdict({ root, ...(tier !== undefined && { tier }) }, asked)).toBe(expected);
  });

  it.each<[FrozenCall["effect"], string, string, string]>([
    [undefined, "yes", "yes", "yes"],
    ["none", "yes", "yes", "yes"],
    ["read", "yes", "yes", "yes"],
    ["write", "no", "ask", "yes"],
    ["execute", "no", "ask", "yes"],
    ["network", "ask", "ask", "yes"],
  ])("of a tool that says no more, the effect decides: %s", async (effect, readOnly, workspaceWrite, full) => {
    const root = await makeRoot();
    const asked: FrozenCall = { id: "1", name: "own", effect, input: {} };
    expect(await verdict({ root, tier: "read-only" }, asked)).toBe(readOnly);
    expect(await verdict({ root, tier: "workspace-write" }, asked)).toBe(workspaceWrite);
    expect(await verdict({ root, tier: "full-access" }, asked)).toBe(full);
    expect(await verdict({ root, deny: ["own"] }, asked)).toBe("no");
  });
});

describe("rules that forbid", () => {
  it.each<[readonly string[], FrozenCall]>([
    [["read(secret)"], reading("secret")],
    [["read(secret/)"], reading("secret/deep/a")],
    [["read(secret/**)"], reading("./secret/a")],
    [["read(SECRET/**)"], reading("secret/a")],
    [["read_file(.env)"], reading("deep/.env")],
    [["write(src/**)"], writing("src/a.ts", "edit_file")],
    [["write(link/**)"], writing("link/a.ts")],
    [["write(src/**)"], writing("link/a.ts")],
    [["write(café)"], writing("café")],
    [["write(a:b)"], writing("a:b")],
    [["write(a.)"], writing("a.")],
    [["write(ΟΔΟΣ*)"], writing("οδοσx")],
    [["run_command"], running("ls")],
    [["run_command(*)"], running("ls")],
    [["run_command(rm *)"], running("rm")],
    [["run_command(rm *)"], running("ls && /usr/bin/rm x")],
    [["run_command(rm *)"], running("sudo rm x")],
    [["run_command(rm *)"], running("sudo -n -u me rm x")],
    [["run_command(rm *)"], running("timeout -k 5 60 env -i A=1 nice rm x")],
    [["run_command(rm *)"], running("A=1 rm x")],
    [["run_command(rm *)"], running("echo $(rm x)")],
    [["run_command(rm *)"], running("RM x")],
    [["run_command(git push *)"], running("git push --force")],
    [["read(secret)"], running("cat ./secret/a", ".")],
    [["read_file(secret/**)"], running("cd src && head -n 1 ../secret/a | wc -l")],
    [["read(src/**)"], running("cat link/a.ts")],
    [["write(src/**)"], running("echo x > link/a.ts")],
    [["write(src/**)"], running("cd src && echo x >> a.ts")],
    [["read"], reading("src/a.ts")],
    [["write"], writing("src/a.ts", "delete_file")],
  ])("%j", async (deny, asked) => {
    const root = await makeRoot();
    await symlink("src", join(root, "link"));
    for (const more of [
      {},
      { tier: "full-access" },
      { mode: "allow-all" },
      { allow: ["read", "write", "run_command"] },
    ])
      expect(await verdict({ root, deny, ...(more as Partial<GateOptions>) }, asked)).toBe("no");
  });

  it("mean nothing else", async () => {
    const root = await makeRoot();
    const deny = ["write(src/**)", "run_command(rm *)", "read(/etc/**)", "read(~/x/**)"];
    expect(await verdict({ root, deny }, writing("srcs/a"))).toBe("yes");
    expect(await verdict({ root, deny }, reading("src/a.ts"))).toBe("yes");
    expect(await verdict({ root, deny }, running("ls rm"))).toBe("yes");
    expect(await verdict({ root, deny, tier: "full-access" }, running("sudo apt-get install rm"))).toBe("yes");
    expect(await verdict({ root, deny: ["read(secret/**)"] }, running("grep secret/a src/a.ts"))).toBe("yes");
  });

  it("hold against what nobody can read: it is asked about, however much is allowed", async () => {
    const root = await makeRoot();
    const deny = ["run_command(rm *)"];
    const hidden = running("$'\\x72\\x6d' -rf x");
    expect(await verdict({ root, deny, mode: "allow-all" }, hidden)).toBe("ask");
    expect(await verdict({ root, deny, tier: "full-access" }, hidden)).toBe("ask");
    expect(await verdict({ root, mode: "allow-all" }, hidden)).toBe("yes");
    for (const carried of ["eval 'rm x'", "ls | xargs rm", "sudo sh -ec 'rm x'", "find . -exec rm x ';'"])
      expect(await verdict({ root, deny, tier: "full-access" }, running(carried))).toBe("ask");
    for (const search of ["grep -rn x .", "grep -d recurse x .", "rg x"])
      expect(await verdict({ root, deny: ["read(secret/**)"] }, running(search))).toBe("ask");
  });
});

describe("protected paths", () => {
  it.each([
    ".git/hooks/pre-commit",
    ".git",
    "deep/.git/config",
    ".GIT/config",
    ".git./config",
    ".git /config",
    "git~1/config",
    ".g\u200cit/config",
    ".gitmodules",
    ".vscode/tasks.json",
    "sub/.idea/x",
    ".mcp.json",
    ".claude/settings.json",
    ".bashrc",
    "link/config",
    "lastcall.config.yaml",
    "LASTCALL.CONFIG.JSON",
    ".lastcall/x",
    "own/log",
  ])("%s is never written, whatever is allowed", async (path) => {
    const root = await makeRoot();
    await mkdir(join(root, ".git"));
    await symlink(".git", join(root, "link"));
    const protect = ["own"];
    for (const more of [
      {},
      { tier: "full-access" },
      { mode: "allow-all" },
      { allow: ["write_file", `write_file(${path})`] },
    ])
      expect(await verdict({ root, protect, ...(more as Partial<GateOptions>) }, writing(path))).toBe("no");
    expect(await verdict({ root }, reading(path))).not.toBe("no");
  });

  it.each(["AGENTS.md", "sub/agents.md", ".envrc", ".husky/pre-commit", ".npmrc"])(
    "%s is asked about, and by itself allowed by nothing but a rule with its name",
    async (path) => {
      const root = await makeRoot();
      for (const more of [{}, { tier: "full-access" }, { mode: "allow-all" }, { allow: ["write_file", "write(**)"] }])
        expect(await verdict({ root, ...(more as Partial<GateOptions>) }, writing(path))).toBe("ask");
      expect(await verdict({ root, mode: "ask-never" }, writing(path))).toBe("no");
      expect(await verdict({ root, allow: [`write_file(${path})`] }, writing(path))).toBe("yes");
    },
  );

  it("a file that the caller asks about is asked about in any mode, at its place alone, and so are links to it", async () => {
    const root = await makeRoot();
    await mkdir(join(root, "srv/sub"), { recursive: true });
    await symlink("srv", join(root, "way"));
    const askAbout = ["./srv", "./*.py", "./srv2/__pycache__/**"];
    for (const more of [{}, { tier: "full-access" }, { mode: "allow-all" }, { allow: ["write_file", "write(**)"] }])
      for (const path of ["srv/new.js", "srv/sub/x", "way/x", "json.py", "SRV/x", "srv2/__pycache__/a.pyc"])
        expect(await verdict({ root, askAbout, ...(more as Partial<GateOptions>) }, writing(path)), path).toBe("ask");
    for (const path of ["other/srv/new.js", "sub/json.py", "json.pyx", "srv2/a.js"])
      expect(await verdict({ root, askAbout }, writing(path)), path).toBe("yes");
    expect(await verdict({ root, askAbout, allow: ["write_file(srv/new.js)"] }, writing("srv/new.js"))).toBe("yes");
    expect(await verdict({ root, askAbout }, running("mkdir -p srv/x && echo x > srv/new.js"))).toBe("ask");
    const { forbids } = gate({ root, askAbout });
    expect(["srv/new.js", "json.py", "free.js"].map((path) => forbids?.("write", join(root, path)))).toEqual([
      ...[true, true],
      false,
    ]);
    expect(forbids?.("read", join(root, "srv/new.js"))).toBe(false);
  });

  it.each([".env", "sub/.env.local", "id_rsa", "certs/server.pem"])("reading %s is asked about", async (path) => {
    const root = await makeRoot();
    expect(await verdict({ root }, reading(path))).toBe("ask");
    expect(await verdict({ root }, running(`cat ${path}`))).toBe("ask");
    expect(await verdict({ root, allow: [`read_file(${path})`] }, reading(path))).toBe("yes");
  });

  it.each([".env.example", ".env.sample", "src/environment.ts", "gitx/config", "a.git", "my.gitmodules.md"])(
    "%s is an ordinary file",
    async (path) => {
      const root = await makeRoot();
      expect(await verdict({ root }, reading(path))).toBe("yes");
      expect(await verdict({ root }, writing(path))).toBe("yes");
    },
  );
});

describe("rules that allow", () => {
  it.each<[readonly string[], FrozenCall, string]>([
    [["run_command(npm test)"], running("npm test"), "yes"],
    [["run_command(npm test)"], running("npm  'test'"), "yes"],
    [["run_command(npm test)"], running("npm test --x"), "ask"],
    [["run_command(npm test)"], running("npm test && npm test; ls"), "yes"],
    [["run_command(npm test)"], running("npm test && npm run x"), "ask"],
    [["run_command(npm test 2>&1 | tail -5)"], running("npm test 2>&1 | tail -5"), "yes"],
    [["run_command(npm test > out.txt)"], running("npm test > out.txt"), "yes"],
    [["run_command(npm test > out.txt)"], running("npm test > out2.txt"), "ask"],
    [["run_command(mkdir *)"], running("mkdir -p a/b"), "yes"],
    [["run_command(mkdir *)"], running("mkdir"), "yes"],
    [["run_command(mkdir *)"], running("mkdirs a"), "ask"],
    [["run_command(mkdir *)"], running("mkdir /tmp/x"), "ask"],
    [["run_command(mkdir *)"], running("mkdir ../x"), "ask"],
    [["run_command(mkdir *)"], running("mkdir --mode=755 ~/x"), "ask"],
    [["run_command(touch *)"], running("touch .git/hooks/pre-commit"), "no"],
    [["run_command(touch *)"], running("touch AGENTS.md"), "ask"],
    [["run_command(gh pr *)"], running("gh pr view 3"), "yes"],
    [["run_command(fd *)"], running("fd -x rm"), "ask"],
    [["run_command(split *)"], running("split --filter=sh x"), "ask"],
    [["run_command(gh pr *)"], running("gh api x"), "ask"],
    [["run_command(fetcher *)"], running("fetcher https://evil.example/x"), "ask"],
    [["run_command(node *)"], running("node x.js"), "ask"],
    [["run_command(python3.11 *)"], running("python3.11 x.py"), "ask"],
    [["run_command"], running("anything > goes"), "yes"],
    [["write(src/**)"], writing("src/b.ts"), "yes"],
    [["write(src/**)"], writing("b.ts"), "ask"],
    [["write(src/**)"], writing("SRC/b.ts"), "ask"],
    [["write(src/**)"], writing("out/b.ts"), "ask"],
    [["write_file(a.txt)"], writing("deep/a.txt"), "ask"],
    [["write_file(a.txt)"], writing("a.txt"), "yes"],
    [["write_file(src/**)"], writing("b.ts", "edit_file"), "yes"],
    [["read(src/**)"], reading("README.md"), "ask"],
    [["write_file"], writing("x/y"), "yes"],
  ])("%j, %j: %s", async (allow, asked, expected) => {
    const root = await makeRoot();
    await mkdir(join(root, "elsewhere"));
    await symlink("../elsewhere", join(root, "src/out"));
    expect(await verdict({ root, allow }, asked)).toBe(expected);
  });

  it("do not follow a link out of what they mean", async () => {
    const root = await makeRoot();
    await mkdir(join(root, "elsewhere"));
    await symlink("../elsewhere", join(root, "src/out"));
    expect(await verdict({ root, allow: ["write(src/**)"] }, writing("src/out/a.ts"))).toBe("ask");
  });
});

describe("commands that only read and print", () => {
  it.each([
    "ls -la src",
    "cat src/a.ts | head -20",
    "cd src && ls && cat a.ts",
    "cd src; ls",
    "cd src && cat ../src/a.ts || pwd",
    "sed -n '1,20p' src/a.ts",
    "sed -n '5p;$p' src/a.ts",
    'grep -n "a\\.b" src/a.ts',
    "grep -rn '/api/users' src",
    "grep -rn -e '/api' src 2>/dev/null | wc -l",
    "rg -n --glob '*.ts' 'a b' .",
    "find . -maxdepth 2 -name '*.ts' -type f",
    "diff -u src/a.ts src/b.ts",
    "sort -u -k 2 src/a.ts",
    "echo /etc/passwd",
    "date +%F",
    "date -u",
    "node --version && git --version",
    "tail -n 5 src/a.ts; pwd",
    "false || true",
  ])("%s", async (command) => {
    expect(await verdict({ root: await makeRoot(), tier: "read-only" }, running(command))).toBe("yes");
  });

  it.each([
    "ls /etc",
    "cat ~/.ssh/id_rsa",
    "cat ../x",
    "cat src/../../x",
    "cat outside/passwd",
    "cd .. && ls",
    "cd src; cat ../../x",
    "cd src || cat ../../x",
    "cd outside && ls",
    "cd src && cat ../../x",
    "cd src && ls; cat ../x",
    "cd src && false || cat ../x",
    "true || cd src && cat ../x",
    "ls | cd src && cat ../x",
    "cd back && cd .. && cat ../x",
    "cat outside/../passwd",
    "cat back/../../src/a.ts",
    "cat ~root/x",
    "cat ~+/x",
    "sed -n 'w x' src/a.ts",
    "sed -n '1p;e' src/a.ts",
    "sed -i 1p src/a.ts",
    "grep -R x .",
    "grep -f /etc/passwd x",
    "grep --file=/etc/passwd x",
    "grep -rf/etc/passwd x",
    "rg -L x",
    "rg --pre=x y",
    "find / -name x",
    "find . -delete",
    "find -L . -name x",
    "sort -ox y",
    "sort --outp=x y",
    "uniq a b",
    "printf -v 'a[0]' x",
    "wc --files0-from=x",
    "diff -r a b",
    "tail -f src/a.ts",
    "tree -R",
    "ls --hyperlink",
    "base64 a b",
    "LS",
    "./ls",
    "/bin/ls",
    "date 01010000",
    "date -s 2020-01-01",
    "node --version x.js",
    "node -v -e 1",
    "git status",
    "ls > x",
    "cat *",
  ])("%s is not one of them", async (command) => {
    const root = await makeRoot();
    await symlink("/etc", join(root, "outside"));
    await mkdir(join(root, "src/deep/er"), { recursive: true });
    await symlink("src/deep/er", join(root, "back"));
    expect(await verdict({ root }, running(command))).toBe("ask");
  });

  it("a program of that name in the workspace is none, where PATH leads there first", async () => {
    const root = await makeRoot();
    await mkdir(join(root, "bin"));
    await writeFile(join(root, "bin/ls"), "#!/bin/sh\n", { mode: 0o755 });
    vi.stubEnv("PATH", `${join(root, "bin")}:${process.env["PATH"] ?? ""}`);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await verdict({ root }, running("ls"))).toBe("ask");
    expect(await verdict({ root }, running("cat src/a.ts"))).toBe("yes");
    vi.stubEnv("PATH", `./bin:${process.env["PATH"] ?? ""}`);
    expect(await verdict({ root }, running("ls"))).toBe("ask");
  });
});

it.each(["a/", "../", "d/../"])("a path of 40,000 parts (%s) is asked about at once", async (part) => {
  const spent = processorTime();
  const { decide } = gate({ root: await makeRoot(), mode: "ask-never", deny: ["read(secret/**)"] });
  const decision = await decide(running(`cat ${part.repeat(40_000)}a`), deciding);
  expect(decision).toMatchObject({ allowed: false });
  expect(spent()).toBeLessThan(1000);
});

describe("whoever is asked", () => {
  const command = running("npm test");

  it("gets the frozen call, why it is asked, and the rule that would do", async () => {
    const root = await makeRoot();
    const approver = vi.fn<Approver>(() => true);
    const said = await gate({ root, approver }).decide(command, deciding);
    expect(said).toEqual({ allowed: true, reason: "it was approved", basis: "approver" });
    const [asked, asking] = approver.mock.calls[0] ?? [];
    expect(asked).toBe(command);
    expect(asking).toMatchObject({ session: "s", rule: "run_command(npm test)", insists: false });
    expect(asking?.why).toContain("no rule allows npm");
  });

  it.each<[string, string | undefined]>([
    ["npx cowsay hi", "run_command(npx cowsay hi)"],
    ["npm test && rm x", undefined],
    ["echo $HOME", undefined],
  ])("of %s, the rule is %s and never one for more", async (text, rule) => {
    const approver = vi.fn<Approver>(() => false);
    await gate({ root: await makeRoot(), approver }).decide(running(text), deciding);
    expect(approver.mock.calls[0]?.[1].rule).toBe(rule);
  });

  it.each<[string, unknown]>([
    ["the word no", "no"],
    ["the word yes", "yes"],
    ["1", 1],
    ["nothing", undefined],
    ["null", null],
    ["an empty object", {}],
    ["allowed as a word", { allowed: "true" }],
    ["a list", [true]],
    ["a function", () => true],
  ])("who answers %s has said no", async (_what, answer) => {
    const root = await makeRoot();
    const permission = gate({ root, approver: (() => answer) as unknown as Approver });
    expect(await permission.decide(command, deciding)).toMatchObject({ allowed: false, basis: "approver" });
  });

  it("has said no by throwing, and by taking too long", async () => {
    const root = await makeRoot();
    const throwing = gate({
      root,
      approver: () => {
        throw new Error("the line is dead");
      },
    });
    const said = await throwing.decide(command, deciding);
    expect(said).toMatchObject({ allowed: false });
    expect(said.reason).toContain("the line is dead");
    const hanging = gate({ root, approver: () => new Promise<never>(() => undefined), approvalTimeout: 20 });
    expect(await hanging.decide(command, deciding)).toMatchObject({ allowed: false });
  });

  it("is asked one thing at a time", async () => {
    const root = await makeRoot();
    let open = 0;
    let most = 0;
    const approver: Approver = async () => {
      most = Math.max(most, (open += 1));
      await new Promise((resolve) => setTimeout(resolve, 5));
      open -= 1;
      return true;
    };
    const permission = gate({ root, approver });
    await Promise.all([1, 2, 3].map(async (n) => permission.decide(running(`npm run ${String(n)}`), deciding)));
    expect(most).toBe(1);
  });

  it("who hung is not asked about the next call for ever", async () => {
    const root = await makeRoot();
    let asked = 0;
    const permission = gate({
      root,
      approvalTimeout: 20,
      approver: () => ((asked += 1) === 1 ? new Promise<never>(() => undefined) : true),
    });
    expect(await permission.decide(command, deciding)).toMatchObject({ allowed: false });
    expect(await permission.decide(command, deciding)).toMatchObject({ allowed: true });
  });

  test("a random approver that does not say yes never lets a call through", async () => {
    const root = await makeRoot();
    const behaviour = fc.oneof(
      fc.constant(() => {
        throw new Error("no");
      }),
      fc.constant(() => Promise.reject(new Error("no"))),
      fc.constant(() => new Promise(() => undefined)),
      fc
        .anything()
        .filter((value) => value !== true)
        .map((value) => () => value),
      fc
        .anything()
        .filter((value) => value !== true)
        .map((allowed) => () => Promise.resolve({ allowed, always: true, reason: "yes" })),
      fc.constant(() => ({
        then(resolve: (value: unknown) => void) {
          resolve(false);
          resolve(true);
        },
      })),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(behaviour, { minLength: 1, maxLength: 3 }), async (behaviours) => {
        let at = 0;
        const approver = (): unknown => behaviours[at++ % behaviours.length]?.();
        const ran: unknown[] = [];
        const own = tool({
          name: "own",
          description: "Own",
          input: z.object({}),
          effect: "execute",
          run: (input) => void ran.push(input),
        });
        const done = tool({
          name: "done",
          description: "Done",
          input: z.object({}),
          isLoopBreaking: true,
          effect: "none",
        });
        const permission = gate({ root, approver: approver as Approver, approvalTimeout: 15 });
        const script = [...behaviours.map(() => [call("own", {})]), [call("done", {})]];
        const agent = createAgent({
          model: scriptedModel(script),
          tools: [own, done],
          permission,
          circuit: { stall: false },
        });
        await agent.run("Go.");
        expect(ran).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});

describe("a yes for the session", () => {
  const always: Approver = () => ({ allowed: true, always: true });

  it("holds for the same call, whatever its id, and for no other", async () => {
    const root = await makeRoot();
    const approver = vi.fn<Approver>(always);
    const permission = gate({ root, approver });
    await permission.decide(running("npm test"), deciding);
    const again = await permission.decide({ ...running("npm test"), id: "2" }, deciding);
    expect(again).toEqual({ allowed: true, reason: "it was approved for the session", basis: "grant" });
    expect(approver).toHaveBeenCalledTimes(1);
    await permission.decide({ ...running("npm test"), input: { command: "npm test", timeout_seconds: 9 } }, deciding);
    await permission.decide(running("npm test "), deciding);
    await permission.decide({ ...running("npm test"), name: "other" }, deciding);
    await permission.decide(running("npm test"), { ...deciding, session: "another" });
    expect(approver).toHaveBeenCalledTimes(5);
  });

  it("is not asked for where one was enough", async () => {
    const root = await makeRoot();
    const approver = vi.fn<Approver>(() => true);
    const permission = gate({ root, approver });
    await permission.decide(running("npm test"), deciding);
    await permission.decide(running("npm test"), deciding);
    expect(approver).toHaveBeenCalledTimes(2);
  });

  it("does not get past a rule that forbids", async () => {
    const root = await makeRoot();
    const asked = writing("AGENTS.md");
    const permission = gate({ root, approver: always, deny: ["write(AGENTS.md)"] });
    expect(await permission.decide(asked, deciding)).toMatchObject({ allowed: false, basis: "rule" });
  });
});

describe("the modes", () => {
  it.each<[GateOptions["mode"], string, string, string]>([
    ["ask-never", "yes", "no", "no"],
    ["ask-sensitive", "yes", "ask", "no"],
    ["ask-all", "ask", "ask", "no"],
    ["allow-all", "yes", "yes", "no"],
  ])("%s", async (mode, ordinary, sensitive, forbidden) => {
    const root = await makeRoot();
    const options = { root, ...(mode !== undefined && { mode }) };
    expect(await verdict(options, writing("src/b.ts"))).toBe(ordinary);
    expect(await verdict(options, running("npm test"))).toBe(sensitive);
    expect(await verdict(options, writing("../b.ts"))).toBe(forbidden);
    expect(await verdict(options, { id: "1", name: "done", effect: "none", input: {} })).toBe("yes");
  });

  it("without an approver, what would be asked is a no that says so", async () => {
    const said = await gate({ root: await makeRoot() }).decide(running("npm test"), deciding);
    expect(said).toMatchObject({ allowed: false, basis: "mode" });
    expect(said.reason).toContain("nobody is there to approve it");
  });
});

describe("what makes no sense is said at the start", () => {
  const wrong = async (options: Partial<Record<keyof GateOptions, unknown>>): Promise<string> => {
    const root = await makeRoot();
    try {
      gate({ root, ...options } as GateOptions);
    } catch (thrown) {
      expect(thrown).toBeInstanceOf(LastcallError);
      return (thrown as LastcallError).message;
    }
    return "nothing";
  };

  it.each<[Partial<Record<keyof GateOptions, unknown>>, string]>([
    [{ tier: "readonly " }, "tier of gate is"],
    [{ tier: "toString" }, "tier of gate is"],
    [{ mode: "all" }, "mode of gate is"],
    [{ root: "/nowhere/at/all" }, "The root"],
    [{ allow: ["run_command()"] }, "nothing is in the parentheses"],
    [{ allow: ["run_command(*)"] }, "to allow every command, write run_command"],
    [{ allow: ["rm -rf"] }, "it is no tool's name"],
    [{ allow: [3] }, "a rule is a text"],
    [{ deny: ["run_command(git * push)"] }, "a * stands for any more words"],
    [{ deny: ["read(../x)"] }, "leads out of the folder"],
    [{ protect: ["/x"] }, "is absolute"],
    [{ approvalTimeout: -1 }, "approvalTimeout"],
  ])("%j", async (options, words) => {
    expect(await wrong(options)).toContain(words);
  });

  it("names every rule that is wrong", async () => {
    const message = await wrong({ deny: ["a b", "ok", "c d"] });
    expect(message).toContain('"a b"');
    expect(message).toContain('"c d"');
  });

  it.each(["toString", "run_comand(rm *)"])("a rule about a tool that is not there: %s", async (rule) => {
    const root = await makeRoot();
    const done = tool({ name: "done", description: "Done", input: z.object({}), isLoopBreaking: true });
    const make = (): unknown =>
      createAgent({ model: scriptedModel([]), tools: [done], permission: gate({ root, deny: [rule] }) });
    expect(make).toThrow("is about a tool that the agent does not have. It has: done");
  });
});

test("what is outside is not told apart: whether it is there or not", async () => {
  const root = await makeRoot();
  const reason = async (path: string): Promise<string> =>
    (await gate({ root }).decide(reading(path), deciding)).reason.replace(JSON.stringify(path), "PATH");
  expect(await reason("/etc/passwd")).toBe(await reason("/etc/no-such-file"));
  expect(await reason("/etc/passwd")).toBe(await reason("/etc/passwd/below"));
  expect(await reason(join(homedir(), ".ssh"))).toBe(await reason("/nowhere/at/all"));
});

for (const { name, run } of permissionConformance(() => gate({ root: emptyRoot }))) test(`conforms: ${name}`, run);
for (const { name, run } of permissionConformance(() => gate({ root: emptyRoot, approver: () => true })))
  test(`conforms with an approver: ${name}`, run);

describe("variables that a tool gives to its commands", () => {
  const given = (command: string, variables: Readonly<Record<string, string>>): FrozenCall => ({
    ...running(command),
    reach: { command, folder: ".", variables },
  });

  test("decide where programs are looked up: the PATH of the tool began in the workspace, and the gate did not know", async () => {
    const root = await makeRoot();
    await writeFile(join(root, "ls"), "", { mode: 0o755 });
    const decide = async (variables: Readonly<Record<string, string>>): Promise<boolean> =>
      (await gate({ root }).decide(given("ls", variables), deciding)).allowed;
    expect(await decide({})).toBe(true);
    expect(await decide({ PATH: `${root}${delimiter}${process.env["PATH"] ?? ""}` })).toBe(false);
    expect(await decide({ PATH: bin })).toBe(true);
  });

  test.each(["cat ~/src/a.ts", "cat $HOME/src/a.ts", 'cat "${HOME}/src/a.ts"', "env"])(
    "%j is asked about",
    async (command) => {
      const root = await makeRoot();
      const { allowed, reason } = await gate({ root }).decide(given(command, { HOME: root }), deciding);
      expect(allowed).toBe(false);
      expect(reason).toContain("other values than this process has");
    },
  );

  test("do not matter to a command that does not read them", async () => {
    const root = await makeRoot();
    expect((await gate({ root }).decide(given("ls src", { API_URL: "x", HOME: root }), deciding)).allowed).toBe(true);
  });
});

test("it says without a person what it decides without one, and nothing about calls that need one", async () => {
  const root = await makeRoot();
  const asked: string[] = [];
  const approver: Approver = ({ name }) => {
    asked.push(name);
    return { allowed: true, always: true };
  };
  const permission = gate({ root, approver, deny: ["read(src/secret.ts)"] });
  for (const frozen of [reading("src/a.ts"), reading("src/secret.ts"), writing("src/a.ts"), running("ls src")])
    expect(await permission.unasked?.(frozen, deciding)).toEqual(await permission.decide(frozen, deciding));
  asked.length = 0;
  expect(await permission.unasked?.(reading(".env"), deciding)).toBeUndefined();
  expect(asked).toEqual([]);
  await permission.decide(reading(".env"), deciding);
  expect(await permission.unasked?.(reading(".env"), deciding)).toMatchObject({ allowed: true, basis: "grant" });
  const always = gate({ root, approver, mode: "ask-all" });
  expect(await always.unasked?.(reading("src/a.ts"), deciding)).toBeUndefined();
  expect(asked).toEqual(["read_file"]);
});

test.each([
  ["allow-all", "nobody", { allowed: true, basis: "mode" }],
  ["ask-sensitive", "nobody", { allowed: false, basis: "mode" }],
  ["ask-never", "somebody", { allowed: false, basis: "mode" }],
  ["ask-sensitive", "somebody", undefined],
] as const)("in the mode %s with %s there, unasked decides if nobody would be asked", async (mode, who, decision) => {
  const command = "node -e 0";
  const asked: FrozenCall = {
    id: "s/1/call:1:0",
    name: "run_command",
    effect: "execute",
    input: { command },
    reach: { command },
  };
  const approver = who === "somebody" ? (): boolean => true : undefined;
  const permission = gate({ root: emptyRoot, mode, approver });
  const deciding = { signal: new AbortController().signal, session: "s", preview: () => Promise.resolve(undefined) };
  const unasked = await permission.unasked?.(asked, deciding);
  if (decision === undefined) expect(unasked).toBeUndefined();
  else expect(unasked).toMatchObject(decision);
});
