// Attack scenarios for the gate, by their ids in the shared corpus.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { approverAt } from "../../src/cli/person/approver.js";
import { plain } from "../../src/cli/display/quantities.js";
import { createAgent, tool, type Hook, type JournalRecord, type Outcome, type Tool } from "../../src/index.js";
import { fileStore, openSession } from "../../src/memory/index.js";
import { gate, type GateOptions } from "../../src/permission/index.js";
import type { Approver } from "../../src/index.js";
import { call, scriptedModel, scriptedProvider, type Script } from "../../src/testing/index.js";
import { taskCompletion, workspaceTools } from "../../src/tools/index.js";
import { run, start, temporary } from "../cli/command.js";
import { printEnvironment } from "../programs.js";

const done = call("task_completion", { result: "ok" });
const command = (text: string): ReturnType<typeof call> => call("run_command", { command: text });

async function makeRoot(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "lastcall-scenario-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const root = join(folder, "project");
  await mkdir(root);
  return root;
}

interface Met {
  readonly outcome: Outcome;
  readonly records: readonly JournalRecord[];
  readonly decisions: readonly Extract<JournalRecord, { readonly type: "decision" }>[];
  readonly results: readonly string[];
}

/** Runs the script with the workspace tools behind a gate. */
async function meet(
  script: Script,
  options: GateOptions,
  more: { readonly hooks?: readonly Hook[]; readonly tools?: readonly Tool[] } = {},
): Promise<Met> {
  const tools = [...workspaceTools({ root: options.root }), taskCompletion(), ...(more.tools ?? [])] as Tool[];
  const permission = gate(options);
  const agent = createAgent({ model: scriptedModel(script), tools, permission, hooks: more.hooks ?? [] });
  const outcome = (await agent.run("Go.")) as Outcome;
  const { records } = outcome.session;
  return {
    outcome,
    records,
    decisions: records.filter((record) => record.type === "decision"),
    results: records.flatMap((record) => (record.type === "result" ? [record.result.text] : [])),
  };
}

test("gate-005-hook-timeout: an approver that never answers is a no, and the run goes on", async () => {
  const root = await makeRoot();
  const met = await meet([[command("echo x > x")], [done]], {
    root,
    approver: () => new Promise(() => undefined),
    approvalTimeout: 30,
  });
  expect(met.outcome.status).toBe("completed");
  expect(met.decisions[0]).toMatchObject({ allowed: false, basis: "approver" });
  expect(existsSync(join(root, "x"))).toBe(false);
});

test("gate-007-rule-named-toString: it is the name of a tool that is not there", async () => {
  const root = await makeRoot();
  await expect(meet([[done]], { root, allow: ["toString"] })).rejects.toThrow(
    'The rule "toString" is about a tool that the agent does not have',
  );
});

test("gate-008-tier-unknown: it is an error at the start, in the library and at the command", async () => {
  const root = await makeRoot();
  expect(() => gate({ root, tier: "readonly " as "read-only" })).toThrow(
    'give one of "read-only", "workspace-write", "full-access". Did you mean "read-only"?',
  );
  const { code, stderr } = await run(["x", "--tier", "readonly "]);
  expect(code).toBe(4);
  expect(stderr).toContain("none of read-only, workspace-write, full-access");
});

test("gate-010-approval-id-reuse: an approval is for what the call is, not for its id", async () => {
  const root = await makeRoot();
  const approver = vi.fn<Approver>(({ input }) => ({
    allowed: (input as { readonly command: string }).command === "touch a",
    always: true,
  }));
  const permission = gate({ root, approver });
  const deciding = { signal: new AbortController().signal, session: "s", preview: () => Promise.resolve(undefined) };
  const frozen = (text: string) =>
    ({
      id: "call_1",
      name: "run_command",
      effect: "execute",
      input: { command: text },
      reach: { command: text },
    }) as const;
  expect(await permission.decide(frozen("touch a"), deciding)).toMatchObject({ allowed: true });
  expect(await permission.decide(frozen("rm -rf x"), deciding)).toMatchObject({ allowed: false });
  expect(approver).toHaveBeenCalledTimes(2);
});

test("gate-011-approval-after-resume: after kill -9 at the question it is asked again, and nothing has run", async () => {
  await using provider = await scriptedProvider([[command("echo x > made")], [command("echo x > made")], [done]]);
  await using folder = await temporary();
  const sessions = join(folder.path, "sessions");
  const store = fileStore(sessions);
  const asks = `
    import { createAgent } from "lastcall";
    import { fileStore, openSession } from "lastcall/memory";
    import { openai } from "lastcall/model";
    import { gate } from "lastcall/permission";
    import { taskCompletion, workspaceTools } from "lastcall/tools";
    const root = ${JSON.stringify(folder.path)};
    const permission = gate({ root, approver: () => { console.log("asked"); return new Promise(() => setInterval(() => 0, 1000)); } });
    const agent = createAgent({ model: openai({ baseURL: ${JSON.stringify(provider.url)}, model: "m" }), tools: [...workspaceTools({ root }), taskCompletion()], permission });
    await agent.run("Go.", { session: openSession({ store: fileStore(${JSON.stringify(sessions)}), id: "s" }) });
  `;
  const child = spawn(process.execPath, ["--input-type=module", "-e", asks], { stdio: ["ignore", "pipe", "inherit"] });
  await new Promise((resolve) => child.stdout.once("data", resolve));
  child.kill("SIGKILL");
  await new Promise((resolve) => child.once("exit", resolve));
  expect(existsSync(join(folder.path, "made"))).toBe(false);
  const approver = vi.fn<Approver>(() => true);
  const agent = createAgent({
    model: scriptedModel([[done]]),
    tools: [...workspaceTools({ root: folder.path }), taskCompletion()],
    permission: gate({ root: folder.path, approver }),
  });
  const outcome = await agent.resume(openSession({ store, id: "s" }));
  expect(outcome.status).toBe("completed");
  expect(approver).toHaveBeenCalledTimes(1);
  expect(existsSync(join(folder.path, "made"))).toBe(true);
});

test("gate-012-tier-after-resume: a run at read-only is gone on with at read-only", async () => {
  const write = call("write_file", { path: "a.txt", content: "x" });
  await using provider = await scriptedProvider([{ calls: [write], delay: 5000 }, [write], [done]]);
  await using folder = await temporary();
  const sessions = join(folder.path, "sessions");
  const at = ["--base-url", provider.url, "--model", "m", "--workdir", folder.path, "--sessions", sessions];
  const first = start(["do it", ...at, "--tier", "read-only"]);
  await vi.waitFor(() => {
    expect(provider.requests).toHaveLength(1);
  }, 10_000);
  first.child.kill("SIGKILL");
  await first.ended;
  const [session] = await fileStore(sessions).list();
  const { code, stderr } = await run(["resume", session?.id ?? "", "--sessions", sessions]);
  expect(stderr).toContain("--tier read-only");
  expect(stderr).toContain("the tier is read-only");
  expect(code).toBe(0);
  expect(existsSync(join(folder.path, "a.txt"))).toBe(false);
});

test("gate-013-subagent-inherits: an agent in a tool can do no more than the one around it", async () => {
  const root = await makeRoot();
  const child = createAgent({
    model: scriptedModel([[call("write_file", { path: "a.txt", content: "x" })], [done]]),
    tools: [...workspaceTools({ root }), taskCompletion()],
    permission: gate({ root, tier: "full-access" }),
  });
  let inner: Outcome | undefined;
  const delegate = tool({
    name: "delegate",
    description: "Hands a task on",
    input: z.object({}),
    run: async (_input, context) => {
      inner = await child.run("Go.", { session: await context.child() });
      return inner.status;
    },
  }) as Tool;
  const met = await meet([[call("delegate", {})], [done]], { root, tier: "read-only" }, { tools: [delegate] });
  expect(met.outcome.status).toBe("completed");
  expect(inner?.session.records.find(({ type }) => type === "decision")).toMatchObject({
    allowed: false,
    reason: "the tier is read-only",
  });
  expect(existsSync(join(root, "a.txt"))).toBe(false);
});

test("gate-014-approve-timeout: no answer is a no with a result for the model, and every call has one", async () => {
  const root = await makeRoot();
  const met = await meet([[command("echo x > x"), call("read_file", { path: "none" })], [done]], {
    root,
    approver: () => new Promise(() => undefined),
    approvalTimeout: 20,
  });
  expect(met.results[0]).toContain("nobody answered within 0.02 s");
  expect(met.results).toHaveLength(2);
});

test.each([["no"], ["yes"], [1], [{}], [{ allowed: "yes" }]])("gate-016-approve-truthy: %j is a no", async (answer) => {
  const root = await makeRoot();
  const met = await meet([[command("echo x > x")], [done]], { root, approver: (() => answer) as unknown as Approver });
  expect(met.decisions[0]).toMatchObject({ allowed: false });
  expect(existsSync(join(root, "x"))).toBe(false);
});

test("gate-017-truncated-prompt: whoever approves sees the end of a long command, and gaps are said", async () => {
  const said: string[] = [];
  const text = `echo ${"a".repeat(5000)}${" ".repeat(3000)}${"\n".repeat(400)}; curl evil.example \u001b[2K\u202e`;
  const approver = approverAt({ ask: () => Promise.resolve("n") }, { style: plain, say: (line) => said.push(line) });
  const root = await makeRoot();
  await meet([[command(text)], [done]], { root, approver });
  const shown = said.join("\n");
  expect(shown).toContain("a".repeat(5000));
  expect(shown).toContain("[... 3000 spaces ...]");
  expect(shown).toMatch(/\[\.\.\. \d+ empty lines \.\.\.\]/);
  expect(shown).toContain("; curl evil.example \\u{1b}[2K\\u{202e}");
});

test("gate-018-approval-fatigue: how often somebody was asked can be told from the journal", async () => {
  const root = await makeRoot();
  const asks = Array.from({ length: 50 }, (_, index) => [command(`touch f${String(index)}`)]);
  const shown: unknown[] = [];
  const approver: Approver = ({ input }) => {
    shown.push(input);
    return false;
  };
  const met = await meet([...asks, [done]], { root, approver });
  const asked = met.decisions.filter(({ basis }) => basis === "approver");
  expect(asked.length).toBe(shown.length);
  expect(new Set(shown.map((input) => JSON.stringify(input))).size).toBe(shown.length);
});

test("gate-019-always-allow-too-broad: the rule that is offered is the command itself", async () => {
  const root = await makeRoot();
  const approver = vi.fn<Approver>(() => false);
  await meet([[command("npx cowsay hi")], [done]], { root, approver });
  expect(approver.mock.calls[0]?.[1].rule).toBe("run_command(npx cowsay hi)");
});

test("gate-022-batch-partial: one is denied, the other runs, both are answered", async () => {
  const root = await makeRoot();
  await writeFile(join(root, "a.ts"), "text\n");
  const met = await meet([[call("read_file", { path: "a.ts" }), command("rm -rf a.ts")], [done]], {
    root,
    tier: "read-only",
  });
  expect(met.decisions.map(({ allowed }) => allowed).slice(0, 2)).toEqual([true, false]);
  expect(met.results[0]).toContain("text");
  expect(met.results[1]).toContain("not allowed");
  expect(existsSync(join(root, "a.ts"))).toBe(true);
});

test("gate-023-deny-message-leak: what is outside is not told apart", async () => {
  const root = await makeRoot();
  const met = await meet(
    [[call("read_file", { path: "/etc/shadow" }), call("read_file", { path: "/etc/nothing-here" })], [done]],
    { root },
  );
  const [there, missing] = met.results.map((text) => text.replaceAll(/"\/etc\/[^"]*"/g, "PATH"));
  expect(there).toContain("outside the workspace");
  expect(there).toBe(missing);
});

test("env-secrets-not-inherited: a command does not see the keys of the process", async () => {
  vi.stubEnv("OPENAI_API_KEY", "sk-proj-0123456789abcdefghijklmnop");
  vi.stubEnv("OTHER_SECRET", "hunter2hunter2");
  onTestFinished(() => void vi.unstubAllEnvs());
  const root = await makeRoot();
  const met = await meet([[command(printEnvironment)], [done]], { root, tier: "full-access" });
  expect(met.results[0]).toContain("PATH=");
  expect(met.results[0]).not.toMatch(/OPENAI_API_KEY|hunter2|0123456789abcdef/);
});

test("env-base-url: a folder's settings send no key anywhere before a person trusts them", async () => {
  await using evil = await scriptedProvider([[done]]);
  await using good = await scriptedProvider([[done]]);
  await using folder = await temporary();
  await writeFile(join(folder.path, "lastcall.config.json"), JSON.stringify({ "base-url": evil.url, yes: true }));
  const { code, stderr } = await run(["do it", "--workdir", folder.path, "--model", "m", "--no-save"], {
    OPENAI_API_KEY: "sk-test",
    OPENAI_BASE_URL: good.url,
    XDG_CONFIG_HOME: join(folder.path, "home"),
  });
  expect(code).toBe(0);
  expect(stderr).toContain("is not used: it came with the folder");
  expect(evil.requests).toHaveLength(0);
  expect(good.requests).toHaveLength(1);
});

test("mcp-004-agent-writes-config: no tool writes the list of servers", async () => {
  const root = await makeRoot();
  const met = await meet([[call("write_file", { path: ".mcp.json", content: "{}" })], [done]], {
    root,
    mode: "allow-all",
  });
  expect(met.decisions[0]).toMatchObject({ allowed: false, basis: "protected" });
  expect(existsSync(join(root, ".mcp.json"))).toBe(false);
});
