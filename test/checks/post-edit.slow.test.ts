import { existsSync, readFileSync } from "node:fs";
import { mkdir, readdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { postEdit, type PostEditCheck, type PostEditOptions, type Shell } from "../../src/checks/index.js";
import { createAgent, tool, type Event, type Execution, type FrozenCall } from "../../src/index.js";
import { allowAll } from "../../src/permission/index.js";
import { call, scriptedModel } from "../../src/testing/index.js";
import { taskCompletion, workspaceTools } from "../../src/tools/index.js";
import { z } from "zod";
import { drain } from "../core/drain.js";
import { pause, print, printEnvironment } from "../programs.js";
import { exists, folderOf, put } from "./folder.js";

const wrote: Execution = { ok: true, value: "Wrote it." };

interface Edit {
  readonly path?: unknown;
  readonly call?: Partial<FrozenCall>;
  readonly execution?: Execution;
  readonly signal?: AbortSignal;
}

/** Runs one call of a tool that writes, through the hook. */
async function edit(
  checks: PostEditCheck | readonly PostEditCheck[],
  options: PostEditOptions,
  { path = "a.ts", call, execution = wrote, signal = new AbortController().signal }: Edit = {},
): Promise<{ readonly events: readonly Event[]; readonly value: Execution }> {
  const hook = postEdit([checks].flat(), options);
  const frozen: FrozenCall = { id: "call_1", name: "write_file", effect: "write", input: { path }, ...call };
  async function* next(): AsyncGenerator<Event, Execution, void> {
    yield { type: "call-progress", callId: "call_1", progress: "writing" };
    return execution;
  }
  return drain(hook.call!(frozen, next, signal, undefined));
}

/** The text that the model reads after the call's value. */
async function remarks(...args: Parameters<typeof edit>): Promise<readonly string[]> {
  const { value } = await edit(...args);
  return value.ok ? (value.remarks ?? []) : [];
}

describe("after an edit", () => {
  it("a command that passes and prints nothing is told in one line", async () => {
    const cwd = await folderOf();
    expect(await remarks({ files: "*.ts", command: "true" }, { cwd })).toEqual([
      "After this edit, `true`: passed (exit code 0).",
    ]);
  });

  it("a command that passes with words is told with them", async () => {
    const cwd = await folderOf();
    expect(await remarks({ files: "*.ts", command: "echo one warning" }, { cwd })).toEqual([
      "After this edit, `echo one warning`: passed (exit code 0).\none warning",
    ]);
  });

  it("a command that fails is told with its output, and that it should be mended", async () => {
    const cwd = await folderOf();
    expect(await remarks({ files: "*.ts", command: "echo no {file} >&2; exit 2" }, { cwd })).toEqual([
      "After this edit, `echo no a.ts >&2; exit 2`: failed (exit code 2). Mend this before you go on.\nno a.ts",
    ]);
    expect(await remarks({ files: "*.ts", command: "no-such-linter {file} 2>/dev/null" }, { cwd })).toEqual([
      "After this edit, `no-such-linter a.ts 2>/dev/null`: failed (exit code 127). Mend this before you go on.\n[no output]",
    ]);
  });

  it("a command is run by the shell that is given", async () => {
    const cwd = await folderOf();
    const shell: Shell = {
      description: "A shell that says what it would do.",
      walls: ["files", "protected", "network", "home", "secrets"],
      run({ command, environment, onOutput }) {
        onOutput(Buffer.from(`${command} with ${environment["LASTCALL_FILE"] ?? ""}`));
        return Promise.resolve({ how: "exited", code: 0 });
      },
    };
    expect(await remarks({ files: "*.ts", command: "lint {file}" }, { cwd, shell })).toEqual([
      'After this edit, `lint a.ts`: passed (exit code 0).\nlint "$LASTCALL_FILE" with a.ts',
    ]);
  });

  it("the call stays as it went, and earlier remarks stay before", async () => {
    const cwd = await folderOf();
    const execution: Execution = { ok: true, value: { bytes: 3 }, remarks: ["One thing."] };
    const { value } = await edit({ files: "*.ts", command: "exit 1" }, { cwd }, { execution });
    expect(value).toMatchObject({ ok: true, value: { bytes: 3 }, remarks: ["One thing.", expect.any(String)] });
  });

  it("the commands whose patterns mean the file are run in order, and no others", async () => {
    const cwd = await folderOf();
    const checks: readonly PostEditCheck[] = [
      { files: ["*.js", "*.ts"], command: "echo 1" },
      { files: "*.ts", command: "echo 2", enabled: false },
      { files: "*.js", command: "echo 3" },
      { files: "src/**", command: "echo 4; exit 1" },
      { files: "src", command: "echo 5" },
    ];
    const said = await remarks(checks, { cwd }, { path: "src/x/a.ts" });
    expect(said.map((text) => text.split("\n")[1])).toEqual(["1", "4", "5"]);
    const { value } = await edit(checks, { cwd }, { path: "README.md" });
    expect(value).toBe(wrote);
  });

  it("watchers see what is run, and what it came to, after what the call itself shows", async () => {
    const cwd = await folderOf();
    const { events } = await edit({ files: "*.ts", command: "echo no; exit 1", name: "lint" }, { cwd });
    expect(events.map(({ type }) => type)).toEqual(["call-progress", "check-start", "check-end"]);
    expect(events[1]).toEqual({ type: "check-start", check: "lint", when: "edit" });
    expect(events[2]).toEqual({
      type: "check-end",
      check: "lint",
      when: "edit",
      passed: false,
      output: expect.stringContaining("failed (exit code 1)"),
      duration: expect.any(Number),
      changed: [],
    });
  });

  it("a command has the plain variables and the file's name, and no key of this process", async () => {
    const cwd = await folderOf();
    process.env["LASTCALL_TEST_KEY"] = "secret";
    const [text] = await remarks(
      { files: "*", command: `pwd -P; ${printEnvironment}` },
      { cwd },
      { path: "x/../a b.ts" },
    );
    delete process.env["LASTCALL_TEST_KEY"];
    expect(text).toContain(`${cwd}\n`);
    expect(text).toContain("LASTCALL_FILE=a b.ts");
    expect(text).not.toContain("secret");
  });
});

describe("nothing is run", () => {
  const check: PostEditCheck = { files: "**", command: "echo x > ran" };

  it("for a call that failed", async () => {
    const cwd = await folderOf();
    const execution: Execution = {
      ok: false,
      failure: { kind: "tool_error", tool: "t", message: "no", advice: "", signature: "s" } as never,
    };
    expect((await edit(check, { cwd }, { execution })).value).toBe(execution);
    expect(await exists(cwd, "ran")).toBe(false);
  });

  it.each<[string, Edit]>([
    ["that only reads", { call: { effect: "read" } }],
    ["that declares nothing", { call: { effect: undefined } }],
    ["whose path is no text", { path: 7 }],
    ["whose input is no object", { call: { input: "a.ts" } }],
    ["on the folder itself", { path: "." }],
    ["on a file beside the folder", { path: "../a.ts" }],
    ["on a file somewhere else", { path: "/etc/passwd" }],
    ["on a path with a NUL", { path: "a\0b" }],
  ])("for a call %s", async (_what, given) => {
    const cwd = await folderOf();
    expect((await edit(check, { cwd }, given)).value).toBe(wrote);
    expect(await exists(cwd, "ran")).toBe(false);
  });

  it("if the run has ended", async () => {
    const cwd = await folderOf();
    expect((await edit(check, { cwd }, { signal: AbortSignal.abort() })).value).toBe(wrote);
    expect(await exists(cwd, "ran")).toBe(false);
  });

  it.each([
    [{ files: "*.ts", command: " " }, "needs a command"],
    [{ files: "*.ts", command: "lint", timeout: NaN }, "timeout is NaN"],
    [{ files: ["*.ts", "!a.ts"], command: "lint" }, "begins with !"],
    [{ files: "", command: "lint", enabled: false }, "names nothing"],
  ])("where a check makes no sense: it is refused when it is made", (wrong, words) => {
    expect(() => postEdit([wrong])).toThrow(words);
  });
});

describe("the file", () => {
  it("is what the caller says it is", async () => {
    const cwd = await folderOf();
    const fileOf = ({ input }: FrozenCall): string => `of-${(input as { path: string }).path}`;
    const said = await remarks(
      { files: "of-*", command: "echo {file}" },
      { cwd, fileOf },
      { call: { effect: "execute" } },
    );
    expect(said).toEqual(["After this edit, `echo of-a.ts`: passed (exit code 0).\nof-a.ts"]);
  });

  it("may be given by its whole path, through a link to the folder, too", async () => {
    const folder = await folderOf();
    await mkdir(join(folder, "real"));
    await symlink("real", join(folder, "link"));
    for (const cwd of ["real", "link"]) {
      const path = join(folder, "real/x/a.ts");
      const said = await remarks({ files: "x/*.ts", command: "echo {file}" }, { cwd: join(folder, cwd) }, { path });
      expect(said).toEqual(["After this edit, `echo x/a.ts`: passed (exit code 0).\nx/a.ts"]);
    }
  });

  const hostile = [
    "a'b; : > pwned",
    "a b  c.ts",
    "$(: > pwned)",
    "`: > pwned`",
    '"; : > pwned; "',
    "a\n: > pwned\n",
    "-rf",
    "--config=evil",
    "@args",
    "!x",
    "*",
    "[a-z]",
    "$HOME",
    "$LASTCALL_FILE",
    "$'",
    "{file}",
    "{file} {file}",
    "~",
    "a\\nb",
    "ü.ts",
    "..a",
  ];
  it.each([
    ["{file}", hostile],
    ['"{file}"', hostile],
    ["'{file}'", hostile],
    ['"$LASTCALL_FILE"', hostile],
  ])("is one word of the command as %s, whatever it is named", async (word, names) => {
    const cwd = await folderOf();
    for (const name of names) {
      await put(cwd, name, `in ${name}`);
      const command = `printf %s= ${word} > .seen; { IFS= read -r line; printf %s "$line"; } < ${word}`;
      const [text = ""] = await remarks({ files: "**", command, timeout: 5000 }, { cwd }, { path: name });
      expect(text).toContain(": passed (exit code 0).");
      expect(text.endsWith(`\nin ${name.split("\n")[0] ?? ""}`)).toBe(true);
      const shown = /^[\w.]/.test(name) ? name : `./${name}`;
      expect(readFileSync(join(cwd, ".seen"), "utf8")).toBe(`${shown}=`);
      await rm(join(cwd, name));
      expect(await readdir(cwd)).toEqual([".seen"]);
    }
  });

  it("runs nothing of its name where it was put into other quotes", async () => {
    const cwd = await folderOf();
    for (const name of hostile.filter((one) => !one.startsWith("{"))) {
      await remarks({ files: "**", command: `echo "lint {file}"; sh -c 'echo {file}'` }, { cwd }, { path: name });
      expect(await readdir(cwd)).toEqual([]);
    }
  });

  it("is shown to the model as a word that the shell would take", async () => {
    const cwd = await folderOf();
    const [text] = await remarks({ files: "**", command: "true {file}" }, { cwd }, { path: "a'b; $x" });
    expect(text).toBe("After this edit, `true 'a'\\''b; $x'`: passed (exit code 0).");
  });
});

describe("a command that does not behave", () => {
  it("is ended with all that it started where it takes too long, and the call is as it was", async () => {
    const cwd = await folderOf();
    const began = performance.now();
    const command = `(${pause(1)}; echo late > late) & echo begun; ${pause(30)}`;
    const said = await remarks({ files: "*", command, timeout: 300 }, { cwd });
    expect(performance.now() - began).toBeLessThan(15_000);
    expect(said).toEqual([`After this edit, \`${command}\`: did not finish (timed out after 0.3 s; killed).\nbegun`]);
    await sleep(1500);
    expect(await exists(cwd, "late")).toBe(false);
  });

  it("with ten megabytes of output keeps both ends of it", async () => {
    const cwd = await folderOf();
    const command = `echo first; ${print(10_000_000)}; echo; echo last; exit 1`;
    const [text = ""] = await remarks({ files: "*", command }, { cwd });
    expect(text.length).toBeLessThan(9000);
    expect(text).toMatch(/ go on\.\nfirst\nx+\n\[\.\.\. \d+ bytes left out \.\.\.\]\nx+\nlast$/);
  });

  it("that can't be started is told", async () => {
    const folder = await folderOf();
    const cwd = join(folder, "gone");
    const [text = ""] = await remarks({ files: "*", command: "true" }, { cwd });
    expect(text).toMatch(/^After this edit, `true`: could not be run\. The shell could not be started \(.*ENOENT/);
  });

  it("that kills itself is told", async () => {
    const cwd = await folderOf();
    const said = await remarks({ files: "*", command: "kill -9 $$" }, { cwd });
    expect(said).toEqual(["After this edit, `kill -9 $$`: did not finish (killed by signal SIGKILL).\n[no output]"]);
  });
});

/** Writes to `beats` until it is killed, and ignores SIGTERM. */
const stubborn = `sh -c 'trap "" TERM; while :; do echo x >> beats; ${pause(0.02)}; done' 2>/dev/null & wait`;

async function untilBeating(folder: string): Promise<void> {
  while (!existsSync(join(folder, "beats"))) await sleep(10);
}

async function expectNoMoreBeats(folder: string): Promise<void> {
  const count = (): number => readFileSync(join(folder, "beats")).length;
  const before = count();
  await sleep(150);
  expect(count()).toBe(before);
}

describe("in an agent", () => {
  const write = call("write_file", { path: "src/a.js", content: "let x = ;\n" });
  const done = call("task_completion", { result: "done" });

  it("the model reads what the linter said behind the result of its own call", async () => {
    const root = await folderOf();
    const model = scriptedModel([
      [write],
      [call("write_file", { path: "src/a.js", content: "let x = 1;\n" }), call("read_file", { path: "src/a.js" })],
      [done],
    ]);
    const agent = createAgent({
      model,
      tools: [taskCompletion(), ...workspaceTools({ root })],
      permission: allowAll(),
      hooks: [postEdit([{ files: "*.js", command: "node --check {file}" }], { cwd: root })],
    });
    expect(await agent.run("Write it")).toMatchObject({ status: "completed" });
    const results = (model.requests[2]?.messages ?? []).flatMap((one) => (one.role === "tool" ? [one.text] : []));
    expect(results[0]).toMatch(
      /^Wrote 10 bytes to src\/a\.js \(new file\)\n\nAfter this edit, `node --check src\/a\.js`: failed \(exit code 1\)\. Mend this before you go on\.\n[^]*SyntaxError/,
    );
    expect(results[1]).toBe(
      "Wrote 11 bytes to src/a.js (replaced)\n\nAfter this edit, `node --check src/a.js`: passed (exit code 0).",
    );
    expect(results[2]).toMatch(/^\[outside (\w{6})\]\n1\tlet x = 1;\n\n\[end \1\]$/);
  });

  it("a file that was edited or moved is looked at where it is now, one that was deleted is not", async () => {
    const root = await folderOf();
    const model = scriptedModel([
      [write],
      [call("edit_file", { path: "src/a.js", edits: [{ search: "= ;", replace: "= 1;" }] })],
      [call("move_file", { from: "src/a.js", to: "src/b.js" })],
      [call("delete_file", { path: "src/b.js" })],
      [done],
    ]);
    const agent = createAgent({
      model,
      tools: [taskCompletion(), ...workspaceTools({ root })],
      permission: allowAll(),
      hooks: [postEdit([{ files: "*.js", command: "node --check {file}" }], { cwd: root })],
    });
    await agent.run("Write it");
    const results = (model.requests[4]?.messages ?? []).flatMap((one) => (one.role === "tool" ? [one.text] : []));
    expect(results[1]).toMatch(/^Edited src\/a\.js[^]*node --check src\/a\.js`: passed/);
    expect(results[2]).toMatch(/^Moved src\/a\.js to src\/b\.js[^]*node --check src\/b\.js`: passed/);
    expect(results[3]).toBe("Deleted src/b.js (11 bytes)");
  });

  it("no check is recorded, and the journal goes on as a session", async () => {
    const root = await folderOf();
    const agent = createAgent({
      model: scriptedModel([[write], [done], [done]]),
      tools: [taskCompletion(), ...workspaceTools({ root })],
      permission: allowAll(),
      hooks: [postEdit([{ files: "*.js", command: "exit 1" }], { cwd: root })],
    });
    const { session } = await agent.run("Write it");
    expect(session.records.some(({ type }) => type === "check")).toBe(false);
    expect(await agent.run("Again", { session })).toMatchObject({ status: "completed", receipts: [] });
  });

  it("a write that was not allowed is not looked at", async () => {
    const root = await folderOf();
    const events: Event[] = [];
    const agent = createAgent({
      model: scriptedModel([[write], [done]]),
      tools: [taskCompletion(), ...workspaceTools({ root })],
      hooks: [postEdit([{ files: "**", command: "echo x > ran" }], { cwd: root })],
    });
    await agent.run("Write it", { onEvent: (event) => void events.push(event) });
    expect(events.some(({ type }) => type === "check-start")).toBe(false);
    expect(await readdir(root)).toEqual([]);
  });

  it("an aborted run ends the command with all that it started, and the write's result is kept", async () => {
    const root = await folderOf();
    const abort = new AbortController();
    const agent = createAgent({
      model: scriptedModel([[write], [done]]),
      tools: [taskCompletion(), ...workspaceTools({ root })],
      permission: allowAll(),
      hooks: [
        postEdit(
          [
            { files: "**", command: stubborn },
            { files: "**", command: "echo x > second" },
          ],
          { cwd: root },
        ),
      ],
    });
    const running = agent.run("Write it", { signal: abort.signal });
    await untilBeating(root);
    const began = performance.now();
    abort.abort();
    const { status, session } = await running;
    expect(performance.now() - began).toBeLessThan(15_000);
    expect(status).toBe("aborted");
    await expectNoMoreBeats(root);
    expect(await exists(root, "second")).toBe(false);
    const result = session.records.find((one) => one.type === "result");
    expect(result).toMatchObject({ result: { ok: true, text: expect.stringContaining("was broken off") } });
  });

  it("a run whose time is up ends it, too", async () => {
    const root = await folderOf();
    const agent = createAgent({
      model: scriptedModel(() => [write]),
      tools: [taskCompletion(), ...workspaceTools({ root })],
      permission: allowAll(),
      limits: { timeout: 600 },
      hooks: [postEdit([{ files: "**", command: stubborn }], { cwd: root })],
    });
    expect(await agent.run("Write it")).toMatchObject({ status: "stopped" });
    await expectNoMoreBeats(root);
  });

  it("a tool of one's own that writes is looked at, by what its path is", async () => {
    const root = await folderOf();
    const patch = tool({
      name: "patch",
      description: "Patches",
      input: z.object({ path: z.string() }),
      effect: "write",
      run: () => ({ patched: true }),
    });
    const model = scriptedModel([[call("patch", { path: "./x//a.py" })], [done]]);
    const agent = createAgent({
      model,
      tools: [taskCompletion(), patch],
      permission: allowAll(),
      hooks: [postEdit([{ files: "x/*.py", command: "echo {file}" }], { cwd: root })],
    });
    await agent.run("Patch it");
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({
      text: '{"patched":true}\n\nAfter this edit, `echo x/a.py`: passed (exit code 0).\nx/a.py',
    });
  });
});
