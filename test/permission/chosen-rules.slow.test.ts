// Rules chosen at a question: the rules that are offered, the calls that a chosen rule lets through, and the calls that it does not.

import { mkdir, mkdtemp, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Approval, Asking, FrozenCall, Permission } from "../../src/index.js";
import { gate, type GateOptions } from "../../src/permission/index.js";
import { without } from "../programs.js";

async function makeRoot(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "lastcall-kinds-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const root = join(folder, "project");
  await mkdir(join(root, "src/parts"), { recursive: true });
  await mkdir(join(root, "docs"));
  await symlink(folder, join(root, "up"));
  return root;
}

const running = (command: string, more: FrozenCall["reach"] = {}): FrozenCall => ({
  id: "1",
  name: "run_command",
  effect: "execute",
  input: { command },
  reach: { command, ...more },
});
const writing = (path: string, name = "edit_file"): FrozenCall => ({
  id: "1",
  name,
  effect: "write",
  input: { path },
  reach: { writes: [path] },
});
const foreign = (definition: string, input: object = {}): FrozenCall => ({
  id: "1",
  name: "files__list",
  effect: "network",
  input,
  definition,
});

/** A gate whose approver answers `answer`, and the questions that it was asked. */
function asked(options: GateOptions, answer: (asking: Asking) => Approval | boolean = () => false) {
  const questions: Asking[] = [];
  const permission = gate({
    ...options,
    approver: (_call, asking) => {
      questions.push(asking);
      return answer(asking);
    },
  });
  return { permission, questions };
}

/** A gate on which a person has chosen this rule in the session `s`. */
async function afterChoosing(options: GateOptions, by: FrozenCall, rule: string): Promise<Permission> {
  let isFirst = true;
  const { permission } = asked(options, () => {
    const first = isFirst;
    isFirst = false;
    return first && { allowed: true, always: rule };
  });
  expect(await decided(permission, by)).toBe("approver");
  return permission;
}

/** The basis of a yes; `no` if the call is not allowed. */
async function decided(permission: Permission, call: FrozenCall, session = "s"): Promise<string> {
  const { signal } = new AbortController();
  const { allowed, basis = "" } = await permission.decide(call, {
    signal,
    session,
    preview: () => Promise.resolve(undefined),
  });
  return allowed ? basis : "no";
}

const npmTest = "run_command(npm test *)";

describe("a question offers a rule for calls of the same kind", () => {
  test.each([
    ["npm test", npmTest],
    ["npm test -- cart", npmTest],
    ["npm run lint", "run_command(npm run lint *)"],
    ["pnpm run test:unit", "run_command(pnpm run test:unit *)"],
    ["cargo test -p core -- --nocapture", "run_command(cargo test *)"],
    ["go test -run TestCart -count=1 ./...", "run_command(go test *)"],
    ["python3 -m pytest -q src/parts", "run_command(python3 -m pytest *)"],
    ["mkdir -p src/made", "run_command(mkdir *)"],
  ])("%s: %s", async (command, kind) => {
    const { permission, questions } = asked({ root: await makeRoot() });
    await decided(permission, running(command));
    expect(questions.map((one) => one.kind)).toEqual([kind]);
  });

  test.each([
    "bash -c 'npm test'",
    "node -e 1",
    "npx vitest run",
    "npm exec vitest",
    "npm install left-pad",
    "npm publish",
    "npm run deploy",
    "npm run build",
    "sudo npm test",
    "env npm test",
    "CI=1 npm test",
    "echo a | xargs npm test",
    "find . -exec npm test ;",
    "git -c core.pager=x log",
    "git commit -m x",
    "gh pr merge 1",
    "make test",
    "npm test && npm run lint",
    "npm test | tee log",
    "npm test > log",
    "npm test $(x)",
    "npm test `x`",
    "npm test $X",
    "npm test -- *.js",
    "npm test -- 'a b'",
    "npm test -- 'a;b'",
    "npm test -- ../x",
    "npm test -- --dir=/etc",
    "npm test -- -C..",
    "npm test -- up/x",
    "npm test --script-shell=./x",
    "npm test --prefix src",
    "npm --prefix src test",
    "cargo test --config x",
    "cargo test +nightly",
    "go test -exec ./x ./...",
    "go test -toolexec=./x ./...",
    "pytest -p x",
    "pytest -c x",
    "mkdir ../x",
  ])("none for %s", async (command) => {
    const { permission, questions } = asked({ root: await makeRoot() });
    expect(await decided(permission, running(command))).toBe("no");
    expect(questions.map((one) => one.kind ?? "none")).toEqual(questions.map(() => "none"));
  });

  test("the folder of a file, if rules are about files", async () => {
    const { permission, questions } = asked({ root: await makeRoot(), allow: ["edit_file(docs/**)"] });
    for (const path of ["src/parts/a.ts", "a.ts", "src/.npmrc"]) await decided(permission, writing(path));
    expect(questions.map(({ rule, kind }) => [rule, kind])).toEqual([
      ["edit_file(src/parts/a.ts)", "edit_file(src/parts/**)"],
      ["edit_file(a.ts)", undefined],
      ["edit_file(src/.npmrc)", undefined],
    ]);
  });

  test("none is offered if every call is asked about, or if the call asks for a wall by itself", async () => {
    const root = await makeRoot();
    const all = asked({ root, mode: "ask-all" });
    await decided(all.permission, running("npm test"));
    const walled = asked({ root });
    await decided(walled.permission, running("npm test", { walls: ["network"], needs: ["network"] }));
    expect([...all.questions, ...walled.questions].map(({ rule, kind }) => [rule, kind])).toEqual([
      [undefined, undefined],
      [undefined, undefined],
    ]);
  });
});

test.skipIf(without("timeout") !== "")(
  `a command behind timeout has the rule of the command itself${without("timeout")}`,
  async () => {
    const { permission, questions } = asked({ root: await makeRoot() });
    await decided(permission, running("timeout 60 npm test -- --reporter=dot src/parts"));
    expect(questions.map((one) => one.kind)).toEqual([npmTest]);
    const chosen = await afterChoosing({ root: await makeRoot() }, running("npm test -- cart"), npmTest);
    expect(await decided(chosen, running("timeout 9 npm test"))).toBe("grant");
  },
);

describe("the rule that a person chose for npm test", () => {
  test.each(["npm test", "npm test -- order", "npm test -- src/parts --bail=1", "CI=1 npm test"])(
    "lets %s through",
    async (command) => {
      const permission = await afterChoosing({ root: await makeRoot() }, running("npm test -- cart"), npmTest);
      expect(await decided(permission, running(command))).toBe("grant");
    },
  );

  test.each([
    "npm test; rm -rf x",
    "npm test && rm -rf x",
    "npm test & rm -rf x",
    "npm test || rm -rf x",
    "npm test | sh",
    "npm test\nrm -rf x",
    "npm test\r\nrm -rf x",
    "npm test\\\nrm",
    "npm test $(x)",
    "npm test `x`",
    'npm test "$(x)"',
    "npm test <(x)",
    "npm test > ~/.bashrc",
    "npm test >> out",
    "npm test 2> out",
    "npm test < .env",
    "npm testx",
    "npm test-all",
    "npm t",
    "npm run test",
    "npm run testx",
    "npm install",
    "npm test --script-shell=./x",
    "npm test --script-shell ./x",
    "npm test --node-options=--require=./x",
    "npm test -c x",
    "npm --prefix x test",
    "./npm test",
    "/tmp/npm test",
    "NODE_OPTIONS=--require=./x npm test",
    "PATH=. npm test",
    "npm test -- ../../x",
    "npm test -- ~/x",
    "npm test -- /etc/passwd",
    "npm test -- --config=/tmp/x.js",
    "npm test -- --dir ..",
    "npm test -- -C..",
    "npm test -- up/x",
    "npm test -- https://example.com",
    "npm test -- --import=data:text/javascript,x()",
    "npm test -- 'x; rm -rf y'",
    "npm test -- .env",
    "sudo npm test",
    "env npm test",
    "npx npm test",
    "xargs npm test",
    "bash -c 'npm test'",
    "npm\u00a0test",
    "npm\u2800test x",
    "NPM test",
  ])("does not let %j through", async (command) => {
    const permission = await afterChoosing({ root: await makeRoot() }, running("npm test -- cart"), npmTest);
    expect(await decided(permission, running(command))).toBe("no");
  });

  test("counts in its session alone, and opens no wall that the call asks for", async () => {
    const permission = await afterChoosing({ root: await makeRoot() }, running("npm test"), npmTest);
    expect(await decided(permission, running("npm test -- a"), "other")).toBe("no");
    expect(await decided(permission, running("npm test", { walls: ["network"], needs: ["network"] }))).toBe("no");
  });

  test("did not count for a call that waited for its question while it was chosen", async () => {
    const { permission, questions } = asked(
      { root: await makeRoot() },
      ({ kind }) => kind === npmTest && { allowed: true, always: npmTest },
    );
    const commands = ["npm test -- cart", "npm test -- order", "npm test", "npm install"];
    const bases = await Promise.all(commands.map((command) => decided(permission, running(command))));
    expect(bases.toSorted()).toEqual(["approver", "grant", "grant", "no"]);
    expect(questions).toHaveLength(2);
  });

  test("is weaker than a rule that forbids", async () => {
    const root = await makeRoot();
    const permission = gate({ root, kept: [{ rule: npmTest }], deny: ["run_command(npm test -- cart)"] });
    expect(await decided(permission, running("npm test -- order"))).toBe("grant");
    expect(await decided(permission, running("npm test -- cart"))).toBe("no");
    expect(await decided(gate({ root, tier: "read-only", kept: [{ rule: npmTest }] }), running("npm test"))).toBe("no");
    expect(await decided(gate({ root, mode: "ask-all", kept: [{ rule: npmTest }] }), running("npm test"))).toBe("no");
  });
});

test("an approver can choose only a rule that was offered for this very call", async () => {
  const root = await makeRoot();
  for (const always of ["run_command", "run_command(npm *)", "run_command(npm run lint *)", "write_file"]) {
    const { permission } = asked({ root }, () => ({ allowed: true, always }));
    expect(await decided(permission, running("npm test"))).toBe("no");
  }
});

test("a kept rule counts in the next process, in every session, and never makes the gate ask more", async () => {
  const kept = [{ rule: npmTest }, { rule: "edit_file(src/**)" }, { rule: "gone__tool" }];
  const permission = gate({ root: await makeRoot(), kept });
  permission.prepare?.(["run_command", "edit_file"]);
  expect(await decided(permission, running("npm test -- cart"), "a")).toBe("grant");
  expect(await decided(permission, running("npm test -- cart"), "b")).toBe("grant");
  expect(await decided(permission, writing("docs/a.md"))).toBe("tier");
});

test("a rule for a folder lets files in it through, and no file beside it", async () => {
  const options = { root: await makeRoot(), allow: ["edit_file(docs/**)"] };
  const permission = await afterChoosing(options, writing("src/parts/a.ts"), "edit_file(src/parts/**)");
  expect(await decided(permission, writing("src/parts/deep/b.ts"))).toBe("grant");
  for (const path of ["src/b.ts", "src/parts/../b.ts", "up/x", "src/parts/.npmrc", "src/partsx/a.ts"])
    expect(await decided(permission, writing(path)), path).toBe("no");
  expect(await decided(permission, writing("src/parts/a.ts", "delete_file"))).toBe("tier");
});

test("a rule for a tool of a stranger counts for the definition that the person saw", async () => {
  const permission = await afterChoosing({ root: await makeRoot() }, foreign("one"), "files__list");
  expect(await decided(permission, foreign("one", { path: "other" }))).toBe("grant");
  expect(await decided(permission, foreign("two"))).toBe("no");
  const next = gate({ root: await makeRoot(), kept: [{ rule: "files__list", definition: "one" }] });
  expect(await decided(next, foreign("one"))).toBe("grant");
  expect(await decided(next, foreign("two"))).toBe("no");
});

test("a kept rule that is not valid is an error at the start", async () => {
  const root = await makeRoot();
  expect(() => gate({ root, kept: [{ rule: "run_command(" }] })).toThrow('kept rule "run_command("');
});
