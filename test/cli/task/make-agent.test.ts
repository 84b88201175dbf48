import { expect, test } from "vitest";
import { readSettings } from "../../../src/cli/args/args.js";
import { parseOptions } from "../../../src/cli/args/options.js";
import { loadModules } from "../../../src/cli/modules/modules.js";
import { makeAgent } from "../../../src/cli/task/make-agent.js";
import { workplaceFor } from "../../../src/cli/task/workplace-for.js";
import { watch } from "../../../src/cli/show/watch.js";
import { plain } from "../../../src/cli/display/quantities.js";
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
  const settings = readSettings(parseOptions(["x", "--no-sandbox"]));
  const needs = { root: folder.path, guarded: [], modules: await loadModules(settings) };
  const { agent, shellNotice, remarks } = await makeAgent(
    {
      settings,
      workdir: folder.path,
      model,
      guidance: "Speak plainly.",
      limits: {},
      window: undefined,
      approver: undefined,
      secrets: [],
      guarded: [],
      modules: [],
      workplaceFor: (rights) => workplaceFor({ ...settings, rights }, needs),
    },
    { endings: [taskCompletion(), converse()], onText: "converse", hooks },
  );
  expect(shellNotice).toContain("without a sandbox");
  const first = await agent.run("Hi.", { onEvent });
  expect(first).toMatchObject({ status: "waiting", by: "converse", value: { message: "Hello." } });
  const second = await agent.run("What is here?", { session: first.session, onEvent });
  expect(second).toMatchObject({ status: "waiting", value: { message: "There is nothing." } });
  expect(model.requests[0]?.system).toMatch(/careful engineer[^]*\n\nSpeak plainly\./);
  expect(said.filter((line) => line.includes("system: "))).toHaveLength(1);
  expect(said).toContain("      | tool: What is here?");
  expect(said).toContain("      ok 0 entries (0 ms)");
  expect(ending()).toEqual(["waiting for an answer · 3 iterations · tokens not reported · 0 ms"]);
  expect(remarks()).toEqual([]);
});
