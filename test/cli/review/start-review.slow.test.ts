// lastcall review: the diffs of git and of sessions, the findings in lines and as JSON, the exit codes.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { call, scriptedProvider, type ScriptedProvider } from "../../../src/testing/index.js";
import { runHere, temporary, type Ended } from "../command.js";
import { without } from "../../programs.js";

const noGit = without("git");
const withGit = test.skipIf(noGit !== "");

type Severity = "error" | "warning" | "note";
const finding = (file: string, line: number, severity: Severity, reason = "It is wrong.") => ({
  file,
  line,
  severity,
  reason,
});
const report = (...findings: readonly ReturnType<typeof finding>[]) => [
  call("report_findings", { findings, summary: "Looked at all of it." }),
];

const git = (root: string, ...args: readonly string[]): string =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: root, encoding: "utf8" });

/** A folder, and the command in it with a model that says these replies. */
async function world(replies: Parameters<typeof scriptedProvider>[0]) {
  const folder = await temporary();
  const root = join(folder.path, "work");
  mkdirSync(root);
  const provider = await scriptedProvider(replies);
  const at = ["--workdir", root, "--sessions", join(folder.path, "sessions"), "--no-sandbox"];
  return {
    root,
    provider,
    put(name: string, text: string) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), text);
    },
    /** Makes a repository of the files, with one commit. */
    commit(message = "first") {
      if (!existsSync(join(root, ".git"))) git(root, "init", "--quiet");
      git(root, "add", "--all");
      git(root, "commit", "--quiet", "-m", message);
    },
    run: (args: readonly string[], piped?: string, other: ScriptedProvider = provider): Promise<Ended> =>
      runHere(
        [...at, "--base-url", other.url, "--model", "m", ...args],
        { XDG_CONFIG_HOME: join(folder.path, "home") },
        piped,
      ),
    id: async () => (await runHere(["sessions", ...at.slice(2, 4)])).stdout.split(" ")[0] ?? "",
    told: (request = 0) => JSON.stringify(provider.requests[request]?.body.messages),
    tools: () =>
      ((provider.requests[0]?.body.tools ?? []) as { function: { name: string } }[]).map(
        ({ function: { name } }) => name,
      ),
    async [Symbol.asyncDispose]() {
      await provider[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

withGit(`the working tree is reviewed with its new files, and an error gives exit code 2${noGit}`, async () => {
  await using at = await world([
    report(finding("sum.mjs", 1, "error", "It subtracts,\nfor every input."), finding("new.mjs", 2, "note", "Unused.")),
  ]);
  at.put("sum.mjs", "export const sum = (a, b) => a + b;\n");
  at.put(".gitignore", "built\n");
  at.commit();
  at.put("sum.mjs", "export const sum = (a, b) => a - b;\n");
  at.put("new.mjs", "let one = 1;\nlet two = 2;\n");
  at.put("built/x.mjs", "ignored\n");
  const { code, stdout, stderr } = await at.run(["review"]);
  expect(code, stderr).toBe(2);
  expect(stdout).toBe("sum.mjs:1 error It subtracts, for every input.\nnew.mjs:2 note Unused.\n");
  expect(stderr).toContain("Looked at all of it.");
  const told = at.told();
  expect(told).toContain("-export const sum = (a, b) => a + b;");
  expect(told).toContain("+++ b/new.mjs");
  expect(told).not.toContain("ignored");
  expect(at.tools()).toEqual(expect.arrayContaining(["read_file", "search_files", "explore", "report_findings"]));
  expect(at.tools()).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/write|edit|move|delete|command|task/)]),
  );
});

withGit.each<readonly [Severity[], number]>([
  [[], 0],
  [["note", "warning"], 0],
  [["warning", "error"], 2],
])(`findings of %j give exit code %i, and --json has them typed${noGit}`, async (severities, expected) => {
  await using at = await world([report(...severities.map((severity) => finding("a.txt", 1, severity)))]);
  at.put("a.txt", "1\n");
  at.commit();
  at.put("a.txt", "2\n");
  const { code, stdout, stderr } = await at.run(["review", "--json"]);
  expect(code, stderr).toBe(expected);
  const outcome = JSON.parse(stdout) as { readonly by: string; readonly value: { readonly findings: unknown[] } };
  expect(outcome.by).toBe("report_findings");
  expect(outcome.value.findings).toHaveLength(severities.length);
});

withGit(`a finding outside of the diff is told to the model, and does not end the review${noGit}`, async () => {
  await using at = await world([
    report(finding("other.txt", 1, "error"), finding("a.txt", 90, "error")),
    report(finding("a.txt", 1, "warning")),
  ]);
  at.put("a.txt", "1\n");
  at.put("other.txt", "1\n");
  at.commit();
  at.put("a.txt", "2\n");
  const { code, stdout } = await at.run(["review"]);
  expect([code, stdout]).toEqual([0, "a.txt:1 warning It is wrong.\n"]);
  expect(at.told(1)).toContain("other.txt is no file of the diff. Its files are: a.txt.");
  expect(at.told(1)).toContain("does not show line 90 of a.txt. It shows 1.");
});

withGit(
  `a range is reviewed without the working tree, and a folder without the rest of the repository${noGit}`,
  async () => {
    await using at = await world([report(), report()]);
    at.put("a.txt", "1\n");
    at.put("below/b.txt", "1\n");
    at.commit();
    at.put("a.txt", "of the commit\n");
    at.put("below/b.txt", "of the commit\n");
    at.commit("second");
    at.put("a.txt", "uncommitted\n");
    expect((await at.run(["review", "HEAD~1..HEAD"])).code).toBe(0);
    expect(at.told()).toContain("+of the commit");
    expect(at.told()).not.toContain("uncommitted");
    expect((await at.run(["review", "HEAD~1", "--workdir", join(at.root, "below")])).code).toBe(0);
    expect(at.told(1)).toContain("+++ b/b.txt");
    expect(at.told(1)).not.toContain("a.txt");
  },
);

withGit(`files that are likely to hold secrets are left out and named${noGit}`, async () => {
  await using at = await world([report()]);
  at.put("a.txt", "1\n");
  at.put(".env", "PASSWORD=old\n");
  at.commit();
  at.put("a.txt", "2\n");
  at.put(".env", "PASSWORD=hunter22\n");
  at.put("id_rsa", "hunter33\n");
  const { stderr } = await at.run(["review"]);
  expect(stderr).toContain("Left out, because it is likely to hold secrets: .env, id_rsa");
  expect(at.told()).toContain("a.txt");
  expect(at.told()).not.toMatch(/hunter/);
});

withGit(`no program runs that the settings of the repository name${noGit}`, async () => {
  await using at = await world([report()]);
  at.put("a.txt", "1\n");
  at.put(".gitattributes", "* filter=bad diff=bad\n");
  at.commit();
  const mark = join(at.root, "ran");
  const script = join(at.root, ".git/bad.sh");
  writeFileSync(script, `#!/bin/sh\necho ran >> ${mark}\ncat\n`, { mode: 0o755 });
  for (const name of ["filter.bad.clean", "diff.external", "diff.bad.textconv", "diff.bad.command", "core.fsmonitor"])
    git(at.root, "config", name, script);
  writeFileSync(join(at.root, "a.txt"), "2\n");
  const { code, stderr } = await at.run(["review"]);
  expect(code, stderr).toBe(0);
  expect(at.told()).toContain("+2");
  expect(existsSync(mark) ? readFileSync(mark, "utf8") : "").toBe("");
});

withGit(`without changes no model is asked${noGit}`, async () => {
  await using at = await world([]);
  at.put("a.txt", "1\n");
  at.commit();
  const { code, stdout, stderr } = await at.run(["review"]);
  expect([code, stdout, at.provider.requests.length]).toEqual([0, "", 0]);
  expect(stderr).toContain("There is nothing to review");
});

withGit(`a repository without a commit is reviewed whole${noGit}`, async () => {
  await using at = await world([report()]);
  git(at.root, "init", "--quiet");
  at.put("a.txt", "1\n");
  expect((await at.run(["review"])).code).toBe(0);
  expect(at.told()).toContain("+++ b/a.txt");
});

test("the changes of a session are reviewed, without git", async () => {
  await using at = await world([
    [call("write_file", { path: "a.txt", content: "by the session\n" })],
    [call("task_completion", { result: "done" })],
    report(finding("a.txt", 1, "warning", "It is short.")),
  ]);
  expect((await at.run(["write it", "--yes"])).code).toBe(0);
  const id = await at.id();
  const { code, stdout, stderr } = await at.run(["review", id]);
  expect([code, stdout], stderr).toEqual([0, "a.txt:1 warning It is short.\n"]);
  expect(at.told(2)).toContain("+by the session");
  const elsewhere = await runHere(["review", id, "--sessions", join(at.root, "../sessions"), "--workdir", "/"]);
  expect([elsewhere.code, elsewhere.stderr]).toEqual([
    4,
    expect.stringContaining(`worked in another folder: lastcall review ${id}`),
  ]);
});

test("a diff from a pipe is reviewed with --review, with the same findings and codes", async () => {
  await using at = await world([report(finding("b.txt", 1, "error")), report(finding("a.txt", 1, "error"))]);
  const diff = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-1\n+2\n";
  const { code, stdout, stderr } = await at.run(["--review", "look at the numbers"], diff);
  expect([code, stdout], stderr).toEqual([2, "a.txt:1 error It is wrong.\n"]);
  expect(at.told(1)).toContain("b.txt is no file of the diff");
});

withGit(`a review that was stopped goes on as a review, which writes nothing${noGit}`, async () => {
  await using at = await world([
    [call("list_files", {})],
    [call("write_file", { path: "evil.txt", content: "x" })],
    report(finding("a.txt", 1, "error")),
  ]);
  at.put("a.txt", "1\n");
  at.commit();
  at.put("a.txt", "2\n");
  await using failing = await scriptedProvider([[call("list_files", {})], { status: 400, body: "no" }] as never);
  expect((await at.run(["review"], undefined, failing)).code).not.toBe(0);
  const { code, stdout, stderr } = await at.run(["resume", await at.id(), "--yes", "--tier", "workspace-write"]);
  expect([code, stdout], stderr).toEqual([4, ""]);
  const gone = await at.run(["resume", await at.id(), "--yes"]);
  expect([gone.code, gone.stdout], gone.stderr).toEqual([2, "a.txt:1 error It is wrong.\n"]);
  expect(existsSync(join(at.root, "evil.txt"))).toBe(false);
});

withGit(
  `an agent named review in a file is the reviewer, and in an untrusted folder it does nothing${noGit}`,
  async () => {
    await using at = await world([report(), report()]);
    at.put("a.txt", "1\n");
    at.commit();
    at.put(".lastcall/agents/review.md", "---\ndescription: Reviews.\nmodel: other\n---\nReview as a poet does.\n");
    const untrusted = await at.run(["review"]);
    expect(untrusted.code, untrusted.stderr).toBe(0);
    expect(at.provider.requests[0]?.body.messages[0]?.content).not.toContain("poet");
    const named = await at.run(["review", "--agents", join(at.root, ".lastcall/agents/review.md")]);
    expect(named.code, named.stderr).toBe(0);
    expect(at.provider.requests[1]?.body.messages[0]?.content).toContain("Review as a poet does.");
    expect(at.provider.requests.map(({ body }) => body.model)).toEqual(["m", "other"]);
  },
);

test.each<readonly [args: readonly string[], why: string]>([
  [["review"], "needs a folder of git"],
  [["review", "--agent", "x.mjs"], "--review is an agent"],
  [["review", "--until", "true"], "a review does none"],
  [["review", "--tier", "workspace-write"], "A review only reads"],
  [["review", "the", "code"], "has to be in quotes"],
  [["review", "--", "-x"], "is no session and no range"],
])("%j is refused: %s", async (args, why) => {
  await using at = await world([]);
  const { code, stderr } = await at.run(args);
  expect([code, at.provider.requests.length]).toEqual([4, 0]);
  expect(stderr).toContain(why);
});
