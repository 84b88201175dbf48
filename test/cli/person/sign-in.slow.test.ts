// Signing in at the command: a pasted address, a browser that comes back, kill -9 in between, and no token anywhere.

import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo, type Server } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { call, scriptedProvider, type Step } from "../../../src/testing/index.js";
import { guardedServer, type Guarded } from "../../mcp/sign-in/guarded-server.js";
import { inTerminal, noTerminal, run, temporary, type Ended, type Started } from "../command.js";

const done = [call("task_completion", { result: "all done" })];

interface Place extends AsyncDisposable {
  readonly guarded: Guarded;
  /** The replies of the model that are left. */
  readonly script: Step[];
  readonly path: string;
  readonly port: number;
  run(...args: readonly string[]): Promise<Ended>;
  inTerminal(line: string): Started;
  /** The bytes of all files of the command. */
  bytes(): string;
}

async function listening(): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, port: (server.address() as AddressInfo).port };
}

async function place(tools: readonly string[]): Promise<Place> {
  const guarded = await guardedServer();
  const folder = await temporary();
  const { server, port } = await listening();
  server.close();
  await once(server, "close");
  const script: Step[] = [...tools.map((tool) => [call(tool)]), done];
  const provider = await scriptedProvider(() => script.shift() ?? done);
  const list = join(folder.path, "servers.json");
  writeFileSync(list, JSON.stringify({ mcpServers: { bank: { type: "http", url: guarded.url } } }));
  const env = {
    XDG_CONFIG_HOME: join(folder.path, "home"),
    XDG_STATE_HOME: join(folder.path, "state"),
    LASTCALL_SIGN_IN_PORT: String(port),
  };
  const rules = ["bank__sign_in", "bank__whoami", "bank__leak"].flatMap((rule) => ["--allow", rule]);
  const given = ["--base-url", provider.url, "--model", "m", "--workdir", folder.path, "--no-sandbox", ...rules];
  const task = [...given, "--mcp", list];
  return {
    guarded,
    script,
    path: folder.path,
    port,
    run: (...args) => run([...args, ...(args[0] === "resume" ? given : task)], env),
    inTerminal: (line) => inTerminal(`${line} ${(line.startsWith("resume") ? given : task).join(" ")}`, env),
    bytes: () =>
      readdirSync(folder.path, { withFileTypes: true, recursive: true })
        .filter((entry) => entry.isFile() && !entry.parentPath.includes("sign-ins"))
        .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
        .join("\n"),
    async [Symbol.asyncDispose]() {
      await provider[Symbol.asyncDispose]();
      await guarded.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** The process of the command that works in the folder: the terminal runs it by way of a shell. */
function pidOf(folder: string): number {
  const found = readdirSync("/proc").find((pid) => {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
      return /^\d+$/.test(pid) && words[0] === process.execPath && words.includes(folder);
    } catch {
      return false;
    }
  });
  return Number(found);
}

const addressIn = (text: string): string => /http:\/\/\S+\/authorize\?\S+/.exec(text)?.[0] ?? "";
const idIn = (text: string): string => /lastcall resume (\S+) /.exec(text)?.[1] ?? "";

test("without a terminal the address is printed, and the address that the browser was sent to goes on", async () => {
  await using at = await place(["bank__sign_in", "bank__leak"]);
  const first = await at.run("who am I?");
  expect(first.code).toBe(3);
  expect(first.stderr).toContain("The MCP server bank wants you to sign in. Open the address of 127.0.0.1");
  const id = idIn(first.stderr);
  expect(first.stderr).toContain(`Then: lastcall resume ${id} "the address that the browser was sent to"`);
  const back = await at.guarded.open(addressIn(first.stderr), "ann");
  const wrong = await at.run("resume", id, back.replace(/state=./, "state=_"));
  expect(wrong.code).not.toBe(0);
  expect(wrong.stderr).toContain("No sign-in waits for this address");
  const second = await at.run("resume", id, back);
  expect({ code: second.code, stdout: second.stdout }, second.stderr).toEqual({ code: 0, stdout: "all done\n" });
  expect(second.stderr).toContain("It is [redacted: sign-in token]!");
  const seen = [first, wrong, second].map(({ stdout, stderr }) => stdout + stderr).join("\n") + at.bytes();
  for (const secret of at.guarded.secrets) expect(seen).not.toContain(secret);
});

test("a later run of another session needs no sign-in", async () => {
  await using at = await place(["bank__sign_in", "bank__whoami"]);
  const first = await at.run("who am I?");
  const back = await at.guarded.open(addressIn(first.stderr), "ann");
  expect((await at.run("resume", idIn(first.stderr), back)).code).toBe(0);
  at.script.push([call("bank__whoami")], done);
  const second = await at.run("and now?");
  expect({ code: second.code, calls: at.guarded.calls }, second.stderr).toEqual({
    code: 0,
    calls: ["whoami ann", "whoami ann"],
  });
  expect(second.stderr).toContain("MCP servers: bank (4 tools)");
});

describe.skipIf(noTerminal)(`at a terminal${noTerminal}`, () => {
  test("the browser comes back, and the run goes on", { timeout: 60_000 }, async () => {
    await using at = await place(["bank__sign_in", "bank__whoami"]);
    const started = at.inTerminal('"who am I?"');
    await started.seen("This goes on when you have signed in");
    await started.seen("> ");
    let shown = "";
    started.child.stdout?.on("data", (piece) => (shown += String(piece)));
    const log = at.bytes();
    const address = JSON.parse(/"address":("http[^"]+")/.exec(log)?.[1] ?? '""') as string;
    const back = await at.guarded.open(address, "ann");
    const page = await fetch(back);
    expect(await page.text()).toContain("You are signed in at bank. Go back to the terminal.");
    const { code, stdout } = await started.ended;
    expect(code, stdout).toBe(0);
    if (process.env["SHOW"]) console.log(stdout);
    expect(at.guarded.calls).toEqual(["whoami ann"]);
    for (const secret of at.guarded.secrets) expect(stdout + shown + at.bytes()).not.toContain(secret);
  });

  test(
    "kill -9 while it waits loses nothing: another process goes on with a pasted address",
    { timeout: 60_000 },
    async () => {
      await using at = await place(["bank__sign_in", "bank__whoami"]);
      const victim = at.inTerminal('"who am I?"');
      await victim.seen("This goes on when you have signed in");
      process.kill(pidOf(at.path), "SIGKILL");
      await victim.ended;
      const log = at.bytes();
      const address = JSON.parse(/"address":("http[^"]+")/.exec(log)?.[1] ?? '""') as string;
      const id = /"id":"([^"/]+)\/[^"]*\/ask:0"/.exec(log)?.[1] ?? "";
      const back = await at.guarded.open(address, "ann");
      const { server } = await new Promise<{ server: Server }>((resolve) => {
        const taken = createServer().listen(at.port, "127.0.0.1", () => {
          resolve({ server: taken });
        });
      });
      const started = at.inTerminal(`resume ${id}`);
      await started.seen("is taken here. Paste the address");
      await started.seen("> ");
      started.child.stdin?.write("http://127.0.0.1/other\r");
      await started.seen("This is no address of the sign-in");
      await started.seen("> ", 2);
      started.child.stdin?.write(`${back}\r`);
      const { code, stdout } = await started.ended;
      server.close();
      expect(code, stdout).toBe(0);
      expect(at.guarded.calls).toEqual(["whoami ann"]);
    },
  );
});
