import { expect, test } from "vitest";
import { makeAgent } from "../../../src/cli/task/make-agent.js";
import { watch } from "../../../src/cli/show/watch.js";
import { plain } from "../../../src/cli/words/quantities.js";
import { call, scriptedModel } from "../../../src/testing/index.js";
import { converse, taskCompletion } from "../../../src/tools/index.js";
import { temporary } from "../command.js";

test("the agent of the command ends by its ending tools: in a conversation by text alone, for several turns in one session", async () => {
  await using folder = await temporary();
  const model = scriptedModel([{ text: "Hello." }, [call("list_files", {})], { text: "There is nothing." }]);
  const said: string[] = [];
  const { onEvent, hooks, ending } = watch({
    log: "verbose",
    style: plain,
    say: (line) => said.push(line),
    events: undefined,
    now: () => 0,
  });
  const { agent, shellNotice, remarks } = await makeAgent(
    {
      workdir: folder.path,
      model,
      guidance: "Speak plainly.",
      rights: { tier: "workspace-write", mode: "ask-sensitive", allow: [], deny: [], dryRun: false, shell: "host" },
      until: [],
      protect: [],
      attempts: undefined,
      onEdit: [],
      limits: {},
      notes: false,
      window: undefined,
      approver: undefined,
      secrets: [],
      guarded: [],
      interactive: true,
    },
    { endings: [taskCompletion(), converse()], onText: "converse", hooks },
  );
  expect(shellNotice).toContain("without a sandbox");
  const first = await agent.run("Hi.", { onEvent });
  expect(first).toMatchObject({ status: "waiting", by: "converse", value: { message: "Hello." } });
  const second = await agent.run("What is here?", { session: first.session, onEvent });
  if (second.status !== "waiting" || second.approval !== undefined) throw new Error(second.status);
  expect(second.value.message).toBe("There is nothing.");
  expect(model.requests[0]?.system).toMatch(/careful engineer[^]*\n\nSpeak plainly\./);
  expect(said.filter((line) => line.includes("system: "))).toHaveLength(1);
  expect(said).toContain("      | tool: What is here?");
  expect(said).toContain("      ok 0 entries (0 ms)");
  expect(ending()).toEqual(["waiting for an answer · 3 iterations · tokens not reported · 0 ms"]);
  expect(remarks()).toEqual([]);
});
