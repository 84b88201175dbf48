// The runner of attacks on the gate can fail. The attacks themselves are in attacks.slow.test.ts.

import { describe, expect, it } from "vitest";
import { lineOf, tryAll, type Attack, type AttackLibrary } from "../scripts/attacks/index.mjs";
import { createAgent, redactor } from "../src/index.js";
import { gate } from "../src/permission/index.js";
import { call, scriptedModel } from "../src/testing/index.js";
import { taskCompletion, workspaceTools } from "../src/tools/index.js";

const library: AttackLibrary = { createAgent, redactor, scriptedModel, call, gate, workspaceTools, taskCompletion };

const read: Attack = {
  id: "planted",
  tool: "read_file",
  input: { path: "src/a.ts" },
  tier: "ReadOnly",
  setup: [{ file: "src/a.ts", content: "x\n" }],
  expect: "allow",
};

describe("the runner of attacks can fail", () => {
  const lineFor = async (changes: Attack, on: Partial<AttackLibrary> = {}): Promise<string> => {
    const [result] = await tryAll([{ ...read, ...changes }], { ...library, ...on });
    return result === undefined ? "" : lineOf(result);
  };

  it("passes what holds", async () => {
    expect(await lineFor({})).toMatch(/^ok {3}planted/);
  });

  it.each<[string, Attack]>([
    ["another verdict", { expect: "deny" }],
    ["an expectation that nobody knows", { expect: "maybe" }],
    ["no expectation", { expect: undefined }],
    ["an empty choice of expectations", { expect: { any_of: [] } }],
    ["a tool that nobody knows", { tool: "read_mind" }],
    ["a tier that nobody knows", { tier: "toString" }],
    ["rules that nobody knows", { rules: { permit: [] } }],
    ["a setup that nobody knows", { setup: [{ fifo: "pipe" }] }],
    ["a setup outside of the world", { setup: [{ file: "/etc/lastcall-planted" }] }],
    ["arguments that the tool does not take", { input: { file: "src/a.ts" } }],
    ["an allowed call that fails", { input: { path: "src/b.ts" } }],
    ["a line that is no JSON", { broken: "Unexpected token" }],
  ])("fails for %s", async (_what, changes) => {
    expect(await lineFor(changes)).toMatch(/^FAIL planted/);
  });

  it("takes one of several where a case leaves a choice", async () => {
    expect(await lineFor({ expect: { any_of: ["ask", "allow"] } })).toMatch(/^ok/);
    expect(await lineFor({ expect: { any_of: ["ask", "deny"] } })).toMatch(/^FAIL/);
  });

  it("tells for a line with a format if its secret is found, and fails if the expectation says otherwise", async () => {
    const secret = { format: "GitHub", text: `ghp_${"aB3".repeat(12)}` };
    const words = { format: "words", text: "nothing to hide" };
    const [found, notFound, wrong, unknown] = await tryAll(
      [
        { ...secret, expect: "found" },
        { ...words, expect: "not found" },
        { ...words, expect: "found" },
        { ...secret, expect: "maybe" },
      ],
      library,
    );
    expect([found, notFound, wrong, unknown].map((one) => one && lineOf(one))).toEqual([
      expect.stringMatching(/^ok {3}GitHub +found +found: \[redacted: token\]/),
      expect.stringMatching(/^ok {3}words +not found not found: nothing to hide/),
      expect.stringMatching(/^FAIL words +found +was not found/),
      expect.stringMatching(/^FAIL GitHub/),
    ]);
  });

  it("fails where a gate lets through what it should not, and runs nothing of it", async () => {
    const open: typeof gate = () => ({ decide: () => ({ allowed: true, reason: "all is well" }) });
    const command = { tool: "execute_command", input: { command: "touch made" }, expect: "ask" };
    expect(await lineFor(command, { gate: open })).toContain("was allow");
  });

  it("fails where what runs changes the world outside", async () => {
    const open: typeof gate = () => ({ decide: () => ({ allowed: true, reason: "all is well" }) });
    const command = { tool: "execute_command", input: { command: "echo x >> ../other/README.md" } };
    expect(await lineFor(command, { gate: open })).toContain("outside the workspace was changed");
  });
});
