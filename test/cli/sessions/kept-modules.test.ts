// The modules of a stored session: a resume has them again, and code that changed or is gone does not run unseen.

import { rm } from "node:fs/promises";
import { expect, test } from "vitest";
import { call } from "../../../src/testing/index.js";
import { moduleFolder, type ModuleFolder } from "../modules/module-folder.js";

const done = [call("task_completion", { result: "done" })];

/** A tool that says these words, in a module with a second file. */
const saying = (words: string): string =>
  `import "./part.mjs";
  export default ({ tool }) => tool({ name: "say", description: "Says", input: { type: "object" }, effect: "none", run: () => "${words}" });`;

/** A session that waits for an answer and has the module from the command line. */
async function asked(folder: ModuleFolder): Promise<{ readonly id: string; readonly path: string }> {
  const path = await folder.put("tools.mjs", saying("first"));
  await folder.put("part.mjs", "export {};");
  const { stderr } = await folder.on([[call("ask_question", { question: "Now?" })]], ["go", "--tools", path]);
  return { id: /lastcall resume (\S+)/.exec(stderr)?.[1] ?? "", path };
}

test("a resume has the tools of its session, and says so", async () => {
  await using folder = await moduleFolder();
  const { id, path } = await asked(folder);
  const { code, stderr } = await folder.on([[call("say")], done], ["resume", id, "yes"]);
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining("ok first") });
  expect(stderr).toContain(`--tools ${path}`);
});

test.each([
  ["the module", "tools.mjs", saying("second")],
  ["a file that it imports", "part.mjs", "export const x = 1;"],
])(
  "%s that has changed is not loaded if nobody accepts it, and the session waits as before",
  async (_what, name, text) => {
    await using folder = await moduleFolder();
    const { id, path } = await asked(folder);
    await folder.put(name, text);
    const refused = await folder.on([], ["resume", id, "yes"]);
    expect(refused).toMatchObject({ code: 4, requests: 0 });
    expect(refused.stderr).toContain(
      `${path} is not as it was when this session began. The session has it from --tools.`,
    );
    const named = await folder.on([[call("say")], done], ["resume", id, "yes", "--tools", path]);
    expect(named).toMatchObject({ code: 0, stdout: "done\n" });
  },
);

test("a module that is gone is named, and another one in its place is told as another agent", async () => {
  await using folder = await moduleFolder();
  const { id, path } = await asked(folder);
  await rm(path);
  const refused = await folder.on([], ["resume", id, "yes"]);
  expect(refused).toMatchObject({ code: 4, requests: 0 });
  expect(refused.stderr).toContain(`${path}: there is no such file. The session has it from --tools. To go on with`);
  const other = await folder.put(
    "other.mjs",
    saying("other").replace('"say"', '"tell"').replace('import "./part.mjs";', ""),
  );
  const { code, stderr } = await folder.on([[call("tell")], done], ["resume", id, "yes", "--tools", other]);
  expect(code).toBe(0);
  expect(stderr).toContain("not the agent that the session was left by: the tool say is gone; the tool tell is new");
});
