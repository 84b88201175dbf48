import { describe, expect, test } from "vitest";
import { createAgent, tool, type Session } from "../../../src/index.js";
import { call, replaySession, scriptedModel } from "../../../src/testing/index.js";
import { taskCompletion } from "../../../src/tools/index.js";
import { readReplay, type Departure } from "../../../src/studio/data/replay-file.js";
import { placeWords, replayRows } from "../../../src/studio/data/replay-rows.js";
import { Timeline } from "../../../src/studio/data/timeline.js";

const read = tool({
  name: "read",
  description: "Reads a page",
  input: { type: "object", properties: { page: { type: "number" } } },
  effect: "read",
  run: (input) => `page ${JSON.stringify(input)}`,
});
const judge = (forbidden: string) => {
  const decide = ({ input }: { readonly input: unknown }) =>
    JSON.stringify(input).includes(forbidden)
      ? { allowed: false, reason: "it is secret" }
      : { allowed: true, reason: "it is not secret" };
  return { decide, unasked: decide };
};
const agentWith = (forbidden: string, instructions = "You read.", pages: readonly number[] = []) =>
  createAgent({
    model: scriptedModel([
      ...pages.map((page) => [call("read", { page })]),
      [call("task_completion", { result: "Read." })],
    ]),
    instructions,
    tools: [read, taskCompletion()],
    permission: judge(forbidden),
  });

async function recorded(): Promise<Session> {
  return (await agentWith("none", "You read.", [1, 2, 3, 4]).run("Read all")).session;
}

/** The lines of the session beside its replay with the agent, each in a few words. */
async function lines(agent: object, opened = false): Promise<readonly string[]> {
  const session = await recorded();
  const replay = readReplay(JSON.stringify(await replaySession(session, { agent })), session.id);
  const original = new Timeline();
  for (const record of session.records) original.add(record);
  const open = new Set<Departure>(opened ? replay.departures : []);
  return replayRows(original, replay, open).map((line) => {
    if (line.kind === "fold") return `fold of ${String(line.count)}`;
    const [first, second] = [line.first, line.second].map((row) =>
      row === undefined ? "." : row.kind === "iteration" ? String(row.iteration) : row.label,
    );
    return `${line.kind} ${first ?? ""} | ${second ?? ""}`;
  });
}

describe("a session beside its replay", () => {
  test("has all its rows in pairs if it goes the same way", async () => {
    expect(await lines(agentWith("none"))).toEqual([
      "same input | input",
      ...[1, 2, 3, 4, 5].map((at) => `same ${String(at)} | ${String(at)}`),
      "same completed | completed",
    ]);
  });

  test("marks the departure, and folds what follows from it", async () => {
    const before = ["same input | input", "same 1 | 1", "departs 2 | 2"];
    expect(await lines(agentWith("2"))).toEqual([...before, "fold of 3", "same completed | completed"]);
    expect(await lines(agentWith("2"), true)).toEqual([
      ...before,
      "fold of 3",
      ...[3, 4, 5].map((at) => `follows ${String(at)} | ${String(at)}`),
      "same completed | completed",
    ]);
  });

  test("has its departure at the first request if the instructions are others", async () => {
    expect((await lines(agentWith("none", "You read fast.")))[1]).toBe("departs 1 | 1");
  });

  test("has a row of the session alone where the replay ended sooner", async () => {
    const short = createAgent({
      model: scriptedModel([]),
      instructions: "You read.",
      tools: [read, taskCompletion()],
      permission: judge("none"),
      limits: { maxIterations: 3 },
    });
    const shown = await lines(short, true);
    expect(shown).toContain("follows 5 | .");
    expect(shown.filter((line) => line.startsWith("departs"))).not.toEqual([]);
  });
});

test.each([
  ["1/model:3", "the request of iteration 3"],
  ["1/call:3:1", "call 2 of iteration 3"],
  ["2/claim:4", "a check in iteration 4 of run 2"],
  ["1/baseline", "the checks before the first iteration"],
  ["2/end", "the end of run 2"],
])("the effect %s is %s", (at, words) => {
  expect(placeWords(at)).toBe(words);
});
