// The host: an agent within an agent, the log, and both ways to stop.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call, scriptedProvider } from "../../src/testing/index.js";
import { printed, projectWith } from "./example.js";

const investigate = [call("investigate", { question: "What keeps it from starting?" })];
const finding = [call("found", { file: "start.js", cause: "PORT is read before the settings are" })];
const assign = [call("assign", { team: "operations", summary: "start.js reads PORT before the settings are read." })];

function linesOf(stderr: string): readonly { readonly type: string; readonly [key: string]: unknown }[] {
  return stderr
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { readonly type: string });
}

test("an agent within the agent finds the cause, and it prints what the page says", async () => {
  await using project = await projectWith("embedded");
  await mkdir(join(project.path, "app"));
  await writeFile(join(project.path, "app/start.js"), "listen(process.env.PORT);\n");
  await using provider = await scriptedProvider([
    investigate,
    [call("search_files", { pattern: "PORT" })],
    finding,
    assign,
  ]);
  const { code, stdout, stderr } = await project.run(["app"], provider);
  expect([code, stdout]).toEqual([0, printed("embedded")[0]]);
  const lines = linesOf(stderr);
  const types = lines.map(({ type, event }) =>
    type === "child-event" ? (event as { readonly type: string }).type : type,
  );
  expect(types.filter((type) => type === "run-start")).toHaveLength(2);
  expect(lines.filter(({ type }) => type === "measured").map(({ tool }) => tool)).toEqual(["investigate", "assign"]);
  expect(types.some((type) => type.endsWith("-delta"))).toBe(false);
  expect(provider.requests[2]?.body.messages.at(-1)?.["content"]).toContain("listen(process.env.PORT)");
  expect(provider.requests[3]?.body.messages.at(-1)?.["content"]).toContain("PORT is read before the settings are");
});

test("SIGTERM lets the iteration end, and the run stops there", async () => {
  await using project = await projectWith("embedded");
  await using provider = await scriptedProvider([investigate, { calls: finding, delay: 500 }]);
  const host = project.start([], provider);
  await host.seen('"run":1,"input":"What keeps it from starting?"');
  host.child.kill("SIGTERM");
  const { code, stdout } = await host.ended;
  expect([code, stdout]).toEqual([1, printed("embedded")[1]]);
  expect(provider.unsaid).toBe(0);
});

test("SIGINT breaks the run off where it is", async () => {
  await using project = await projectWith("embedded");
  await using provider = await scriptedProvider([investigate, { calls: finding, delay: 60_000 }]);
  const host = project.start([], provider);
  await host.seen('"run":1,"input":"What keeps it from starting?"');
  host.child.kill("SIGINT");
  expect(await host.ended).toMatchObject({ code: 1, stdout: "aborted: the caller aborted the run: SIGINT\n" });
});
