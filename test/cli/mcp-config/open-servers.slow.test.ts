// The MCP servers of a run of the command: started, offered, resumed and ended.

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { call, scriptedProvider } from "../../../src/testing/index.js";
import { isAlive } from "../../mcp/plain-server.js";
import { inTerminal, noTerminal, start } from "../command.js";
import { everythingServer, serverFolder } from "../mcp/server-folder.js";

const done = [call("task_completion", { result: "done" })];

describe("the servers of a run", () => {
  test("give it their tools, which a rule allows, and are ended with it", async () => {
    await using folder = await serverFolder();
    const list = await folder.servers({ all: everythingServer, plain: folder.plain(["pid"]) });
    const script = [[call("all__get-sum", { a: 19, b: 23 })], [call("plain__pid")], done];
    const rules = ["--allow", "all__get-sum", "--allow", "plain__pid"];
    const { code, stdout, stderr } = await folder.on(script, ["go", "--mcp", list, ...rules]);
    expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: "done\n" });
    expect(stderr).toContain("MCP servers: all (13 tools), plain (1 tool)");
    expect(stderr).toContain("ok The sum of 19 and 23 is 42.");
    const pid = Number(/ok (\d+)\b/.exec(stderr)?.[1]);
    expect(pid).toBeGreaterThan(1);
    expect(isAlive(pid)).toBe(false);
  });

  test("that can't be started, or lack a package of theirs, are a line each, and the run goes on without their tools", async () => {
    await using folder = await serverFolder();
    const list = await folder.servers({
      gone: { command: "no-such-program" },
      dead: folder.plain(["pid"], { exits: 3 }),
      "bad name": { command: "x" },
      plain: folder.plain(["echo"]),
    });
    const rules = ["--allow", "gone__x", "--deny", "dead__pid", "--allow", "plain__echo"];
    const { code, stderr, body } = await folder.on([[call("plain__echo", {})], done], ["go", "--mcp", list, ...rules]);
    expect(code, stderr).toBe(0);
    const lines = stderr.split("\n").filter((line) => line.includes("Its tools are missing."));
    expect(lines).toHaveLength(3);
    expect(lines.join("\n")).toMatch(
      /The MCP server "gone" can't be used: The command "no-such-program" in .* can't be started/,
    );
    expect(lines.join("\n")).toContain('The MCP server "dead" can\'t be used: ');
    expect(lines.join("\n")).toContain('The name of an MCP server is "bad name"');
    expect(body).toContain("plain__echo");
    expect(body).not.toContain("dead__");
  });

  test("a rule about a server that is left out, switched off or not started in a dry run ended the run; the run goes on", async () => {
    await using folder = await serverFolder();
    const list = await folder.servers({
      unset: { command: "node", args: ["${LASTCALL_TEST_UNSET}"] },
      wrong: { command: 7 },
      off: { command: "node", disabled: true },
      plain: folder.plain(["echo"]),
    });
    const rules = ["unset__x", "wrong__x", "off__x", "plain__echo"].flatMap((rule) => ["--allow", rule]);
    const words = ["go", "--mcp", list, ...rules];
    const run = await folder.on([[call("plain__echo", {})], done], words);
    expect(run.code, run.stderr).toBe(0);
    const dry = await folder.on([done], [...words, "--dry-run"]);
    expect(dry.code, dry.stderr).toBe(0);
    const unknown = await folder.on([done], [...words, "--allow", "nobody__x"]);
    expect(unknown).toMatchObject({ code: 4, stderr: expect.stringContaining('The rule "nobody__x"') as unknown });
  });

  test("get the short list of variables and their own, with those of the environment in their place", async () => {
    await using folder = await serverFolder();
    const list = await folder.servers({
      plain: { ...folder.plain(["environment"]), env: { GIVEN: "${TERM} ${NONE:-x}" } },
    });
    const script = [[call("plain__environment")], done];
    const { stdout } = await folder.on(script, ["go", "--mcp", list, "--allow", "plain__environment", "--json"]);
    const { session } = JSON.parse(stdout) as {
      session: { records: { type: string; name?: string; text?: string }[] };
    };
    const result = session.records.find((record) => record.type === "result") as unknown as {
      result: { text: string };
    };
    const got = JSON.parse(result.result.text) as Record<string, string>;
    expect(got["GIVEN"]).toBe("xterm x");
    expect(Object.keys(got).filter((name) => name.startsWith("XDG_") || name.startsWith("VITEST"))).toEqual([]);
  });

  test("with a variable that is missing, or a mistake, are told, and the others are there", async () => {
    await using folder = await serverFolder();
    const list = await folder.servers({
      lacks: { command: "x", args: ["${NO_SUCH}"] },
      wrong: { command: 5 },
      off: { ...folder.plain(["echo"]), disabled: true },
      plain: folder.plain(["echo"]),
    });
    const { code, stderr, body } = await folder.on([done], ["go", "--mcp", list]);
    expect({ code, body }).toEqual({ code: 0, body: expect.stringContaining("plain__echo") as string });
    expect(body).not.toMatch(/(?:lacks|wrong|off)__/);
    expect(stderr).toContain(`${list}: the server "lacks": args[0] needs the variable NO_SUCH, which is not set.`);
    expect(stderr).toContain(`${list}: the server "wrong": command must be a text, and is 5. It is left out.`);
    expect(folder.log()).toEqual(["start"]);
  });

  test("are there for the agent of a module too, and not in a dry run or with --no-mcp", async () => {
    await using folder = await serverFolder();
    const list = await folder.servers({ plain: folder.plain(["echo"]) });
    const agent = await folder.put("agent.mjs", 'export default { instructions: "You are mine." };');
    const mine = await folder.on([done], ["go", "--mcp", list, "--agent", agent]);
    expect(mine).toMatchObject({ code: 0, body: expect.stringContaining("plain__echo") as string });
    const dry = await folder.on([done], ["go", "--mcp", list, "--dry-run"]);
    expect(dry.body).not.toContain("plain__echo");
    expect(dry.stderr).toContain("A dry run starts no MCP servers");
    await folder.put("home/lastcall/config.yaml", `mcp: [${list}]\n`);
    expect((await folder.on([done], ["go"])).body).toContain("plain__echo");
    expect((await folder.on([done], ["go", "--no-mcp"])).body).not.toContain("plain__echo");
    expect(folder.log()).toEqual(["start", "start"]);
  });
});

describe("a session that is resumed", () => {
  test("has its servers again, and asks its question of the server through the run", async () => {
    await using folder = await serverFolder();
    const list = await folder.servers({ all: everythingServer });
    const allow = ["--allow", "all__trigger-elicitation-request"];
    const asking = [[call("all__trigger-elicitation-request")]];
    const { code, stderr } = await folder.on(asking, ["go", "--mcp", list, ...allow]);
    expect(code, stderr).toBe(3);
    const id = /lastcall resume (\S+)/.exec(stderr)?.[1] ?? "";
    const answered = await folder.on([done], ["resume", id, '{"action":"decline"}', ...allow]);
    expect(answered.code, answered.stderr).toBe(0);
    expect(answered.stderr).toContain(`--mcp ${list}`);
    expect(answered.body).toContain("User declined to provide");
  });

  test("whose servers have changed or are gone is refused if nobody accepts them, and goes on with --mcp or --no-mcp", async () => {
    await using folder = await serverFolder();
    const list = await folder.servers({ plain: folder.plain(["echo"]) });
    const { stderr } = await folder.on([[call("ask_question", { question: "Now?" })]], ["go", "--mcp", list]);
    const id = /lastcall resume (\S+)/.exec(stderr)?.[1] ?? "";
    await folder.servers({ plain: folder.plain(["other"]) });
    const refused = await folder.on([], ["resume", id, "yes"]);
    expect(refused).toMatchObject({ code: 4, requests: 0 });
    expect(refused.stderr).toContain(
      `${list} is not as it was when this session began. The session has it from --mcp.`,
    );
    expect(refused.stderr).toContain("without servers: --no-mcp");
    expect(folder.log()).toEqual(["start"]);
    const other = await folder.on(
      [[call("ask_question", { question: "Sure?" })]],
      ["resume", id, "yes", "--mcp", list],
    );
    expect(other.body).toContain("plain__other");
    const without = await folder.on([done], ["resume", id, "Yes, sure.", "--no-mcp"]);
    expect(without).toMatchObject({ code: 0, body: expect.not.stringContaining("plain__") as string });
  });
});

test.skipIf(noTerminal)(
  `a person at a terminal sees the servers of the folder, and only a yes starts them${noTerminal}`,
  async () => {
    await using folder = await serverFolder();
    await using provider = await scriptedProvider(() => done);
    await folder.servers({ plain: folder.plain(["echo"]) }, ".mcp.json");
    const line = `go --workdir ${folder.path} --base-url ${provider.url} --model m --no-save --no-sandbox`;
    for (const answer of ["n", "y"]) {
      const { child, ended, seen } = inTerminal(line, { XDG_CONFIG_HOME: join(folder.path, "home") });
      await seen("Use them, now and later? [y/N]");
      await sleep(300);
      child.stdin?.write(`${answer}\r`);
      const { code, stdout } = await ended;
      expect(code, stdout).toBe(0);
      expect(stdout).toContain("They start these MCP servers");
      expect(stdout.includes("MCP servers: plain (1 tool)")).toBe(answer === "y");
      expect(folder.log()).toEqual(answer === "y" ? ["start"] : [""]);
    }
  },
);

describe("a command that is stopped ends its servers:", () => {
  test.each(["SIGTERM", "SIGKILL"] as const)("%s during a call", async (signal) => {
    await using folder = await serverFolder();
    await using provider = await scriptedProvider([[call("plain__pid")], [call("plain__hang")]]);
    const list = await folder.servers({ plain: folder.plain(["pid", "hang"], { staysAlive: true }) });
    const place = ["--workdir", folder.path, "--base-url", provider.url, "--model", "m", "--no-save", "--yes"];
    const running = start(["go", "--mcp", list, ...place], { XDG_CONFIG_HOME: folder.path });
    await running.seen("plain__hang");
    for (let tries = 0; tries < 500 && !folder.log().includes("hangs"); tries += 1) await sleep(10);
    running.child.kill(signal);
    const { code, stderr } = await running.ended;
    expect(code).toBe(signal === "SIGTERM" ? 130 : null);
    const pid = Number(/ok (\d+)\b/.exec(stderr)?.[1]);
    expect(pid).toBeGreaterThan(1);
    for (let tries = 0; tries < 500 && isAlive(pid); tries += 1) await sleep(10);
    expect(isAlive(pid)).toBe(false);
  });
});
