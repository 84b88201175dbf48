// The name of --as, from the command line to the journal and back to people.

import { expect, test } from "vitest";
import { openSession, fileStore } from "../../../src/memory/index.js";
import { call, scriptedProvider } from "../../../src/testing/index.js";
import { runHere, temporary } from "../command.js";

test("who gives a task and who approves a call stand in the journal, and show says it", async () => {
  await using provider = await scriptedProvider([
    [call("run_command", { command: "./deploy" })],
    [call("task_completion", { result: "deployed" })],
  ]);
  await using folder = await temporary();
  const sessions = `${folder.path}/sessions`;
  const work = [
    "--base-url",
    provider.url,
    "--model",
    "m",
    "--workdir",
    folder.path,
    "--sessions",
    sessions,
    "--park",
    "--no-sandbox",
  ];
  const env = { XDG_CONFIG_HOME: folder.path };
  expect((await runHere(["deploy it", ...work, "--as", "ann"], env)).code).toBe(3);
  const [stored] = await fileStore(sessions).list();
  const id = stored?.id ?? "";
  const resumed = await runHere(["resume", id, "--refuse", "--sessions", sessions, "--as", "ben"], env);
  expect(resumed.code).toBe(0);
  const { records } = await openSession({ store: fileStore(sessions), id }).toJSON();
  expect(
    records.flatMap((record) => ("by" in record && typeof record.by === "object" ? [[record.type, record.by.id]] : [])),
  ).toEqual([
    ["input", "ann"],
    ["approval", "ben"],
  ]);
  const { stdout } = await runHere(["show", id, "--sessions", sessions], env);
  expect(stdout).toContain("refused by ben");
});
