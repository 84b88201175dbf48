// Attack scenarios, processes: patterns and commands that try to use up the time, the memory, the terminal or the machine.

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { createAgent, systemRuntime, tool, type Event, type LastcallError } from "../../src/index.js";
import { openai } from "../../src/model/index.js";
import { gate } from "../../src/permission/index.js";
import type { Approver } from "../../src/index.js";
import { call, scriptedModel, scriptedProvider } from "../../src/testing/index.js";
import { bubblewrap, taskCompletion, workspaceTools } from "../../src/tools/index.js";
import { processorTime } from "../processor-time.js";
import { without } from "../programs.js";
import { finding, why } from "../shell/sandboxes.js";
import { makeWorld, meet, type Met } from "./meet.js";

const command = (text: string, seconds?: number): ReturnType<typeof call> =>
  call("run_command", { command: text, ...(seconds !== undefined && { timeout_seconds: seconds }) });

let used = 0;

/** A number of seconds that no other process on this machine sleeps, so that the process can be identified. */
function ownSeconds(): string {
  used += 1;
  return `1000.${String(process.pid)}${String(used).padStart(3, "0")}`;
}

/** The living processes of all namespaces that have this word among their arguments. */
function processesWith(word: string): readonly number[] {
  return readdirSync("/proc").flatMap((id) => {
    try {
      const words = readFileSync(`/proc/${id}/cmdline`, "utf8").split("\0");
      return /^\d+$/.test(id) && words.includes(word) ? [Number(id)] : [];
    } catch {
      return [];
    }
  });
}

async function untilSome(word: string): Promise<void> {
  while (processesWith(word).length === 0) await sleep(10);
}

async function expectNoneLeft(word: string): Promise<void> {
  await vi.waitFor(() => {
    expect(processesWith(word)).toEqual([]);
  }, 1000);
}

function progressIn(events: readonly Event[]): string {
  return events.flatMap((event) => (event.type === "call-progress" ? [String(event.progress)] : [])).join("");
}

/** Runs one command on the host with full access. */
async function commanded(text: string, seconds?: number): Promise<Met> {
  const { root } = await makeWorld();
  return meet([command(text, seconds)], { root, tier: "full-access" });
}

const engines = [
  ["ripgrep", without("rg")],
  ["javascript", ""],
] as const;

describe.each(engines)("searching with %s%s", (searchWith, missing) => {
  test.skipIf(missing).each([
    ["dos-001-redos-search", "(a+)+$", `${"a".repeat(40)}!`],
    ["dos-002-redos-nested", "^(([a-z])+.)+[A-Z]([a-z])+$", "a".repeat(60)],
  ])("%s: it ends in time, and the process goes on meanwhile", async (_id, pattern, text) => {
    const { root } = await makeWorld();
    await writeFile(join(root, "a.txt"), text);
    let latest = performance.now();
    let longest = 0;
    const clock = setInterval(() => {
      longest = Math.max(longest, performance.now() - latest);
      latest = performance.now();
    }, 10);
    const search = [call("search_files", { pattern, path: "." }), call("search_files", { pattern, path: "a.txt" })];
    const met = await meet(search, { root, tier: "read-only" }, { workspace: { searchWith, searchTimeout: 1000 } });
    clearInterval(clock);
    expect(met.results.map(({ ok }) => ok)).toEqual([true, true]);
    // A search of a single file always uses JavaScript.
    expect(met.results[1]?.text).toContain("took more than 1 s and was stopped");
    if (searchWith === "javascript") expect(met.results[0]?.text).toContain("took more than 1 s and was stopped");
    expect(met.time).toBeLessThan(6000);
    expect(longest).toBeLessThan(1000);
  });

  test.skipIf(missing)("dos-003-invalid-regex: it is an error for the model that says where", async () => {
    const { root } = await makeWorld();
    await writeFile(join(root, "a.txt"), "(");
    const patterns = ["(", "ab(c", "[z-a]", "*", "a{2,1}", "\\"];
    const calls = patterns.map((pattern) => call("search_files", { pattern }));
    const met = await meet(calls, { root, tier: "read-only" }, { workspace: { searchWith } });
    for (const { ok, text } of met.results) {
      expect(ok).toBe(false);
      expect(text).toContain("The pattern is no regular expression");
    }
    expect(met.results[0]?.text).toContain('at character 1: "("');
    expect(met.results[1]?.text).toContain('at character 3: "(c"');
    expect(met.results[3]?.text).toContain('at character 1: "*"');
  });
});

describe("output", () => {
  /** Bytes of both ends of the output, and a little more. */
  const bound = 40 * 1024;

  test("dos-005-urandom: 50 MB of noise are bounded, and text", async () => {
    const met = await commanded("head -c 50000000 /dev/urandom");
    const text = met.results[0]?.text ?? "";
    expect(met.results[0]?.ok).toBe(true);
    expect(Buffer.byteLength(text)).toBeLessThan(3 * bound);
    expect(text).toContain("\ufffd");
    expect(text).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/);
    expect(JSON.parse(JSON.stringify(met.records))).toEqual(met.records);
    expect(met.time).toBeLessThan(30_000);
  });

  test("dos-006-no-newline: 100 MB in one line are bounded", async () => {
    const met = await commanded("head -c 100000000 /dev/zero | tr '\\0' a");
    const text = met.results[0]?.text ?? "";
    expect(text.length).toBeLessThan(bound);
    expect(text).toMatch(/a{1000}[^a][^]*a{1000}/);
    expect(met.time).toBeLessThan(30_000);
  });

  test("dos-007-ansi-flood: no escape reaches the model, the events or the journal", async () => {
    const flood =
      "printf '\\033]0;x\\007\\033[2J\\033]8;;http://evil\\007click\\033]8;;\\007\\033P1q\\033\\\\\\033c\\0233m\\r\\n'";
    const met = await commanded(`for i in 1 2 3 4 5 6 7 8; do ${flood}; done; printf '\\033]0;never ends'`);
    const everywhere = JSON.stringify([met.results, progressIn(met.events)]);
    expect(everywhere).toContain("click");
    expect(everywhere).not.toMatch(/\\u001b|\\u0007|\\u009b|\\u009d|\\r/);
    expect(progressIn(met.events)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
  });
});

/** Processes can be identified only if the system has `/proc`. */
const hasProcesses = existsSync("/proc/self/cmdline");

describe.skipIf(!hasProcesses)(`processes${hasProcesses ? "" : " (left out: there is no /proc)"}`, () => {
  /** A limited fork bomb: it branches `depth` times and then waits. */
  const branching = (depth: number, seconds: string): string =>
    `f() { [ $1 -gt 0 ] && { f $(($1 - 1)) & f $(($1 - 1)) & }; sleep ${seconds}; }; f ${String(depth)}`;

  test("dos-008-fork-bomb: it is asked about, and where nobody says yes it does not run", async () => {
    const { root } = await makeWorld();
    const approver = vi.fn<Approver>(() => false);
    // The limited one stands for the real one, which only the gate gets to see.
    const bomb = { command: ":(){ :|:& };:" };
    const asked = { id: "1", name: "run_command", effect: "execute", input: bomb, reach: bomb } as const;
    const { signal } = new AbortController();
    const deciding = { signal, session: "s", preview: () => Promise.resolve(undefined) };
    for (const tier of ["workspace-write", "read-only"] as const)
      expect(await gate({ root, tier, approver }).decide(asked, deciding)).toMatchObject({ allowed: false });
    expect(approver).toHaveBeenCalledTimes(1);
    expect(approver.mock.calls[0]?.[1].rule).toBeUndefined();
    const seconds = ownSeconds();
    const met = await meet([command(branching(2, seconds))], { root, approver });
    expect(approver).toHaveBeenCalledTimes(2);
    expect(met.decisions[0]).toMatchObject({ allowed: false });
    expect(processesWith(seconds)).toEqual([]);
  });

  test.skipIf(!finding.ok)(`dos-008-fork-bomb: in the sandbox all that it left ends with it${why}`, async () => {
    const { root } = await makeWorld();
    const seconds = ownSeconds();
    const shell = bubblewrap({ root, writable: true, processes: 200 });
    let most = 0;
    const counting = setInterval(() => {
      most = Math.max(most, processesWith(seconds).length);
    }, 50);
    const met = await meet(
      [command(branching(5, seconds), 2)],
      { root, tier: "full-access" },
      { workspace: { shell } },
    );
    clearInterval(counting);
    expect(met.results[0]?.text).toContain("2 s");
    expect(most).toBeGreaterThan(15);
    expect(met.time).toBeLessThan(8000);
    await expectNoneLeft(seconds);
  });

  test("dos-009-background-holds-pipe: the shell's end is the end, and what it left is ended", async () => {
    const seconds = ownSeconds();
    const met = await commanded(`sleep ${seconds} & echo done`);
    expect(met.results[0]?.text).toContain("done");
    expect(met.time).toBeLessThan(5000);
    await expectNoneLeft(seconds);
  });

  const escape = (seconds: string): string =>
    `setsid nohup sh -c 'echo x >away; exec sleep ${seconds}' >/dev/null 2>&1 & until [ -s away ]; do sleep 0.02; done`;

  test("dos-010-setsid-escape: on the host it is a limit, which is documented where the shell is", async () => {
    const seconds = ownSeconds();
    const met = await commanded(escape(seconds), 10);
    await untilSome(seconds);
    const left = processesWith(seconds);
    onTestFinished(() => {
      for (const id of left) process.kill(id, "SIGKILL");
    });
    expect(met.results[0]?.ok).toBe(true);
    expect(met.time).toBeLessThan(5000);
    expect(left).toHaveLength(1);
    expect(await readFile(join(import.meta.dirname, "../../src/shell/host-shell.ts"), "utf8")).toMatch(
      /`setsid`\) is out of\s+\*?\s*reach and lives on/,
    );
  });

  test.skipIf(!finding.ok)(`dos-010-setsid-escape: in the sandbox it ends with the command${why}`, async () => {
    const { root } = await makeWorld();
    const seconds = ownSeconds();
    const shell = bubblewrap({ root, writable: true });
    const met = await meet(
      [command(`${escape(seconds)}; echo away`, 10)],
      { root, tier: "full-access" },
      { workspace: { shell } },
    );
    expect(met.results[0]?.text).toContain("away");
    await expectNoneLeft(seconds);
  });

  test("dos-013-sudo-prompt: without a terminal nothing can ask for a password", async () => {
    const met = await commanded(
      '(: </dev/tty) && echo terminal; sudo -k && sudo -n id; read line; echo "got[$line]"',
      10,
    );
    expect(met.results[0]?.text).not.toMatch(/^terminal$/m);
    expect(met.results[0]?.text).toContain("got[]");
    expect(met.time).toBeLessThan(5000);
  });

  test("dos-014-ignore-sigterm: who does not listen is killed", async () => {
    const seconds = ownSeconds();
    const met = await commanded(`: ${seconds}; trap '' TERM INT; while :; do :; done`, 0.5);
    expect(met.results[0]?.text).toContain("0.5 s");
    expect(met.time).toBeLessThan(5000);
    const shells = readdirSync("/proc").filter((id) => {
      try {
        return readFileSync(`/proc/${id}/cmdline`, "utf8").includes(`: ${seconds};`);
      } catch {
        return false;
      }
    });
    expect(shells).toEqual([]);
  });

  test("dos-015-grandchild-kill: an abort ends the whole tree", async () => {
    const { root } = await makeWorld();
    const seconds = ownSeconds();
    const abort = new AbortController();
    const tree = command(`sh -c 'sh -c "sleep ${seconds}; true"; true'; true`);
    const meeting = meet([tree], { root, tier: "full-access" }, { signal: abort.signal });
    await untilSome(seconds);
    const began = performance.now();
    abort.abort();
    const { outcome } = await meeting;
    expect(outcome.status).toBe("aborted");
    expect(performance.now() - began).toBeLessThan(3000);
    await expectNoneLeft(seconds);
  });

  test("dos-016-zip-of-death-write: what fills the disk is asked about, and its rule is these very words", async () => {
    const { root } = await makeWorld();
    const approver = vi.fn<Approver>(() => false);
    const fill = "dd if=/dev/zero of=big bs=1M count=100000";
    const met = await meet([command(fill)], { root, approver });
    expect(approver).toHaveBeenCalledTimes(1);
    expect(approver.mock.calls[0]?.[1].rule).toBe(`run_command(${fill})`);
    expect(met.decisions[0]).toMatchObject({ allowed: false, basis: "approver" });
    expect(existsSync(join(root, "big"))).toBe(false);
    const unattended = await meet([command(fill)], { root });
    expect(unattended.decisions[0]).toMatchObject({ allowed: false });
  });
});

test("dos-020-throwing-listener: what a listener throws stays with it, and is told once", async () => {
  const { root } = await makeWorld();
  await writeFile(join(root, "a.txt"), "text");
  const warned: LastcallError[] = [];
  const run = async (onEvent: (event: Event) => void | Promise<void>): Promise<string> => {
    const model = scriptedModel([[call("read_file", { path: "a.txt" })], [call("task_completion", { result: "ok" })]]);
    const agent = createAgent({
      model,
      tools: [...workspaceTools({ root }), taskCompletion()],
      permission: gate({ root, tier: "read-only" }),
      runtime: { ...systemRuntime, warn: (fault) => void warned.push(fault) },
    });
    const outcome = await agent.run("Go.", { onEvent });
    return outcome.status;
  };
  const listeners: ((event: Event) => void | Promise<void>)[] = [
    () => {
      throw new Error("a bug of the host");
    },
    () => Promise.reject(new Error("a bug of the host")),
    () => {
      // eslint-disable-next-line @typescript-eslint/only-throw-error -- Bugs throw whatever they like.
      throw undefined;
    },
  ];
  for (const [index, listener] of listeners.entries()) {
    let seen = 0;
    const status = await run((event) => {
      seen += 1;
      return listener(event);
    });
    expect(status).toBe("completed");
    expect(seen).toBeGreaterThan(5);
    expect(warned).toHaveLength(index + 1);
  }
  expect(warned[0]?.message).toContain("a bug of the host");
});

describe("times", () => {
  test("dos-021-timer-overflow: a time that no timer can keep is an error, and never no time at all", async () => {
    const met = await commanded("sleep 0.2; echo slept", 1_000_000_000_000);
    expect(met.results[0]).toMatchObject({ ok: false });
    expect(met.results[0]?.text).toContain("must be more than 0 and at most 600");
    expect((await commanded("sleep 0.2; echo slept", 600)).results[0]?.text).toContain("slept");
    const slow = tool({
      name: "slow",
      description: "Slow",
      input: z.object({}),
      timeout: 2 ** 31,
      run: () => sleep(50),
    });
    const model = scriptedModel([]);
    expect(() => createAgent({ model, tools: [slow, taskCompletion()] })).toThrow("give milliseconds from 0 to");
    expect(() => createAgent({ model, tools: [taskCompletion()], limits: { toolTimeout: 1e12 } })).toThrow(
      "give milliseconds from 0 to",
    );
    const { root } = await makeWorld();
    const approver: Approver = async () => {
      await sleep(50);
      return true;
    };
    const asked = await meet([command("echo yes >made")], { root, approver, approvalTimeout: 1e12 });
    expect(asked.decisions[0]).toMatchObject({ allowed: true });
    writeFileSync(join(root, "a.txt"), "text");
    for (const searchTimeout of [1000.5, 3e9, 1e12, Infinity]) {
      const search = call("search_files", { pattern: "te.t" });
      const found = await meet([search], { root }, { workspace: { searchTimeout, searchWith: "javascript" } });
      expect(found.results[0]?.text).toContain("a.txt");
    }
    for (const searchTimeout of [0, -1, NaN])
      expect(() => workspaceTools({ root, searchTimeout })).toThrow("give milliseconds, more than 0");
  });

  test.each([-5, 0, NaN, "-1"])("dos-022-negative-timeout: %s is an error, and nothing runs", async (seconds) => {
    const { root } = await makeWorld();
    const one = call("run_command", { command: "touch made", timeout_seconds: seconds });
    const met = await meet([one], { root, tier: "full-access" });
    expect(met.results[0]).toMatchObject({ ok: false });
    expect(existsSync(join(root, "made"))).toBe(false);
  });
});

test("dos-025-stream-reparse: arguments in 40000 pieces take linear time", async () => {
  const took = async (bytes: number): Promise<number> => {
    const content = "0123456789".repeat(bytes / 10);
    let saved = "";
    const save = tool({
      name: "save",
      description: "Saves",
      input: z.object({ content: z.string() }),
      streams: "content",
      run: (input) => {
        saved = input.content;
      },
    });
    const done = call("task_completion", { result: "ok" });
    await using provider = await scriptedProvider([
      { calls: [call("save", { content })], piece: 10, split: 65_536 },
      [done],
    ]);
    const model = openai({ baseURL: provider.url, model: "scripted" });
    let deltas = 0;
    const spent = processorTime();
    const agent = createAgent({ model, tools: [save, taskCompletion()] });
    const outcome = await agent.run("Go.", { onEvent: ({ type }) => void (deltas += type === "call-delta" ? 1 : 0) });
    expect(outcome.status).toBe("completed");
    expect(saved === content).toBe(true);
    return spent();
  };
  // A test in e2e/reading reads a whole megabyte.
  await took(50_000);
  const [small, large] = [await took(100_000), await took(400_000)];
  expect(large).toBeLessThan(10 * Math.max(small, 100));
}, 60_000);
