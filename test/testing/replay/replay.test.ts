import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { createAgent, fourEyes, redactor, tool } from "../../../src/index.js";
import { openai } from "../../../src/model/index.js";
import {
  call,
  replaySession,
  replayLines,
  scriptedModel,
  scriptedProvider,
  type Replayed,
} from "../../../src/testing/index.js";
import { askQuestion, giveUp, taskCompletion } from "../../../src/tools/index.js";
import { fencePainter } from "../../e2e/fence.js";
import {
  balanced,
  bookkeeper,
  look,
  newWorld,
  paragraphs,
  pay,
  recordedSession,
  rules,
  script,
  type Options,
  type World,
} from "./bookkeeper.js";

/** The first departure in words: its place, its kind and its differences. */
function firstOf({ departures: [first] }: Replayed): readonly string[] {
  return first === undefined ? [] : [`${first.at} ${first.kind}`, ...first.differences.map(({ words }) => words)];
}

async function replayed(
  change: (world: World) => Partial<Options> = () => ({}),
  tools: "recorded" | "read" | "live" = "recorded",
): Promise<Replayed & { readonly world: World }> {
  const session = await recordedSession();
  const world = newWorld();
  const made = await replaySession(session, { agent: createAgent(bookkeeper(world, change(world))), tools });
  return { ...made, world };
}

test("an unchanged agent goes the same way, in another folder, and nothing runs", async () => {
  const { world, ...same } = await replayed();
  expect(same).toMatchObject({ identical: true, departures: [], unsaid: 0, remarks: [] });
  expect(same.end.is).toBe('completed by task_completion: {"result":"Paid."}');
  expect(same.end.was).toBe(same.end.is);
  expect(world).toMatchObject({ paid: [], looked: [], verified: 0 });
  expect(replayLines(same)).toEqual([
    "It goes the same way.",
    'ends as it did: completed by task_completion: {"result":"Paid."}',
  ]);
});

test("the session is left as it is, and each replay of it says the same", async () => {
  const session = await recordedSession();
  const before = JSON.stringify(session);
  const agent = createAgent(bookkeeper(newWorld(), { instructions: "Be quick." }));
  const first = await replaySession(session, { agent });
  const second = await replaySession(session, { agent });
  expect(JSON.stringify(session)).toBe(before);
  expect(second.departures).toEqual(first.departures);
});

test.each<[string, (world: World) => Partial<Options>, readonly string[]]>([
  [
    "a changed word of the instructions",
    () => ({ instructions: paragraphs.join("\n\n").replace("exact", "quick") }),
    ["1/model:1 request", 'system prompt paragraph 3, under "Style" was "Be exact." and is "Be quick."'],
  ],
  [
    "a tool that is gone",
    (world) => ({ tools: [look(world), taskCompletion(), giveUp()] }),
    ["1/model:1 request", expect.stringMatching(/^tool pay is gone: /) as string],
  ],
  [
    "a changed schema",
    (world) => ({ tools: [look(world), pay(world, 60), taskCompletion(), giveUp()] }),
    [
      "1/model:1 request",
      expect.stringMatching(/^tool pay was .*"maximum\\":1000.* and is .*"maximum\\":60/) as string,
    ],
  ],
  [
    "an added check",
    (world) => ({ checks: [balanced(world), balanced(world, "audited")] }),
    ["1/baseline check", expect.stringMatching(/^check audited is new/) as string],
  ],
  [
    "a check that is gone",
    () => ({ checks: [] }),
    ["1/baseline check", expect.stringMatching(/^check balanced is gone/) as string],
  ],
  [
    "a permission that refuses",
    () => ({ permission: rules(10) }),
    ["1/call:2:0 decision", 'decision was "allowed" and is "refused"', 'decision reason is new: "too much"'],
  ],
  [
    "a permission that asks a person",
    () => ({ permission: () => true }),
    ["1/call:2:0 decision", 'decision asked was "by the rules" and is "by a person"'],
  ],
  [
    "an option that ends the run",
    () => ({ limits: { maxIterations: 2 } }),
    ["1/model:3 request", expect.stringMatching(/^message user is new: "The run has to end/) as string],
  ],
])("%s is named at its first departure", async (_name, change, words) => {
  const made = await replayed(change);
  expect(firstOf(made)).toEqual(words);
  expect(made.world).toMatchObject({ paid: [], looked: [], verified: 0 });
});

test("a run that ends sooner departs at its end, and not at the calls that are missing", async () => {
  const made = await replayed(() => ({
    hooks: [{ veto: ({ iteration }) => (iteration === 2 ? "enough" : undefined) }],
  }));
  expect(firstOf(made)).toEqual([
    "1/end end",
    expect.stringMatching(/^end was "completed by task_completion.* and is "stopped veto"$/),
  ]);
  expect(made).toMatchObject({ unsaid: 2, departures: [{ follows: [] }] });
});

test("what follows from a departure is folded under it", async () => {
  const { departures, end } = await replayed((world) => ({
    permission: rules(10),
    tools: [look(world), pay(world), taskCompletion(), giveUp()],
  }));
  expect(departures).toHaveLength(1);
  expect(departures[0]?.follows).toEqual(["1/model:3", "1/model:4"]);
  expect(end.is).toBe(end.was);
});

test("two causes are two departures", async () => {
  const { departures } = await replayed(() => ({
    permission: rules(10),
    instructions: paragraphs.join("\n\n").replace("exact", "quick"),
  }));
  expect(departures.map(({ at, kind }) => `${at} ${kind}`)).toEqual(["1/model:1 request", "1/call:2:0 decision"]);
  expect(departures[0]?.follows).toEqual(["1/model:2", "1/model:3", "1/model:4"]);
});

test("calls that read run again, and a changed file is named", async () => {
  const { departures, world } = await replayed((own) => {
    writeFileSync(join(own.folder, "bill.txt"), "Rent: 70 cents");
    return {};
  }, "read");
  expect(world).toMatchObject({ paid: [], looked: ["bill.txt", "receipt.txt"] });
  expect(departures.map(({ at }) => at)).toContain("1/call:1:0");
  const [first] = departures;
  expect(first?.differences.map(({ words }) => words)).toEqual([
    'result text was "Rent: 50 cents" and is "Rent: 70 cents"',
  ]);
});

test("live, all calls and checks run", async () => {
  const { world, departures } = await replayed((own) => ({ checks: [balanced(own, "balanced", false)] }), "live");
  expect(world).toMatchObject({ paid: [50], looked: ["bill.txt", "receipt.txt"] });
  expect(world.verified).toBeGreaterThan(0);
  expect(departures[0]).toMatchObject({ at: "1/baseline", kind: "check" });
});

test("a failed claim asks for more than the recording has", async () => {
  const session = await recordedSession();
  const world = newWorld();
  const agent = createAgent(bookkeeper(world, { checks: [balanced(world, "balanced", false)] }));
  const { end, unsaid } = await replaySession(session, { agent, tools: "live" });
  expect(end.is).toBe("goes on with 1/model:5, which the recording does not have");
  expect(unsaid).toBe(0);
});

test("an agent that ends sooner leaves replies unsaid", async () => {
  const { end, unsaid, departures } = await replayed(() => ({ hooks: [{ veto: () => "enough" }] }));
  expect(departures).toMatchObject([{ at: "1/end", kind: "end", follows: [] }]);
  expect(end.is).toMatch(/^stopped veto/);
  expect(unsaid).toBe(3);
});

test("no request reaches the provider", async () => {
  await using provider = await scriptedProvider(script);
  const model = openai({ baseURL: provider.url, model: "m", apiKey: "none" });
  const world = newWorld();
  const { session } = await createAgent(bookkeeper(world, {}, model)).run("Pay the bill");
  const asked = provider.requests.length;
  expect(asked).toBe(4);
  const made = await replaySession(session, { agent: createAgent(bookkeeper(world, {}, model)), tools: "live" });
  expect(made.departures).toEqual([]);
  expect(provider.requests).toHaveLength(asked);
});

test("the paths of the folder, then and now, are not compared if they are named", async () => {
  const where = ({ folder }: World, cwd = folder): Partial<Options> => ({ instructions: `Work in ${cwd}/.` });
  const then = newWorld();
  const session = await recordedSession(where(then));
  const now = newWorld();
  const agent = createAgent(bookkeeper(now, where(now)));
  expect(await replaySession(session, { agent })).toMatchObject({ identical: false });
  const folders = [then.folder, now.folder];
  expect(await replaySession(session, { agent, folders })).toMatchObject({ identical: true });
  const other = createAgent(bookkeeper(now, where(now, `${now.folder}2`)));
  expect(await replaySession(session, { agent: other, folders })).toMatchObject({ identical: false });
});

test("another model is told, and is no departure", async () => {
  const session = await recordedSession();
  const model = { ...scriptedModel([]), name: "other" };
  const made = await replaySession(session, { agent: createAgent(bookkeeper(newWorld(), {}, model)) });
  expect(made).toMatchObject({
    identical: true,
    remarks: ["The model was scripted and is other: a replay asks neither."],
  });
});

test("answers and approvals come from the session, and nobody is asked", async () => {
  let asked = 0;
  const options = (script?: Parameters<typeof scriptedModel>[0]): Options => ({
    ...bookkeeper(newWorld(), {}, script && scriptedModel(script)),
    tools: [...bookkeeper(newWorld()).tools, askQuestion()],
    permission: (() => {
      asked += 1;
      return { later: true, reason: "the boss decides" };
    }) as never,
  });
  const agent = createAgent(
    options([
      [call("ask_question", { question: "Which bill?" })],
      [call("pay", { cents: 50 })],
      [call("task_completion", { result: "Paid." })],
    ]),
  );
  const first = await agent.run("Pay");
  const second = await agent.run("The rent", { session: first.session });
  expect(second.status).toBe("waiting");
  const third = await agent.run({ allowed: true }, { session: second.session });
  expect(third.status).toBe("completed");
  const before = asked;
  const made = await replaySession(third.session, { agent: createAgent(options()) });
  expect(made).toMatchObject({ identical: true, departures: [] });
  expect(asked).toBe(before);
});

test.each([
  [true, 'completed by task_completion: {"result":"Painted."}'],
  [false, "stopped max_iterations"],
])("the answer %s to a run at its limit comes from the session, and another limit departs", async (allowed, end) => {
  let signed = 0;
  // The rule needs to know who asked and who answered, and a replay signs nothing.
  const sign = { key: "k", sign: () => Promise.resolve(new Uint8Array([(signed += 1)])) };
  const approvals = { mayApprove: fourEyes, sign };
  const { agent } = fencePainter(approvals);
  const asked = await agent.run("Paint", { by: { id: "ann" } });
  if (asked.status !== "waiting") throw new Error(asked.status);
  const given = { session: asked.session, answers: asked.id, by: { id: "ben" } };
  const answered = await agent.run({ allowed }, given);
  const same = await replaySession(answered.session, { agent: fencePainter(approvals).agent });
  expect(signed).toBe(1);
  expect(same).toMatchObject({ identical: true, remarks: [], unsaid: 0, end: { was: end, is: end } });
  const model = scriptedModel([]);
  const paint = tool({ name: "paint", description: "Paints a plank.", input: { type: "object" }, run: () => "" });
  const other = createAgent({ model, tools: [paint, taskCompletion()], limits: { maxIterations: 3 } });
  expect(await replaySession(answered.session, { agent: other })).toMatchObject({ identical: false });
});

test("a run that was aborted ends where it did, and the next run follows", async () => {
  const stop = new AbortController();
  const world = newWorld();
  const model = scriptedModel([
    [call("look", { path: "bill.txt" })],
    () => {
      stop.abort();
      return "late";
    },
    [call("task_completion", { result: "Done." })],
  ]);
  const agent = createAgent(bookkeeper(world, {}, model));
  const first = await agent.run("Pay", { signal: stop.signal });
  expect(first.status).toBe("aborted");
  const second = await agent.run("Go on", { session: first.session });
  expect(second.status).toBe("completed");
  const made = await replaySession(second.session, { agent: createAgent(bookkeeper(newWorld())) });
  expect(made).toMatchObject({
    identical: true,
    departures: [],
    end: { is: 'completed by task_completion: {"result":"Done."}' },
  });
});

test("mistakes of the model are replayed with their failures and hints", async () => {
  const session = await recordedSession({}, [
    [call("look", { file: "bill.txt" })],
    [call("lock", { path: "bill.txt" })],
    "I am done.",
    [call("look", { path: "none" }), call("task_completion", { result: "Paid." })],
    [call("look", { path: "none" })],
    [call("task_completion", { result: "Paid." })],
  ]);
  expect(await replaySession(session, { agent: createAgent(bookkeeper(newWorld())) })).toMatchObject({
    identical: true,
    departures: [],
  });
});

test("a planted key of a live file is in no part of the report", async () => {
  const key = `sk-proj-${"a1B2c3D4".repeat(6)}`;
  expect(redactor().text(key)).not.toContain(key);
  const made = await replayed((own) => {
    writeFileSync(join(own.folder, "bill.txt"), `The key: ${key}`);
    return { instructions: `Use ${key}` };
  }, "read");
  expect(made.departures.length).toBeGreaterThan(1);
  const { world: _world, ...told } = made;
  expect(JSON.stringify(told)).not.toContain(key);
  expect(replayLines(told).join()).not.toContain(key);
});

test("a shorter clip is named at the result that it cuts", async () => {
  const long = tool({
    name: "long",
    description: "Long.",
    effect: "read",
    input: z.object({}),
    run: () => "x ".repeat(500),
  });
  const said = [[call("long")], [call("task_completion", { result: "Read." })]];
  const tools = [long, taskCompletion()];
  const session = await recordedSession({ tools }, said);
  const made = await replaySession(session, { agent: createAgent(bookkeeper(newWorld(), { tools, clip: 300 })) });
  expect(firstOf(made)).toEqual(["1/call:1:0 result", expect.stringMatching(/^result shown is new: "x x/)]);
  expect(made.departures).toMatchObject([{ follows: ["1/model:2"] }]);
});

test.each([
  [
    "an empty session",
    { version: 1, id: "s", records: [] },
    "it has no run, or an older version wrote it; replay one that",
  ],
  ["no session", "s", "The session is no session but a text"],
])("%s is refused", async (_name, session, message) => {
  const agent = createAgent(bookkeeper(newWorld()));
  await expect(replaySession(session as never, { agent })).rejects.toThrow(message);
});

test("an agent that createAgent did not make is refused", async () => {
  const session = await recordedSession();
  const { run, stream, resume, waiting } = createAgent(bookkeeper(newWorld()));
  await expect(replaySession(session, { agent: { run, stream, resume, waiting } })).rejects.toThrow(
    "none that createAgent made",
  );
});
