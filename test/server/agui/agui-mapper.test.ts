// The mapper alone: frames that were recorded, told again to clients that were cut off at any place.

import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent, tool, type JournalRecord } from "../../../src/index.js";
import { hostInProcess } from "../../../src/host/index.js";
import { memoryStore, openSession } from "../../../src/memory/index.js";
import { steady } from "../../../src/model/index.js";
import { aguiMapper, aguiMessages, watchSession, type AguiMessage, type Frame } from "../../../src/server/index.js";
import { call, scriptedModel, type Script } from "../../../src/testing/index.js";
import { taskCompletion } from "../../../src/tools/index.js";
import { applied } from "./agui-client.js";

const look = tool({
  name: "look",
  description: "Looks",
  effect: "read",
  input: z.object({ at: z.number() }),
  run: ({ at }) => `saw ${String(at)}`,
});

const script: Script = [
  { reasoning: "Which one? ", text: "I look.", calls: [call("look", { at: 1 }), call("look", { at: 2 })], piece: 3 },
  { reasoning: "No.", text: "This breaks", piece: 2, cut: "reset" },
  { text: "Words alone are no call.", piece: 5 },
  { text: "Then this.", calls: [call("look", { at: "?" })], piece: 4 },
  {
    text: "Done is wrong",
    calls: [call("task_completion", { result: "Too early." }), call("look", { at: "?" })],
    piece: 4,
  },
  { reasoning: "Yes.", calls: [call("task_completion", { result: "All is done." })], piece: 4 },
];

/** The frames of one run, with all their events. */
async function recorded(): Promise<{ readonly frames: readonly Frame[]; readonly records: readonly JournalRecord[] }> {
  const store = memoryStore();
  const model = steady(scriptedModel(script), { firstDelay: 0 });
  const host = await hostInProcess({
    agents: { worker: createAgent({ model, tools: [look, taskCompletion()] }) },
    store,
  });
  const stop = new AbortController();
  const frames: Frame[] = [];
  const watching = (async () => {
    for await (const frame of watchSession({ host, id: "t", signal: stop.signal })) {
      frames.push(frame);
      if ("record" in frame && frame.record.type === "outcome") break;
    }
  })();
  await new Promise((resolve) => setTimeout(resolve, 10));
  await (await host.give({ session: "t", input: "go", inputId: "u1" })).ended();
  await watching;
  await host.close();
  return { frames, records: (await openSession({ store, id: "t" }).toJSON()).records };
}

const user: AguiMessage = { id: "u1", role: "user", content: "go" };
const notReasoning = ({ role }: AguiMessage): boolean => role !== "reasoning";

function told(frames: readonly Frame[], messages: readonly AguiMessage[], history: readonly JournalRecord[] = []) {
  const mapper = aguiMapper({ threadId: "t", runId: "r", inputId: "u1", messages, history });
  return { events: [...mapper.start(), ...frames.flatMap((frame) => mapper.frame(frame))], mapper };
}

describe("a client that is cut off behind any frame and asks again", () => {
  test("has the messages of the journal in the end, over events and over records alone", async () => {
    const { frames, records } = await recorded();
    const right = aguiMessages("t", records);
    const whole = told(frames, [user]);
    expect(whole.mapper.isOver).toBe(true);
    const all = applied(whole.events, [user]);
    expect(all.filter(notReasoning)).toEqual(right);
    const onlyRecords = frames.filter((frame) => "record" in frame);
    expect(frames.length).toBeGreaterThan(2 * onlyRecords.length);
    for (let cut = 0; cut <= frames.length; cut += 1) {
      const seen = applied(told(frames.slice(0, cut), [user]).events, [user]);
      for (const again of [frames, onlyRecords]) {
        const messages = applied(told(again, seen).events, seen);
        expect(messages.filter(notReasoning), `cut at ${String(cut)}`).toEqual(right);
        if (again === frames)
          expect(messages.filter(({ role, content }) => role === "reasoning" && content !== "")).toEqual(
            all.filter(({ role, content }) => role === "reasoning" && content !== ""),
          );
      }
    }
  });

  test("has them as well if it comes in the middle of the journal, or with messages of another thread", async () => {
    const { frames, records } = await recorded();
    const right = aguiMessages("t", records);
    for (let from = 1; from < records.length; from += 1) {
      const rest = frames.slice(frames.findIndex((frame) => "record" in frame && frame.record.seq === from));
      const strange: readonly AguiMessage[] = [{ id: "x", role: "assistant", content: "From elsewhere." }];
      for (const messages of [[], strange, [user, ...strange]])
        expect(applied(told(rest, messages, records.slice(0, from)).events, messages).filter(notReasoning)).toEqual(
          right,
        );
    }
  });
});

test("every event stands between those that the protocol wants around it", async () => {
  const { frames } = await recorded();
  const { events } = told(frames, [user]);
  const open = new Set<string>();
  for (const event of events) {
    const id = "messageId" in event ? event.messageId : "toolCallId" in event ? event.toolCallId : "";
    const name = "stepName" in event ? event.stepName : id;
    const kind = event.type.replace(/_(?:START|STARTED|END|FINISHED|CONTENT|ARGS)$/, "");
    if (/_START(?:ED)?$/.test(event.type)) expect(open).not.toContain(`${kind} ${name}`);
    if (/_(?:CONTENT|ARGS|END)$/.test(event.type) || event.type === "STEP_FINISHED")
      expect(open).toContain(`${kind} ${name}`);
    if (/_START(?:ED)?$/.test(event.type)) open.add(`${kind} ${name}`);
    if (event.type.endsWith("_END") || event.type === "STEP_FINISHED") open.delete(`${kind} ${name}`);
    if (event.type === "MESSAGES_SNAPSHOT" || event.type === "RUN_FINISHED")
      expect([...open].filter((one) => !/^(?:RUN|STEP) /.test(one))).toEqual([]);
  }
  expect(events.at(-1)).toMatchObject({ type: "RUN_FINISHED" });
  expect([...open]).toEqual(["RUN "]);
});

test("a journal that is another one than the run began in ends the run with an error", () => {
  const { mapper } = told([], [user]);
  expect(mapper.frame({ cursor: "", reset: "The journal is another one." })).toMatchObject([
    { type: "RUN_ERROR", code: "reset" },
  ]);
  expect([mapper.isOver, mapper.frame({ cursor: "", reset: "again" }), mapper.fail("x", "y")]).toEqual([true, [], []]);
});

test("the run of an input is over at the end behind it, and not at one before", async () => {
  const { frames } = await recorded();
  const mapper = aguiMapper({ threadId: "t", runId: "r", inputId: "another" });
  const events = [...mapper.start(), ...frames.flatMap((frame) => mapper.frame(frame))];
  expect(mapper.isOver).toBe(false);
  expect(events.some(({ type }) => type === "RUN_FINISHED" || type === "RUN_ERROR")).toBe(false);
});
