// Two commands at once in one workspace, one of which exchanges folders and links all the time. Nothing outside of the workspace changes, and
// no key is read, inside or outside.

import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createAgent } from "../../src/index.js";
import { hostInProcess } from "../../src/host/index.js";
import { memoryStore } from "../../src/memory/index.js";
import { call, scriptedModel, scriptedProvider, type Script } from "../../src/testing/index.js";
import {
  bubblewrap,
  inBackground,
  runCommand,
  taskCompletion,
  workspaceTools,
  type Shell,
} from "../../src/tools/index.js";
import { allowAll } from "../../src/permission/index.js";
import { start } from "../cli/command.js";
import { down, up, type Up } from "../cli/serve/command-server.js";
import { finding, run, why } from "../shell/sandboxes.js";
import { contested, exchanging, prying, type Contested } from "./exchanger.js";
import { counted } from "./counted.js";
import { share } from "./scale.js";

const keys = /(?:HOMEKEY|INSIDEKEY) in \S*/;

function contestedHere(): Contested {
  const place = contested();
  vi.stubEnv("HOME", place.home);
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  return place;
}

/** Runs the command that exchanges beside the work, from its beginning to the end of the work. */
async function besideExchanging(shell: Shell, root: string, work: () => Promise<unknown>): Promise<void> {
  const stop = new AbortController();
  const running = run(shell, root, exchanging, {
    seconds: 3600,
    signal: stop.signal,
    environment: { HOME: process.env["HOME"]! },
  });
  try {
    await begun(root);
    await work();
  } finally {
    stop.abort();
    await running;
  }
}

async function begun(root: string): Promise<void> {
  for (let tries = 0; !existsSync(join(root, "began")); tries += 1) {
    if (tries > 1000) throw new Error("The command that exchanges has not begun.");
    await sleep(20);
  }
  rmSync(join(root, "began"), { force: true });
}

/** The models were told no key, and calls did their work. */
function expectNoKeys(requests: readonly unknown[]): void {
  const told = requests.map((request) => JSON.stringify(request));
  expect(told.flatMap((text) => keys.exec(text)?.[0] ?? [])).toEqual([]);
  for (const text of told) expect(text).toMatch(/exit code 0|Deleted|Wrote|Created/);
}

const done = [call("task_completion", { result: "Done." })];

/** Waits for the end of a session's run. */
async function untilDone(api: Up["api"], id: string): Promise<void> {
  const status = async (): Promise<string> => (await api.session(id)).status;
  await expect.poll(status, { timeout: 3_000_000, interval: 200 }).toMatch(/completed|failed|waiting/);
  expect(await api.session(id)).toMatchObject({ status: "completed" });
}

/** A model that runs the command in each of so many rounds. */
const runsOver = (count: number, name = "run_command"): Script => {
  return ({ number }) => (number <= count ? [call(name, { command: `${prying} # ${String(number)}` })] : done);
};

describe.skipIf(!finding.ok)(`commands beside one that exchanges folders and links${why}`, () => {
  test("by the library, in the workspace and in one within it", { timeout: 3_600_000 }, async () => {
    const { home, root, inner, expectUntouched } = contestedHere();
    const shells = [bubblewrap({ root, writable: true }), bubblewrap({ root: inner, writable: true })];
    const all = share(20, 300);
    let ran = 0;
    await besideExchanging(shells[0]!, root, async () => {
      for (let round = 0; round < all; round += 1) {
        await Promise.all(
          shells.map(async (shell, index) => {
            const where = index === 0 ? root : inner;
            const ended = await run(shell, where, prying, { environment: { HOME: home } }).catch(
              (thrown: unknown) => thrown,
            );
            if (ended instanceof Error) expect(ended.message).toMatch(/nothing was run/i);
            else ran += 1;
            expect((ended as { output?: string }).output ?? "").not.toMatch(keys);
          }),
        );
        expectUntouched();
      }
    });
    expectUntouched();
    expect(ran).toBeGreaterThan(all / 4);
    counted("commands beside one that exchanges folders and links", ran);
  });

  test("by agents of a host, and by one that runs commands in the background", { timeout: 3_600_000 }, async () => {
    const { root, expectUntouched } = contestedHere();
    const shell = bubblewrap({ root, writable: true });
    const count = share(4, 45);
    const tools = [runCommand({ root, shell }), taskCompletion()];
    const start = { ...runCommand({ root, shell }), name: "start_command" } as const;
    const terms = { permission: allowAll(), limits: { maxIterations: 1000 } };
    const both = scriptedModel(({ number }) => {
      if (number === 1) return [call("start_command", { command: exchanging, timeout_seconds: 600 })];
      if (number <= count) return [call("run_command", { command: `${prying} # ${String(number)}` })];
      return number === count + 1 ? [call("background_stop", { id: "bg-1" })] : done;
    });
    const models = [both, scriptedModel(runsOver(count)), scriptedModel(runsOver(count))];
    const background = createAgent({ model: both, tools: [...inBackground(start), ...tools], ...terms });
    const [one, two] = models.slice(1).map((model) => createAgent({ model, tools, ...terms }));
    const host = await hostInProcess({ agents: { background, one: one!, two: two! }, store: memoryStore() });
    const first = await host.give({ agent: "background", input: "Exchange, and look." });
    await begun(root);
    const others = await Promise.all(["one", "two"].map((agent) => host.give({ agent, input: "Look." })));
    for (const run of [first, ...others]) expect((await run.ended()).status).toBe("completed");
    await host.close();
    expectNoKeys(models.map((model) => model.requests.at(-1)!.messages));
    expectUntouched();
    counted("commands of agents beside one that exchanges folders and links", 3 * count);
  });

  test("in two terminals, and over a server", { timeout: 3_600_000 }, async () => {
    const { home, root, expectUntouched } = contestedHere();
    const count = share(4, 60);
    await using exchanges = await scriptedProvider([
      [call("run_command", { command: exchanging, timeout_seconds: 600 })],
      done,
    ]);
    await using looks = await scriptedProvider(runsOver(count));
    await using serves = await scriptedProvider(runsOver(count));
    const args = (url: string, name: string): readonly string[] => [
      ...["--base-url", url, "--model", "m", "--workdir", root, "--max-iterations", "1000", "--no-agents-md"],
      ...["--sessions", join(home, "dev", name)],
    ];
    const env = { HOME: home };
    const first = start(["Exchange.", ...args(exchanges.url, "s1")], env);
    onTestFinished(() => {
      first.child.kill("SIGKILL");
    });
    await begun(root);
    const server = await up(["serve", ...args(serves.url, "s2")], env);
    const [second] = await Promise.all([
      start(["Look.", ...args(looks.url, "s3")], env).ended,
      server.api.begin("lastcall", "Look.").then((session) => untilDone(server.api, session)),
    ]);
    expect(second.code, second.stderr).toBe(0);
    await down(server);
    first.child.kill("SIGTERM");
    await first.ended;
    expectNoKeys([looks, serves].map(({ requests }) => requests.at(-1)!.body));
    expectUntouched();
    counted("commands of processes beside one that exchanges folders and links", 2 * count);
  });

  test("by the file tools", { timeout: 3_600_000 }, async () => {
    const { root, expectUntouched } = contestedHere();
    const count = share(15, 150);
    const paths = ["d/.claude/x", "d/x", "s/x", "packages/app/file", "other/app/file", "p1/m/x", "p2/m/x"];
    const calls = (number: number) => {
      // Ten iterations in a row with a failure would end the run.
      if (number % 5 === 0) return [call("write_file", { path: `mine-${String(number)}`, content: "mine" })];
      const path = paths[number % paths.length]!;
      return [
        call("read_file", { path }),
        call("search_files", { pattern: "KEY" }),
        call("list_files", { path: path.split("/")[0] }),
        call("write_file", { path: `${path}-new`, content: "mine" }),
        call("edit_file", { path, edits: [{ search: "HOMEKEY", replace: "mine" }] }),
        call("move_file", { from: `${path}-new`, to: `${paths[(number + 1) % paths.length]!}-moved` }),
        call("delete_file", { path }),
      ];
    };
    const model = scriptedModel(({ number }) => (number <= count ? calls(number) : done));
    const agent = createAgent({
      model,
      tools: [...workspaceTools({ root }), taskCompletion()],
      permission: allowAll(),
      limits: { maxIterations: 1000 },
    });
    await besideExchanging(bubblewrap({ root, writable: true }), root, async () => {
      const outcome = await agent.run("Look.");
      expect(outcome.status, JSON.stringify(outcome).slice(0, 500)).toBe("completed");
    });
    expectNoKeys([model.requests.at(-1)!.messages]);
    expectUntouched();
    counted("calls of file tools beside a command that exchanges folders and links", 7 * count);
  });
});
