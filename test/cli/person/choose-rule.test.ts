import { expect, test } from "vitest";
import { approverAt } from "../../../src/cli/person/approver.js";
import { plain } from "../../../src/cli/display/quantities.js";
import type { Approval, Asking } from "../../../src/index.js";
import type { KeptRule } from "../../../src/permission/index.js";

const call = { id: "c", name: "run_command", effect: "execute" as const, input: { command: "npm test" } };

const asking: Asking = {
  signal: new AbortController().signal,
  session: "s",
  preview: () => Promise.resolve("npm test"),
  why: "it can execute",
  rule: "run_command(npm test)",
  kind: "run_command(npm test *)",
  insists: false,
  opens: [],
};

/** Asks with these answers. Returns the approval, the questions, and what was said and kept. */
async function answered(answers: readonly string[], about: Asking = asking, fails = false) {
  const [said, kept, questions]: [string[], KeptRule[], string[]] = [[], [], []];
  const rest = [...answers];
  const person = {
    ask: (question: string) => {
      questions.push(question);
      return Promise.resolve(rest.shift());
    },
  };
  const keep = (rule: KeptRule): Promise<void> => {
    if (fails) return Promise.reject(new Error("the disk is full"));
    kept.push(rule);
    return Promise.resolve();
  };
  const chosen = { path: "/home/me/allowed.json", rules: [], keep };
  const approval: Approval | boolean = await approverAt(person, {
    style: plain,
    say: (line) => said.push(line),
    chosen,
  })(call, about);
  return { approval, said: said.join("\n"), kept, questions };
}

test("both rules are shown before one is chosen, for the session or for the folder", async () => {
  const session = await answered(["r", "2"]);
  expect(session.said).toMatch(/1 {2}run_command\(npm test\) {2}only this\n {2}2 {2}run_command\(npm test \*\)/);
  expect(session).toMatchObject({ approval: { allowed: true, always: "run_command(npm test *)" }, kept: [] });
  const folder = await answered(["r", "1k"]);
  expect(folder.approval).toEqual({ allowed: true, always: "run_command(npm test)" });
  expect(folder.kept).toEqual([{ rule: "run_command(npm test)" }]);
  expect(folder.said).toContain("Kept in /home/me/allowed.json");
});

test("an answer that is no rule's number goes back to the question, and allows nothing", async () => {
  for (const wrong of ["", "3", "y", "npm test", "12", "kk"])
    expect((await answered(["r", wrong, "n"])).approval, wrong).toEqual({ allowed: false });
});

test("without a rule, r is a word like any other, and so a no", async () => {
  const { approval, questions } = await answered(["r"], { ...asking, rule: undefined, kind: undefined });
  expect(approval).toMatchObject({ allowed: false });
  expect(questions[0]).not.toContain("rule");
});

test("a rule that could not be kept counts in the session, and the person is told", async () => {
  const { approval, said } = await answered(["r", "2k"], asking, true);
  expect(approval).toEqual({ allowed: true, always: "run_command(npm test *)" });
  expect(said).toContain("counts in this session alone: the disk is full");
});
