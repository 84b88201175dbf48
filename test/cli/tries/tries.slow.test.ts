// lastcall --rounds and --best-of against a provider on loopback: their ends, their lines, and what a kill leaves.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { fileStore, openSession } from "../../../src/memory/index.js";
import { call, scriptedProvider, type ProviderRequest, type ScriptedProvider } from "../../../src/testing/index.js";
import { run, start, temporary, type Ended } from "../command.js";
import { shareOf, turn } from "../../turn.js";

type ScriptedCall = ReturnType<typeof call>;

const claim = [call("task_completion", { result: "The sum is right." })];
const sh = (command: string): readonly ScriptedCall[] => [call("run_command", { command })];
const git = (root: string, ...args: string[]): string =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: root, encoding: "utf8" });

/** A folder in which the sum is wrong, its test, and the state of the command beside it. */
function world(path: string) {
  const root = join(path, "work");
  mkdirSync(join(root, "test"), { recursive: true });
  writeFileSync(join(root, "sum"), "4\n");
  writeFileSync(join(root, "test/sum.sh"), 'read a < sum; test "$a" = 5 || { echo "the sum is $a"; exit 1; }\n');
  git(root, "init", "--quiet");
  git(root, "add", ".");
  git(root, "commit", "--quiet", "-m", "first");
  const env = { XDG_STATE_HOME: join(path, "state"), XDG_CACHE_HOME: join(path, "cache") };
  const given = (provider: ScriptedProvider, ...more: string[]): string[] => [
    ...["mend the sum", "--base-url", provider.url, "--model", "m", "--workdir", root, "--yes", "--no-sandbox"],
    ...["--until", "sh test/sum.sh", "--no-explore", "--no-config", ...more],
  ];
  const store = fileStore(join(path, "state/lastcall"));
  /** The ids of the sessions that have begun: a process may be killed while it writes the first line of one. */
  const begun = async (): Promise<readonly string[]> => {
    const ids = (await store.list()).map(({ id }) => id).sort();
    const kept = await Promise.all(ids.map((id) => openSession({ store, id }).about()));
    return ids.filter((_, index) => kept[index] !== undefined);
  };
  /** The first of them; undefined if there is none. */
  const first = async (): Promise<string | undefined> => (await begun())[0];
  const left = (): readonly string[] => {
    const folder = join(path, "cache/lastcall/rivals");
    if (!existsSync(folder)) return [];
    return readdirSync(folder).flatMap((one) =>
      readdirSync(join(folder, one)).filter((name) => !/\.(?:jsonl|lock)$/.test(name)),
    );
  };
  return { root, env, given, store, begun, first, left };
}

type Said = (messages: string, said: number) => readonly ScriptedCall[];

/** A provider that chooses each reply by the messages of the request, so that it says the same after a kill. */
async function provider(say: Said): Promise<ScriptedProvider> {
  const made: { is?: ScriptedProvider } = {};
  made.is = await scriptedProvider(() => {
    const messages = made.is?.requests.at(-1)?.body.messages ?? [];
    const calls = say(JSON.stringify(messages), messages.filter(({ role }) => role === "assistant").length);
    // Long enough to be killed within a request, too.
    return { calls, delay: 60 };
  });
  return made.is;
}

/** The number of the round. */
const roundIn = (messages: string): number => Number(/This is round (\d+)/.exec(messages)?.[1] ?? 1);
/** The number of the rival, which its first command shows. */
const rivalIn = (messages: string): number => Number(/\/rivals\/[0-9a-f]+\/[^/]+\/(\d+)\//.exec(messages)?.[1] ?? 0);

/** Writes each of these files until a result says so: a call that a kill interrupted is looked at again. */
function writing(messages: string, files: Readonly<Record<string, string>>): readonly ScriptedCall[] | undefined {
  const next = Object.entries(files).find(([path]) => !new RegExp(`Wrote \\d+ bytes to ${path} `).test(messages));
  return next && [call("write_file", { path: next[0], content: next[1] })];
}

/** Right in round 3. The first command of each round leaves a line in a file, once. */
const inThree: Said = (messages, said) => {
  const round = String(roundIn(messages));
  if (said === 0) return sh(`echo ${round}.1 >> log`);
  if (!messages.includes(`round ${round} was here`)) return [call("add_note", { text: `round ${round} was here` })];
  return writing(messages, { sum: `${String(Number(round) + 2)}\n` }) ?? claim;
};

/** Of four rivals, 1 and 2 are right, 3 is wrong, and 4 changes the test. */
const four: Said = (messages) => {
  const ways = [
    undefined,
    { sum: "5\n", more: "1\n2\n3\n4\n" },
    { sum: "5\n" },
    { sum: "7\n" },
    { "test/sum.sh": "exit 0\n" },
  ];
  const way = ways[rivalIn(messages)];
  return way === undefined ? sh("pwd") : (writing(messages, way) ?? claim);
};

const bodies = (requests: readonly ProviderRequest[]): readonly string[] =>
  requests.map(({ body }) => JSON.stringify(body.messages));

describe("--rounds", () => {
  test("ends in the round that the check accepts, with a line for each, and can be asked again", async () => {
    await using folder = await temporary();
    await using server = await provider(inThree);
    const { root, env, given, store, first } = world(folder.path);
    const { code, stdout, stderr } = await run(given(server, "--rounds", "5", "--attempts", "1"), env);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "The sum is right.\n" });
    expect(stderr).toMatch(/round 1 of 5 · \S+\n(?:.*\n)*round 1: stopped \(checks_failed\)/);
    expect(stderr).toMatch(/round 3: completed, checked · 4 iterations/);
    expect(readFileSync(join(root, "sum"), "utf8")).toBe("5\n");
    const third = bodies(server.requests).find((body) => roundIn(body) === 3) ?? "";
    expect(third).toContain("round 2 was here");
    expect(third).toContain("the sum is 4");
    expect(third).toContain("+1.1");
    const asked = server.requests.length;
    const id = (await first()) ?? "";
    const again = await run(["resume", id], env);
    expect(again).toMatchObject({ code: 0, stdout: "The sum is right.\n" });
    expect(server.requests).toHaveLength(asked);
    expect((await openSession({ store, id: `${id}.3` }).about())?.["rounds"]).toBe("5");
  });

  test("ends with exit code 2 if no round is right, within the limit of all", async () => {
    await using folder = await temporary();
    await using server = await provider(() => claim);
    const { env, given } = world(folder.path);
    const { code, stderr } = await run(given(server, "--rounds", "3", "--max-iterations", "6"), env);
    expect(code).toBe(2);
    expect(stderr).toContain("Not done: ");
    expect(server.requests.length).toBeLessThanOrEqual(7);
  });
});

describe("--best-of", () => {
  test("keeps the smallest change that is right, and not the one that changed the test", async () => {
    await using folder = await temporary();
    await using server = await provider(four);
    const { root, env, given, first, left } = world(folder.path);
    const { code, stdout, stderr } = await run(given(server, "--best-of", "4", "--json"), env);
    expect(code).toBe(0);
    const end = JSON.parse(stdout) as { number: number; tries: { isRight: boolean }[] };
    expect(end.number).toBe(2);
    expect(end.tries.map(({ isRight }) => isRight)).toEqual([true, true, false, false]);
    expect(stderr).toMatch(/rival 4: completed · not right: .* · put back before the check: test\/sum\.sh/);
    expect(readFileSync(join(root, "sum"), "utf8")).toBe("5\n");
    expect(git(root, "worktree", "list").trim().split("\n")).toHaveLength(1);
    expect(left()).toEqual([]);
    const id = (await first()) ?? "";
    expect((await run(["diff", id], env)).stdout).toContain("+5");
    expect(await run(["undo", id], env)).toMatchObject({ code: 0, stdout: "Taken back: 1 path\n  sum\n" });
    expect(readFileSync(join(root, "sum"), "utf8")).toBe("4\n");
  });

  test("works in the sandbox of the system, if there is one", async () => {
    await using folder = await temporary();
    await using server = await provider(four);
    const { root, env, given, left } = world(folder.path);
    const args = given(server, "--best-of", "2").filter((word) => word !== "--no-sandbox");
    const { code, stderr } = await run(args, env);
    expect(code, stderr).toBe(0);
    expect(readFileSync(join(root, "sum"), "utf8")).toBe("5\n");
    expect(left()).toEqual([]);
  });

  test("with --by the highest number wins", async () => {
    await using folder = await temporary();
    await using server = await provider(four);
    const { root, env, given } = world(folder.path);
    const { code, stderr } = await run(given(server, "--best-of", "4", "--by", "ls | wc -l"), env);
    expect(code, stderr).toBe(0);
    expect(existsSync(join(root, "more"))).toBe(true);
  });
});

/** Kills the command at random times until it ends before a kill. Returns its end, and the number of kills. */
async function killedOften(
  args: readonly string[],
  { env, first }: ReturnType<typeof world>,
  random: () => number,
): Promise<Ended & { readonly kills: number }> {
  for (let kills = 0; ; kills += 1) {
    const id = await first();
    const { child, ended } = start(id === undefined ? args : ["resume", id, "--yes", "--no-sandbox"], env);
    child.stdin?.end();
    await Promise.race([sleep(kills > 12 ? 60_000 : 300 + random() * 1500), ended]);
    child.kill("SIGKILL");
    const end = await ended;
    if (end.code !== null) return { ...end, kills };
  }
}

/** Numbers that look random, the same for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

describe("killed at random times and gone on with", () => {
  test("rounds come to the same end, and no command runs twice", { timeout: 240_000 }, async () => {
    let killed = 0;
    for (let seed = 1 + 15 * turn; killed < shareOf(15, 3); seed += 1) {
      await using folder = await temporary();
      await using server = await provider(inThree);
      const here = world(folder.path);
      const args = here.given(server, "--rounds", "5", "--attempts", "1");
      const { code, stdout, stderr, kills } = await killedOften(args, here, randomFrom(seed));
      killed += kills;
      expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: "The sum is right.\n" });
      expect(readFileSync(join(here.root, "sum"), "utf8")).toBe("5\n");
      const lines = readFileSync(join(here.root, "log"), "utf8").trim().split("\n");
      expect(lines).toEqual([...new Set(lines)]);
      const id = await here.first();
      expect(await here.begun()).toEqual([id, `${id ?? ""}.2`, `${id ?? ""}.3`]);
    }
  });

  test("rivals come to the same end, and the disk is clean", { timeout: 240_000 }, async () => {
    let killed = 0;
    for (let seed = 1 + 15 * turn; killed < shareOf(15, 3); seed += 1) {
      await using folder = await temporary();
      await using server = await provider(four);
      const here = world(folder.path);
      const args = here.given(server, "--best-of", "4");
      const { code, stdout, stderr, kills } = await killedOften(args, here, randomFrom(seed));
      killed += kills;
      expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: "The sum is right.\n" });
      expect(git(here.root, "status", "--porcelain")).toContain(" M sum\n");
      expect(existsSync(join(here.root, "more"))).toBe(false);
      expect(readFileSync(join(here.root, "test/sum.sh"), "utf8")).toContain("read a");
      expect(git(here.root, "worktree", "list").trim().split("\n")).toHaveLength(1);
      expect(here.left()).toEqual([]);
    }
  });
});
