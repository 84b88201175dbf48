// The agent for the command: its endings, its gate, and a typed answer in another process.

import { join } from "node:path";
import { expect, test } from "vitest";
import { call, scriptedProvider, type Script } from "../../src/testing/index.js";
import { run, type Ended } from "../cli/command.js";
import { printed, projectWith, type Project } from "./example.js";

/** Runs the command in the project. */
async function on({ path }: Project, script: Script, ...args: readonly string[]): Promise<Ended> {
  await using provider = await scriptedProvider(script);
  const place = ["--workdir", path, "--sessions", join(path, "sessions")];
  return await run([...args, "--base-url", provider.url, "--model", "m", ...place]);
}

const look = [call("find_order", { id: "A-17" })];
const approve = [call("approve", { id: "A-17", cents: 4000 })];

test("it pays back what a rule allows, and prints what the page says", async () => {
  await using project = await projectWith("refund-agent");
  const agent = ["--agent", join(project.path, "refund-agent.mjs")];
  const { code, stdout, stderr } = await on(project, [look, approve], "It broke.", ...agent, "--allow", "approve");
  expect({ code, stdout }).toEqual({ code: 0, stdout: printed("refund-agent")[0] });
  expect(stderr).toContain("completed by approve");
});

test("without the rule nobody allows it, a proposal waits, and its typed answer goes on in another process", async () => {
  await using project = await projectWith("refund-agent");
  const agent = ["--agent", join(project.path, "refund-agent.mjs")];
  const propose = [call("propose", { words: "Half of the price?", cents: 2000 })];
  const { code, stdout, stderr } = await on(project, [look, approve, propose], "It broke.", ...agent);
  expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
  expect(stderr).toContain("it uses the network; nobody is there to approve it");
  const id = /lastcall resume (\S+) '/.exec(stderr)?.[1] ?? "";
  const escalate = [call("escalate", { why: "No agreement.", team: "accounts" })];
  const ended = await on(project, [escalate], "resume", id, '{"accepted": false, "why": "all of it"}');
  expect(ended).toMatchObject({ code: 0, stdout: '{"why":"No agreement.","team":"accounts"}\n' });
});
