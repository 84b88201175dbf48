// The mapper: whichever events a page misses, its messages are those that the records alone tell.

import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent, tool } from "../../../src/index.js";
import { predicate } from "../../../src/checks/index.js";
import { hostInProcess } from "../../../src/host/index.js";
import { memoryStore } from "../../../src/memory/index.js";
import { steady } from "../../../src/model/index.js";
import { watchSession, type ChatUiMessage, type ChatVersion, type Frame } from "../../../src/server/index.js";
import { ChatMapper } from "../../../src/server/chat/chat-mapper.js";
import { chatMessages } from "../../../src/server/chat/chat-messages.js";
import { spokenTools } from "../../../src/server/chat/reply-parts.js";
import { call, scriptedModel, type Script } from "../../../src/testing/index.js";
import { handOver, inBackground } from "../../../src/tools/index.js";
import { messageOf, toolsOf } from "./served.js";

interface Scenario {
  readonly script: Script;
  readonly agent?: object;
  /** Aborts the run after so many pieces of text. */
  readonly abortAfter?: number;
  /** A part that has to come of it, so that the scenario is what it says. */
  readonly has: string;
  /** Words that have to be in the message. */
  readonly says?: string;
}

const done = { text: "So it is done.", calls: [call("task_completion", { result: "All is well." })], piece: 3 };
const look = (at: number) => call("look", { at });
const probe = tool({
  name: "probe",
  description: "Probes",
  effect: "none",
  input: z.object({}),
  run: () => new Promise<string>((resolve) => setTimeout(resolve, 15, "probed")),
});
const other = createAgent({
  model: scriptedModel([{ text: "I am the other.", ...{ calls: done.calls } }]),
  tools: toolsOf([]),
});

const scenarios: Readonly<Record<string, Scenario>> = {
  "words, calls side by side and a failure": {
    script: [{ text: "I look.", calls: [look(1), look(2)], piece: 2 }, [look(-1)], done],
    has: "data-circuit",
  },
  "a reply that broke off twice": {
    script: [
      { text: "Void words.", cut: "end", piece: 2 },
      { calls: [look(4)], cut: "end", piece: 2 },
      { text: "I look.", calls: [look(1)], piece: 2 },
      done,
    ],
    has: "dynamic-tool",
  },
  "calls that are broken, unknown or claims that conflict": {
    script: [
      [call("look", '{"at":'), call("lok", {})],
      [call("task_completion", { result: "One." }), call("task_completion", { result: "Two." })],
      "Words without a call.",
      done,
    ],
    has: "data-failure",
  },
  "a claim that a check refuses, beside a call": {
    script: [{ text: "Done?", calls: [look(1), call("task_completion", { result: "Surely." })], piece: 2 }, done],
    agent: { checks: [checkThatHolds(2)] },
    has: "data-receipts",
  },
  "work that ends in the background while a reply is written": {
    script: [[call("probe")], { text: "I wait for it with many words.", calls: [look(1)], piece: 2, pause: 3 }, done],
    agent: { tools: [...inBackground(probe), ...toolsOf([])] },
    has: "data-background",
  },
  "a run that is aborted in the middle of words": {
    script: [[look(1)], { text: "Words that nobody will read to their end.", piece: 2, pause: 2 }],
    abortAfter: 3,
    has: "data-outcome",
  },
  "an iteration whose time is up": {
    script: [
      { text: "Words that take too long for this iteration.", piece: 2, pause: 20 },
      { text: "Words that take too long again, too.", piece: 2, pause: 20 },
      done,
    ],
    agent: { limits: { iterationTimeout: 60 } },
    has: "data-expiry",
  },
  "a hand-over": {
    script: [{ text: "The other knows.", calls: [call("hand_over", { to: "other", message: "look" })], piece: 2 }],
    agent: { tools: [handOver({ other }), ...toolsOf([])] },
    has: "dynamic-tool",
    says: "I am the other.",
  },
  "a run that gave up at a limit": {
    script: () => ({ text: "Again.", calls: [look(1)], piece: 2 }),
    agent: { limits: { maxIterations: 3 } },
    has: "data-notice",
  },
};

function checkThatHolds(at: number) {
  let tries = -1;
  return predicate("holds", () => (tries += 1) >= at);
}

/** The frames of one run, as a page sees them. */
async function framesOf({ script, agent, abortAfter = Infinity }: Scenario): Promise<readonly Frame[]> {
  const model = steady(scriptedModel(script), { attempts: 4, firstDelay: 1 });
  const host = await hostInProcess({
    agents: { worker: createAgent({ model, tools: toolsOf([]), ...agent }) },
    store: memoryStore(),
  });
  const stop = new AbortController();
  const frames: Frame[] = [];
  let texts = 0;
  const reading = (async () => {
    for await (const frame of watchSession({ host, id: "s", signal: stop.signal })) {
      frames.push(frame);
      if ("event" in frame && frame.event.type === "text-delta" && (texts += 1) === abortAfter) void host.abort("s");
      if ("record" in frame && frame.record.type === "outcome") break;
    }
  })();
  await host.give({ session: "s", input: "go", inputId: "u1" });
  await reading;
  stop.abort();
  return frames;
}

/** The message that a page of the AI SDK makes of these frames. */
function shownOf(frames: readonly Frame[], version: ChatVersion): Promise<ChatUiMessage> {
  const mapper = new ChatMapper({ version, spoken: spokenTools, files: "/files/", toPage: true });
  const chunks = frames.flatMap((frame) => {
    const told = "record" in frame ? mapper.record(frame.record) : "event" in frame ? mapper.event(frame.event) : [];
    return told.flatMap((one) => (one.type === "chunk" ? [one.chunk] : []));
  });
  return messageOf(version, [{ type: "start", messageId: "reply:u1" }, ...chunks]);
}

/** Numbers from 0 to 1 that follow from a seed. */
function random(seed: number): () => number {
  let state = seed * 2_654_435_761 + 1;
  return () => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648;
}

describe.each(Object.entries(scenarios))("%s", (_name, scenario) => {
  test("are the same to a page that sees all, to one that misses events, and in the journal", async () => {
    const frames = await framesOf(scenario);
    const records = frames.flatMap((frame) => ("record" in frame ? [frame.record] : []));
    for (const version of [6, 7] as const) {
      const [user, reply] = chatMessages(records, { version, spoken: spokenTools, files: "/files/" });
      expect(user).toEqual({ id: "u1", role: "user", parts: [{ type: "text", text: "go" }] });
      expect(reply!.parts.map(({ type }) => type)).toContain(scenario.has);
      expect(JSON.stringify(reply)).toContain(scenario.says ?? "");
      // No words and no call is left unfinished.
      expect(JSON.stringify(reply)).not.toMatch(/"(?:streaming|input-streaming|input-available)"/);
      expect(await shownOf(frames, version)).toEqual(reply);
      expect(
        await shownOf(
          frames.filter((frame) => "record" in frame),
          version,
        ),
      ).toEqual(reply);
      for (let seed = 1; seed <= 25; seed += 1) {
        const next = random(seed);
        const share = next();
        const some = frames.filter((frame) => "record" in frame || next() < share);
        expect(await shownOf(some, version), `seed ${String(seed)}`).toEqual(reply);
      }
    }
  });
});

test("words that are retracted leave the page at once, before any record", async () => {
  const frames = await framesOf(scenarios["a reply that broke off twice"]!);
  const retracted = frames.findIndex((frame) => "event" in frame && frame.event.type === "reply-retracted");
  const wordsAt = async (count: number): Promise<string> => JSON.stringify(await shownOf(frames.slice(0, count), 7));
  expect(await wordsAt(retracted)).toContain("Void");
  expect(await wordsAt(retracted + 1)).not.toContain("Void");
});
