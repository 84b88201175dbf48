import { expect, test } from "vitest";
import { createAgent } from "../../../src/index.js";
import { bisectSession } from "../../../src/testing/index.js";
import { giveUp, taskCompletion } from "../../../src/tools/index.js";
import {
  balanced,
  bookkeeper,
  look,
  newWorld,
  paragraphs,
  pay,
  recordedSession,
  rules,
  type Options,
  type World,
} from "./bookkeeper.js";

const [accounts, style, limits] = paragraphs;

/** Options that differ and change nothing in a replay. */
const harmless: Partial<Options> = { maxParallelReads: 2, earlyStart: false, maxAttempts: 7 };

test.each<[string, (world: World) => Partial<Options>, string]>([
  [
    "a word of a paragraph",
    () => ({ instructions: [accounts, style.replace("exact", "quick"), limits].join("\n\n") }),
    'the instructions, paragraph 3, under "Style"',
  ],
  ["a paragraph that is gone", () => ({ instructions: [style, limits].join("\n\n") }), "the instructions, paragraph 1"],
  [
    "a paragraph that is new",
    () => ({ instructions: [accounts, "Greet first.", style, limits].join("\n\n") }),
    "the instructions, paragraph 2",
  ],
  [
    "the description of a tool",
    (world) => ({ tools: [look(world, "Reads one file."), pay(world), taskCompletion(), giveUp()] }),
    "the tool look",
  ],
  [
    "the schema of a tool",
    (world) => ({ tools: [look(world), pay(world, 60), taskCompletion(), giveUp()] }),
    "the tool pay",
  ],
  [
    "a tool that is gone",
    (world) => ({ tools: [look(world), pay(world), taskCompletion()] }),
    "the tool give_up, which is gone",
  ],
  [
    "a tool that is new",
    (world) => ({
      tools: [look(world), pay(world), taskCompletion(), giveUp(), { ...look(world), name: "peek" }],
    }),
    "the tool peek, which is new",
  ],
  [
    "a check that is new",
    (world) => ({ checks: [balanced(world), balanced(world, "audited")] }),
    "the check audited, which is new",
  ],
  ["a check that is gone", () => ({ checks: [] }), "the check balanced, which is gone"],
  ["the permission", () => ({ permission: rules(10) }), "the option permission"],
  ["a limit", () => ({ limits: { maxIterations: 2, maxTokens: 1_000_000 } }), "the option limits.maxIterations"],
  ["a hook that stops the run", () => ({ hooks: [{ veto: () => "enough" }] }), "the option hooks"],
])("%s is named among harmless differences", async (_name, change, cause) => {
  const session = await recordedSession();
  const agent = createAgent(bookkeeper(newWorld()));
  const world = newWorld();
  const against = createAgent(bookkeeper(world, { ...harmless, ...change(world) }));
  const found = await bisectSession(session, { agent, against });
  expect(found.causes).toEqual([cause]);
  expect(found.others).toEqual(expect.arrayContaining(["the option earlyStart", "the option maxParallelReads"]));
  expect(found.untried).toEqual([]);
  expect(world).toMatchObject({ paid: [], looked: [] });
});

test("agents that go the same way have no departure", async () => {
  const session = await recordedSession();
  const agent = createAgent(bookkeeper(newWorld()));
  const against = createAgent(bookkeeper(newWorld(), harmless));
  expect(await bisectSession(session, { agent, against })).toMatchObject({ departure: undefined, causes: [] });
});

test("a difference that can't be made alone is told", async () => {
  const session = await recordedSession();
  const agent = createAgent(bookkeeper(newWorld()));
  const world = newWorld();
  const against = createAgent(
    bookkeeper(world, { tools: [look(world), pay(world), { ...taskCompletion(), name: "done" }] as Options["tools"] }),
  );
  const found = await bisectSession(session, { agent, against });
  expect(found.departure).toMatchObject({ at: "1/model:1" });
  expect(found.causes).toEqual([
    "the tool task_completion, which is gone",
    "the tool give_up, which is gone",
    "the tool done, which is new",
  ]);
});
