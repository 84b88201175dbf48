// --park: calls that nobody is there to approve wait, and another process approves or refuses them.

import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { call, scriptedProvider, type Script } from "../../../src/testing/index.js";
import type { Person } from "../../../src/cli/person/person.js";
import { askAbout } from "../../../src/cli/person/parked.js";
import { imports, moduleFolder, shout } from "../modules/module-folder.js";
import { runHere, temporary, type Ended } from "../command.js";

const write = [call("run_command", { command: "printf x >> effect" })];
const done = [call("task_completion", { result: "Done." })];
const script: Script = ({ lastText }) => (lastText.includes("Begin") ? write : done);

interface Place extends AsyncDisposable {
  readonly path: string;
  readonly go: (...args: readonly string[]) => Promise<Ended>;
  readonly about: (...args: readonly string[]) => Promise<Ended>;
  /** The file of an agent that runs commands. */
  readonly worker: () => Promise<string>;
  /** What the command has written; undefined if it never ran. */
  readonly effect: () => Promise<string | undefined>;
  readonly bodies: () => readonly string[];
}

async function place(steps: Script = script): Promise<Place> {
  const provider = await scriptedProvider(steps);
  const folder = await temporary();
  const sessions = ["--sessions", join(folder.path, "sessions")];
  const work = ["--base-url", provider.url, "--model", "m", "--workdir", folder.path, "--no-sandbox", "--no-config"];
  const effect = join(folder.path, "effect");
  return {
    path: folder.path,
    go: (...args) => runHere([...args, ...work, ...sessions]),
    about: (...args) => runHere([...args, ...sessions]),
    async worker() {
      const file = join(folder.path, "worker.md");
      await writeFile(file, "---\ndescription: Works\ntools: [run_command]\n---\n\nYou work.\n");
      return file;
    },
    effect: async () => (existsSync(effect) ? readFile(effect, "utf8") : undefined),
    bodies: () => provider.requests.map(({ body }) => JSON.stringify(body.messages)),
    async [Symbol.asyncDispose]() {
      await provider.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const idIn = ({ stderr }: Ended): string => /lastcall resume (\S+)/.exec(stderr)?.[1] ?? "";
const digestIn = ({ stderr }: Ended): string => /--digest (\S+)/.exec(stderr)?.[1] ?? "";

describe("--park", () => {
  test("ends with 3 and shows the call, the reason, the digest and the two commands", async () => {
    await using here = await place();
    const parked = await here.go("Begin", "--park");
    expect({ code: parked.code, stdout: parked.stdout }).toEqual({ code: 3, stdout: "" });
    const id = idIn(parked);
    const digest = digestIn(parked);
    expect(parked.stderr).toContain("run_command wants to run");
    expect(parked.stderr).toContain("printf x >> effect");
    expect(parked.stderr).toMatch(new RegExp(`Digest: ${digest}[0-9a-f]{52}\n`));
    expect(parked.stderr).toContain(`To approve: lastcall resume ${id} --digest ${digest} --approve\n`);
    expect(parked.stderr).toContain(`To refuse: lastcall resume ${id} --digest ${digest} --refuse ["reason"]\n`);
    expect(parked.stderr).toContain("waiting for an approval of run_command");
    expect(parked.stderr).not.toContain("refused, because nobody was there");
    expect(await here.effect()).toBeUndefined();
    expect((await here.about("sessions")).stdout).toContain(`waiting (approval of run_command)  ${here.path}  Begin`);
    expect((await here.about("show", id)).stdout).toMatch(/needs approval: run_command: /);
  });

  test("shows a call of an agent that the model called, and --approve and --refuse answer it", async () => {
    const agent = [call("worker", { task: "Do the work." })];
    const below: Script = ({ lastText }) =>
      lastText.includes("Begin") ? agent : lastText.includes("work.") ? write : done;
    for (const [flag, effect] of [
      ["--approve", "x"],
      ["--refuse", undefined],
    ] as const) {
      await using here = await place(below);
      const parked = await here.go("Begin", "--park", "--agents", await here.worker());
      expect(parked.code, parked.stderr).toBe(3);
      const [id, digest] = [idIn(parked), digestIn(parked)];
      expect(parked.stderr).toContain("worker > run_command wants to run");
      expect(parked.stderr).toContain("  printf x >> effect\n");
      expect(parked.stderr).toContain("waiting for an approval of worker > run_command");
      expect((await here.about("sessions")).stdout).toContain(
        `waiting (approval of worker > run_command)  ${here.path}  Begin`,
      );
      expect((await here.go("resume", id)).stderr).toContain(`To approve: lastcall resume ${id} --digest ${digest}`);
      const other = await here.go("resume", id, "--approve", "--digest", "00000000");
      expect(other.code).toBe(4);
      expect(other.stderr).toContain("waits for an approval of another call, worker > run_command");
      expect(await here.effect()).toBeUndefined();
      const { code, stderr } = await here.go("resume", id, flag, "--digest", digest);
      expect(code, stderr).toBe(0);
      expect(await here.effect()).toBe(effect);
      if (effect === undefined) expect(here.bodies().join("")).toContain("This call was not allowed");
      expect((await here.go("resume", id, flag)).code).toBe(4);
    }
  });

  test("has the call in --json", async () => {
    await using here = await place();
    const { code, stdout } = await here.go("Begin", "--park", "--json");
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({
      status: "waiting",
      by: "run_command",
      input: { command: "printf x >> effect" },
      approval: { digest: expect.stringMatching(/^[0-9a-f]{64}$/) as string },
    });
  });

  test("without it, the call is refused as before", async () => {
    await using here = await place();
    const { code, stderr } = await here.go("Begin");
    expect(code).toBe(0);
    expect(stderr).toContain("1 call was refused, because nobody was there to ask.");
    expect(await here.effect()).toBeUndefined();
  });

  test.each([
    [["--park", "--no-save"], "--park says to wait for an approval, and --no-save keeps no session"],
    [["--park", "--dry-run"], "--dry-run does nothing that needs one"],
    [["--approve"], "A task takes no --approve, which goes with lastcall resume."],
    [["--digest", "0123456789"], "A task takes no --digest, which goes with lastcall resume."],
  ])("with %j it is an error", async (args, words) => {
    await using here = await place();
    const { code, stderr } = await here.go("Begin", ...args);
    expect(code).toBe(4);
    expect(stderr).toContain(words);
  });
});

describe("lastcall resume", () => {
  test("--approve runs exactly this call, once, and a second --approve sees the same end", async () => {
    await using here = await place();
    const parked = await here.go("Begin", "--park");
    const id = idIn(parked);
    const answer = ["resume", id, "--approve", "--digest", digestIn(parked)];
    const approved = await here.go(...answer);
    expect({ code: approved.code, stdout: approved.stdout }).toEqual({ code: 0, stdout: "Done.\n" });
    expect(await here.effect()).toBe("x");
    const again = await here.go(...answer);
    expect({ code: again.code, stdout: again.stdout }).toEqual({ code: 0, stdout: "Done.\n" });
    expect(await here.effect()).toBe("x");
    expect(here.bodies()).toHaveLength(2);
    const refused = await here.go("resume", id, "--refuse");
    expect(refused.code).toBe(4);
    expect(refused.stderr).toContain(`The session ${id} waits for no approval: its last run is completed.`);
  });

  test("--refuse tells the model that it was not approved, with the words", async () => {
    await using here = await place();
    const id = idIn(await here.go("Begin", "--park"));
    expect((await here.go("resume", id, "not on a Friday", "--refuse")).code).toBe(0);
    expect(await here.effect()).toBeUndefined();
    expect(here.bodies()[1]).toContain("This call was not allowed: not on a Friday.");
  });

  test("with words alone refuses as well", async () => {
    await using here = await place();
    const id = idIn(await here.go("Begin", "--park"));
    expect((await here.go("resume", id, "not on a Friday")).code).toBe(0);
    expect(await here.effect()).toBeUndefined();
    expect(here.bodies()[1]).toContain("the user said no, and: not on a Friday");
  });

  test("of a call with another digest changes nothing", async () => {
    await using here = await place();
    const id = idIn(await here.go("Begin", "--park"));
    const { code, stderr } = await here.go("resume", id, "--approve", "--digest", "0".repeat(12));
    expect(code).toBe(4);
    expect(stderr).toContain("waits for an approval of another call, run_command with the digest");
    expect(await here.effect()).toBeUndefined();
    expect(idIn(await here.go("resume", id))).toBe(id);
  });

  test("without an answer and without a terminal shows the call again, and ends with 3", async () => {
    await using here = await place();
    const id = idIn(await here.go("Begin", "--park"));
    const { code, stderr } = await here.go("resume", id);
    expect(code).toBe(3);
    expect(stderr).toContain("printf x >> effect");
    expect(stderr).toContain(`lastcall resume ${id} --digest`);
    expect(here.bodies()).toHaveLength(1);
  });

  test("--approve of a session that waits for something else says what it waits for", async () => {
    await using here = await place([[call("ask_question", { question: "Which colour?" })]]);
    const id = idIn(await here.go("Begin"));
    const { code, stderr } = await here.go("resume", id, "--approve");
    expect(code).toBe(4);
    expect(stderr).toContain(`The session ${id} waits for no approval: it waits for an answer to ask_question.`);
  });

  test("takes a rule that was added since before the approval", async () => {
    await using here = await place();
    const id = idIn(await here.go("Begin", "--park"));
    await here.go("resume", id, "--approve", "--deny", "run_command");
    expect(await here.effect()).toBeUndefined();
  });

  test.each([
    [["--approve", "--refuse"], "contradict each other"],
    [["words", "--approve"], "--approve takes no words"],
    [["--digest", "0123456789"], "add --approve or --refuse"],
    [["--approve", "--digest", "xyz"], "is no digest of a call"],
  ])("with %j is an error", async (args, words) => {
    await using here = await place();
    const { code, stderr } = await here.go("resume", "some-id", ...args);
    expect(code).toBe(4);
    expect(stderr).toContain(words);
  });
});

describe("a person at the terminal", () => {
  const digest = "a".repeat(64);
  const call = {
    id: "c",
    by: "pay",
    input: { cents: 5 },
    approval: { why: "money leaves", digest, preview: "pays 5" },
  };
  const style = { dim: same, bold: same, good: same, bad: same };

  /** Asks a person who types these lines, and collects what is printed. */
  async function asked(...lines: readonly string[]) {
    const left = [...lines];
    const said: string[] = [];
    const person = { ask: () => Promise.resolve(left.shift()) } as unknown as Person;
    const say = (line: string): void => void said.push(line);
    const answer = await askAbout(call, person, { style, say, signal: new AbortController().signal });
    return { answer, said: said.join("\n") };
  }

  test("sees the call and says yes or no to exactly this one", async () => {
    const { answer, said } = await asked("y");
    expect(answer).toEqual({ allowed: true, digest });
    expect(said).toContain("pay wants to run, and money leaves:\n  pays 5");
    expect((await asked("")).answer).toEqual({ allowed: false, digest });
    expect((await asked("a")).answer).toEqual({ allowed: true, always: true, digest });
    expect((await asked("not now")).answer).toEqual({
      allowed: false,
      reason: "the user said no, and: not now",
      digest,
    });
  });

  test("sees the whole call with e, and is asked again", async () => {
    const { answer, said } = await asked("e", "n");
    expect(answer).toEqual({ allowed: false, digest });
    expect(said).toContain("cents: 5");
  });

  test("who leaves has not answered", async () => {
    expect((await asked()).answer).toBeUndefined();
  });
});

function same(text: string): string {
  return text;
}

describe("an agent whose limit asks", () => {
  const source = `${imports}
import { fourEyes } from "lastcall";
export default {
  instructions: "You shout.",
  tools: [${shout}, taskCompletion()],
  approvals: { mayApprove: fourEyes },
  limits: { maxIterations: 1, ask: { maxIterations: 2 }, prices: { m: { input: 1000, output: 1000 } } },
};`;
  const usage = { inputTokens: 100, outputTokens: 100 };
  const shouts: Script = [{ calls: [call("shout", { words: "go" })], usage }];
  const why = "The run reached 1 iteration. May it go on, for 2 more (at a cost of about 0.4)?";

  test("asks in words, goes on after a yes, and another command sees the same; who asked says no yes", async () => {
    await using folder = await moduleFolder();
    const agent = await folder.put("agent.mjs", source);
    const asked = await folder.on(shouts, ["go", "--agent", agent, "--as", "ann"]);
    expect({ code: asked.code, stdout: asked.stdout }).toEqual({ code: 3, stdout: "" });
    const [id, digest] = [idIn(asked), digestIn(asked)];
    expect(asked.stderr).toContain(`\n${why}\n`);
    expect(asked.stderr).toContain(`To approve: lastcall resume ${id} --digest ${digest} --approve\n`);
    expect(asked.stderr).toContain("waiting for an approval to go on at a limit");
    expect(asked.stderr).not.toContain("raise_limit");
    const about = (...words: readonly string[]) => runHere([...words, "--sessions", join(folder.path, "sessions")]);
    expect((await about("sessions")).stdout).toContain("waiting (approval to go on at a limit)");
    expect((await about("show", id)).stdout).toContain(`needs approval: ${why}`);
    const own = await folder.on([], ["resume", id, "--approve", "--as", "ann"]);
    expect([own.code, own.requests]).toEqual([4, 0]);
    expect(own.stderr).toContain("somebody else than the person who asked has to");
    const yes = await folder.on([done], ["resume", id, "--approve", "--digest", digest, "--as", "ben"]);
    expect(yes, yes.stderr).toMatchObject({ code: 0, stdout: "Done.\n", requests: 1 });
    expect((await about("show", id)).stdout).toContain("approved by ben");
    expect(await about("replay", id)).toMatchObject({ code: 0, stdout: expect.stringContaining("the same way") });
  });

  test("stops after a no, and says the reason", async () => {
    await using folder = await moduleFolder();
    const asked = await folder.on(shouts, ["go", "--agent", await folder.put("agent.mjs", source), "--as", "ann"]);
    const no = await folder.on([done], ["resume", idIn(asked), "--refuse", "too dear", "--as", "ben"]);
    expect(no.code).toBe(2);
    expect(no.stderr).toContain(
      "stopped (max_iterations): 1 iteration, as many as allowed; it may not go on: too dear",
    );
  });

  test("in a conversation by lines says what the next words are", async () => {
    await using folder = await moduleFolder();
    const agent = await folder.put("agent.mjs", source.replace("mayApprove: fourEyes", ""));
    const { stderr, stdout } = await folder.on([...(shouts as []), done], ["chat", "--agent", agent], "go\nmore\n");
    expect(stderr).toContain(
      `${why}\nThe next words begin anew, with limits of their own.\nTo approve: lastcall resume`,
    );
    expect(stdout, stderr).toBe("Done.\n");
  });

  test("a person at the terminal is asked in the same words, and can read what a yes means", async () => {
    const said: string[] = [];
    const answers = ["e", "y"];
    const questions: string[] = [];
    const person: Person = {
      async ask(question) {
        questions.push(question);
        return answers.shift();
      },
    };
    const waiting = { id: "c", by: "worker > raise_limit", input: { used: 1 }, approval: { why, digest: "d" } };
    const style = { dim: same, bold: same, good: same, bad: same };
    const say = (line: string) => said.push(line);
    const signal = new AbortController().signal;
    expect(await askAbout(waiting as never, person, { style, say, signal })).toEqual({ allowed: true, digest: "d" });
    expect(questions).toEqual(["[y/N] ", "[y/N] "]);
    expect(said).toEqual([`worker: ${why}`, expect.stringContaining("raises the limit once")]);
  });
});
