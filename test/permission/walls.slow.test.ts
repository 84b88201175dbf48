// The gate and commands inside walls: what runs without a question, what is asked, and which walls an answer opens.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import {
  createAgent,
  everyOf,
  type Deciding,
  type Decision,
  type FrozenCall,
  type OpenableWall,
  type Permission,
  type Wall,
} from "../../src/index.js";
import { allowAll, gate, type GateOptions } from "../../src/permission/index.js";
import { askFirst } from "../../src/approval/index.js";
import type { Approval, Asking } from "../../src/index.js";
import { call, scriptedModel } from "../../src/testing/index.js";
import { without } from "../programs.js";
import { hostShell, taskCompletion, workspaceTools, type Shell } from "../../src/tools/index.js";
import { emptyRoot } from "../empty-root.js";

const writable: readonly Wall[] = ["files", "protected", "network", "home", "secrets"];

const deciding: Deciding = {
  signal: new AbortController().signal,
  session: "s",
  preview: () => Promise.resolve(undefined),
};

function makeRoot(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "lastcall-walls-")));
  onTestFinished(() => {
    rmSync(root, { recursive: true });
  });
  mkdirSync(join(root, "secret"));
  writeFileSync(join(root, "secret/key"), "K=1\n");
  writeFileSync(join(root, "a.txt"), "K=2\n");
  writeFileSync(join(root, ".env"), "K=3\n");
  return root;
}

interface Terms extends Partial<GateOptions> {
  readonly walls?: readonly Wall[];
  readonly needs?: readonly OpenableWall[];
  readonly answer?: boolean;
}

/** The decision about a command, and the question about it if there was one. */
async function decided(
  command: string,
  { walls = writable, needs = [], answer = true, ...options }: Terms = {},
): Promise<Decision & { readonly asked: Asking | undefined }> {
  let asked: Asking | undefined;
  const permission = gate({
    root: makeRoot(),
    approver(_call, asking) {
      asked = asking;
      return answer;
    },
    ...options,
  });
  const frozen: FrozenCall = {
    id: "1",
    name: "run_command",
    effect: "execute",
    input: { command, needs },
    reach: { command, folder: ".", walls, needs },
  };
  return { ...(await permission.decide(frozen, deciding)), asked };
}

describe("inside walls", () => {
  test.each([
    "npm test",
    "make && ./run.sh --all",
    "node -e 'console.log(1)'",
    "for f in *.txt; do touch $f.done; done",
    "cat <<EOF | python3 -\nprint(1)\nEOF",
    "rm -rf build && mkdir build",
    "git status && git log -p",
    "jq .x a.json > b.json",
  ])("%j runs without a question, and no wall is open", async (command) => {
    const { allowed, basis, opens, asked } = await decided(command);
    expect({ allowed, basis, opens, asked }).toEqual({
      allowed: true,
      basis: "walls",
      opens: undefined,
      asked: undefined,
    });
  });

  test.each([
    ["curl https://example.com", ["network"]],
    ["npm ci", ["network"]],
    ["cd src && npm install left-pad", ["network"]],
    ["git push", ["network"]],
    ["cat .env", ["secrets"]],
    ["cp ~/notes.txt .", ["home"]],
    ["git commit -m x", ["protected"]],
    ["git -C . checkout main", ["protected"]],
    ["git branch -D main", ["protected"]],
  ] as const)("%j is asked about, because it needs %j", async (command, needs) => {
    const { allowed, opens, asked } = await decided(command, { answer: true });
    expect(asked?.why).toMatch(/^it needs /);
    expect(allowed).toBe(true);
    for (const wall of needs) expect(opens).toContain(wall);
    expect(asked?.opens).toEqual(opens);
    const no = await decided(command, { answer: false });
    expect({ allowed: no.allowed, opens: no.opens }).toEqual({ allowed: false, opens: undefined });
  });

  test.each(["sudo id", "systemctl stop x", "doas rm x"])(
    "%j is asked about, because it acts on the machine",
    async (command) => {
      expect((await decided(command)).asked?.why).toContain("acts on the machine");
    },
  );

  test.each([
    "echo x > ~/notes.txt",
    "rm -rf ~/notes",
    "rm -rf ~",
    "rm -rf ..",
    "mkdir -p /opt/x",
    "cp a.txt /opt/x",
    "mv /opt/x .",
    "touch /opt/x",
  ])("%j is refused, because nothing outside of the workspace is changed or kept", async (command) => {
    const { allowed, basis, asked } = await decided(command);
    expect({ allowed, basis, asked }).toEqual({ allowed: false, basis: "walls", asked: undefined });
  });

  test.each([
    "echo x > /tmp/notes.txt; ls 2>/dev/null",
    "rm -rf /tmp/notes build",
    "cp /etc/hosts .",
    "touch -r /etc/hosts a.txt",
    "cd src && rm ../a.txt && echo x > ../b.txt",
    'rm "$DIR"/../../x',
  ])("%j changes files of the workspace and of the sandbox's own folders, and runs", async (command) => {
    expect(await decided(command)).toMatchObject({ allowed: true, basis: "walls" });
  });

  test("a link that leads outside may be removed and renamed: that changes the workspace alone", async () => {
    const root = makeRoot();
    symlinkSync("/opt", join(root, "link"));
    for (const command of ["rm link", "mv link other", "unlink link"])
      expect(await decided(command, { root }), command).toMatchObject({ allowed: true, basis: "walls" });
    for (const command of ["rm -rf link/x", "mkdir link/x", "cp a.txt link/x", "echo x > link/x"])
      expect(await decided(command, { root }), command).toMatchObject({ allowed: false, basis: "walls" });
    expect((await decided("rm link/x", { root })).reason).toContain("it changes link/x, and");
  });

  test("rules that forbid, and protected files, hold", async () => {
    expect(await decided("node x.js", { deny: ["run_command(node *)"] })).toMatchObject({
      allowed: false,
      basis: "rule",
    });
    expect(await decided("echo x > .git/config")).toMatchObject({ allowed: false, basis: "protected" });
    expect(await decided("cat secret/key | wc", { deny: ["read(secret/**)"] })).toMatchObject({ allowed: false });
  });

  test("a text in which nobody can look for a forbidden command is asked about", async () => {
    expect((await decided('sh -c "$X"', { deny: ["run_command(curl *)"] })).asked?.insists).toBe(true);
  });

  test.each(["network", "secrets", "home", "protected", "files"] as const)(
    "that lack the wall %s, a command is asked about as without walls",
    async (wall) => {
      const { asked } = await decided("node x.js", { walls: writable.filter((one) => one !== wall) });
      expect(asked?.why).toContain("no rule allows node");
    },
  );

  test("the tier read-only needs the workspace to be read-only as well", async () => {
    const tier = "read-only";
    expect(await decided("node x.js", { tier })).toMatchObject({ allowed: false, basis: "tier" });
    const walls = [...writable, "workspace"] as const;
    expect(await decided("node x.js", { tier, walls })).toMatchObject({ allowed: true, basis: "walls" });
    expect((await decided("curl x", { tier, walls })).asked?.opens).toEqual(["network"]);
  });

  test("the mode that asks about all calls asks", async () => {
    expect((await decided("node x.js", { mode: "ask-all" })).asked?.why).toBe("every call is asked about");
  });
});

describe("a need that the call states", () => {
  test("is asked about, whatever else would allow the command", async () => {
    for (const options of [{}, { allow: ["run_command(npm test)"] }, { allow: ["run_command"] }]) {
      const { asked, opens } = await decided("npm test", { ...options, needs: ["network"] });
      expect(asked?.why).toBe("it needs the network, which the sandbox does not give it");
      expect(opens).toEqual(["network"]);
    }
    expect((await decided("ls", { needs: ["secrets"] })).asked?.opens).toContain("secrets");
  });

  test("is without effect for a shell that does not have the wall", async () => {
    expect(await decided("echo x", { needs: ["network"], walls: [] })).toMatchObject({ allowed: true, basis: "tier" });
  });
});

describe("an allowed command", () => {
  test("may read secrets and change the data of git, unless the network is open", async () => {
    const allow = ["run_command(npm test)", "run_command(npm ci)", "run_command(git push)"];
    expect(await decided("npm test", { allow })).toMatchObject({ basis: "rule", opens: ["secrets", "protected"] });
    expect(await decided("npm ci", { allow })).toMatchObject({ basis: "rule", opens: ["network"] });
    const push = await decided("git push", { allow });
    expect(push).toMatchObject({ basis: "rule", opens: ["network", "protected"] });
  });

  test.each<[string, readonly OpenableWall[]]>([
    ["curl https://example.com", []],
    ["node x.js", ["home", "secrets", "protected"]],
    ["node x.js", ["network"]],
    ["cp ~/notes.txt .", []],
    ["cat .env", []],
    ["git commit -m x", []],
    ["sudo id", ["protected"]],
  ])("%j that names %j has no wall open in the mode in which nobody saw it", async (command, needs) => {
    const { opens, basis, asked } = await decided(command, { mode: "allow-all", needs });
    expect({ opens, basis, asked }).toEqual({ opens: undefined, basis: "mode", asked: undefined });
  });

  test("has the walls open that a rule opens, also in the mode in which nobody sees it", async () => {
    const allow = ["run_command(git commit -m x)"];
    expect(await decided("git commit -m x", { mode: "allow-all", allow })).toMatchObject({
      basis: "rule",
      opens: ["secrets", "protected"],
    });
  });

  test.each(["gate", "askFirst"] as const)(
    "that was approved for the session is asked about again if a link makes it need another wall: %s",
    async (which) => {
      const outside = realpathSync(mkdtempSync(join(tmpdir(), "lastcall-walls-home-")));
      vi.stubEnv("HOME", outside);
      onTestFinished(() => {
        vi.unstubAllEnvs();
        rmSync(outside, { recursive: true });
      });
      const root = join(outside, "project");
      mkdirSync(join(root, "data"), { recursive: true });
      const seen: (readonly OpenableWall[])[] = [];
      const approver = (_call: FrozenCall, { opens }: Asking): Approval => {
        seen.push(opens);
        return { allowed: true, always: true };
      };
      const permission = which === "gate" ? gate({ root, approver, mode: "ask-all" }) : askFirst(approver);
      const decide = (needs: readonly OpenableWall[]): Promise<Decision> =>
        Promise.resolve(
          permission.decide(
            {
              ...{ id: "1", name: "run_command", effect: "execute", input: { command: "cat data/x" } },
              reach: { command: "cat data/x", folder: ".", walls: writable, needs },
            },
            deciding,
          ),
        );
      await decide([]);
      expect(await decide([])).toMatchObject({ basis: "grant" });
      rmSync(join(root, "data"), { recursive: true });
      symlinkSync(outside, join(root, "data"));
      // The gate sees the link; `askFirst` knows of the needs that the call states alone.
      const after = await decide(which === "gate" ? [] : ["home"]);
      expect(after).toMatchObject({ basis: "approver" });
      expect(seen).toHaveLength(2);
      expect(seen[0]).not.toContain("home");
      expect(seen[1]).toContain("home");
    },
  );

  test("has the walls open that it was approved with for the session", async () => {
    const root = makeRoot();
    let count = 0;
    const permission = gate({ root, approver: () => ({ allowed: (count += 1) > 0, always: true }) });
    const frozen: FrozenCall = {
      ...{ id: "1", name: "run_command", effect: "execute", input: {} },
      reach: { command: "npm ci", walls: writable },
    };
    const first = await permission.decide(frozen, deciding);
    expect(await permission.decide({ ...frozen, id: "2" }, deciding)).toMatchObject({
      basis: "grant",
      opens: first.opens,
    });
    expect(count).toBe(1);
  });
});

describe("other permissions", () => {
  const frozen: FrozenCall = {
    ...{ id: "1", name: "run_command", effect: "execute", input: {} },
    reach: { command: "x", walls: writable, needs: ["home"] },
  };

  test("open what the call needs, and what an allowed command may use, if a person said yes", async () => {
    expect(await allowAll().decide(frozen, deciding)).toMatchObject({ allowed: true, basis: "mode" });
    expect((await allowAll().decide(frozen, deciding)).opens).toBe(undefined);
    expect((await askFirst(() => true).decide(frozen, deciding)).opens).toEqual(["home", "secrets", "protected"]);
    expect((await askFirst(() => false).decide(frozen, deciding)).opens).toBe(undefined);
  });

  test("that are combined open a wall if each opens it, and forbid a file if one forbids it", async () => {
    const opening = (...opens: readonly OpenableWall[]): Permission => ({
      decide: () => ({ allowed: true, reason: "r", opens }),
      forbids: (access, path) => access === "read" && path === `/${opens.join("-")}`,
    });
    const both = everyOf([opening("network", "home"), opening("home", "secrets")]);
    expect((await both.decide(frozen, deciding)).opens).toEqual(["home"]);
    expect([both.forbids?.("read", "/network-home"), both.forbids?.("read", "/home-secrets")]).toEqual([true, true]);
    expect(both.forbids?.("write", "/network-home")).toBe(false);
  });
});

describe("files that no argument names", () => {
  const deny = ["read(secret/**)"];

  /** The results of the calls, in an agent whose only setting is the rule. */
  async function results(shell: Shell, ...calls: readonly (readonly [string, object])[]): Promise<readonly string[]> {
    const root = makeRoot();
    const model = scriptedModel([
      ...calls.map(([name, input]) => [call(name, input)]),
      [call("task_completion", { result: "ok" })],
    ]);
    const tools = [...workspaceTools({ root, shell, searchWith: "javascript" }), taskCompletion()];
    const agent = createAgent({ model, tools, permission: gate({ root, deny }) });
    const { session } = await agent.run("Go.");
    return session.records.flatMap((record) => (record.type === "result" ? [record.result.text] : []));
  }

  test("are left out of lists and searches, though only the gate knows the rule", async () => {
    const [list, search, read, write] = await results(
      hostShell(),
      ["list_files", {}],
      ["search_files", { pattern: "K=" }],
      ["read_file", { path: "secret/key" }],
      ["write_file", { path: "secret/key", content: "x" }],
    );
    expect(list).toContain("a.txt");
    expect(list).not.toContain("secret");
    expect(search).toContain("K=2");
    expect(search).not.toContain("K=1");
    for (const refused of [read, write]) expect(refused).toContain("forbids");
  });

  test("are passed to the shell, and so is what the decision opens", async () => {
    const seen: unknown[] = [];
    const shell: Shell = {
      description: "A stand-in.",
      walls: writable,
      run(command) {
        seen.push([
          command.opens,
          command.forbids?.("read", join(command.folder, "secret/key")),
          command.forbids?.("read", join(command.folder, "a.txt")),
        ]);
        return Promise.resolve({ how: "exited", code: 0, setAside: [join(command.folder, ".vscode")] });
      },
    };
    const [result] = await results(shell, ["run_command", { command: "npm test" }]);
    expect(seen).toEqual([[[], true, false]]);
    expect(result).toContain("[It made .vscode, which other programs would run or obey, so it was renamed");
  });
});

describe("a command of a run in which nobody is asked", () => {
  /** A shell that has all walls, and in which every command fails for the lack of the home folder. */
  const seen: (readonly OpenableWall[])[] = [];
  const shell: Shell = {
    description: "A stand-in.",
    walls: writable,
    run({ opens = [], onOutput }) {
      seen.push(opens);
      onOutput(Buffer.from("cat: /root/x: No such file or directory\nEROFS: read-only file system\n"));
      return Promise.resolve({ how: "exited", code: 1, setAside: ["/w/.vscode"] });
    },
  };

  test.each<[string, Permission]>([
    ["gate", gate({ root: emptyRoot, mode: "allow-all" })],
    ["allowAll", allowAll()],
  ])("runs with the walls closed that it names, and the model is told so: %s", async (_name, permission) => {
    const root = makeRoot();
    seen.length = 0;
    const needs = ["home", "secrets", "protected", "network"];
    const model = scriptedModel([
      [call("run_command", { command: "cat x", needs })],
      [call("task_completion", { result: "ok" })],
    ]);
    const tools = [...workspaceTools({ root, shell }), taskCompletion()];
    const { session } = await createAgent({ model, tools, permission }).run("Go.");
    const [text = ""] = session.records.flatMap((record) => (record.type === "result" ? [record.result.text] : []));
    expect(seen).toEqual([[]]);
    expect(text).toContain("It ran with home, secrets, protected, network closed, though the call names that in needs");
    expect(text).toContain("nobody is asked in this run");
    expect(text).not.toContain("the user is asked");
  });
});

describe("inside the walls of Landlock, which keeps the files outside and the home folder", () => {
  const few: readonly Wall[] = ["files", "home"];

  const missing = without("mkdir", "touch", "rmdir", "ls");
  describe.skipIf(missing !== "")(`a plain change${missing}`, () => {
    test.each(["mkdir -p out/a", "touch new.txt && ls", "mkdir d; rmdir d"])("%s runs unasked", async (command) => {
      const { allowed, asked, basis } = await decided(command, { walls: few });
      expect({ allowed, asked, basis }).toEqual({ allowed: true, asked: undefined, basis: "walls" });
    });
  });

  test.each([
    "npm test",
    "rm a.txt",
    "cp a.txt b.txt",
    "touch .git/hooks/pre-commit",
    "mkdir .vscode",
    "touch .envrc",
    "touch secret/../.env",
    "mkdir -m 777 d",
    "touch -r a.txt b",
    "for f in *.txt; do touch $f.done; done",
    'cat a.txt | while read -r f; do touch "$f"; done',
    "touch x < a.txt",
  ])("%s is asked about or denied", async (command) => {
    const { allowed, asked } = await decided(command, { walls: few, answer: false });
    expect(allowed).toBe(false);
    if (asked !== undefined) expect(asked.why).toContain('no wall for "protected", "network", "secrets"');
  });

  test("a rule that forbids writing holds", async () => {
    const { allowed } = await decided("touch src/x", { walls: few, deny: ["write(src/**)"] });
    expect(allowed).toBe(false);
  });

  test("in the read-only tier nothing is made", async () => {
    expect((await decided("mkdir d", { walls: [...few, "workspace"], tier: "read-only" })).allowed).toBe(false);
    expect((await decided("mkdir d", { walls: few, tier: "read-only" })).allowed).toBe(false);
  });

  test("without the wall around files, mkdir is asked about", async () => {
    const { asked } = await decided("mkdir d", { walls: [] });
    expect(asked?.why).not.toContain("no wall for");
    expect(asked).toBeDefined();
  });
});
