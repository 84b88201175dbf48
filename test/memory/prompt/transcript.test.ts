import { describe, expect, it } from "vitest";
import type { JournalRecord, Memory, Message } from "../../../src/core/index.js";
import { describeFailure, type RecordBody } from "../../../src/core/internal.js";
import { transcript } from "../../../src/memory/index.js";
import { drain } from "../../core/drain.js";
import { failed, input, iteration, journal, reply, result } from "../../core/journal.js";
import { recalling } from "../recalling.js";

const form = failed("invalid_arguments");
const fact = failed("tool_error");

/** A text where a call was due. */
function mistake(number: number, text: string): readonly RecordBody[] {
  const failure = failed("no_tool_call", text);
  return [reply(number, [], text), { type: "error-context", failure }, iteration(number, [failure], true)];
}

function success(number: number, callId: string): readonly RecordBody[] {
  return [reply(number, [callId]), result(callId), iteration(number)];
}

interface Recalled {
  readonly messages: readonly Message[];
  /** Why the prompt was rewritten, for each time it was. */
  readonly rewrites: readonly string[];
}

/** A transcript that takes bodies and is recalled as the loop does: a copy is kept of what it returned. */
function open(bodies: readonly RecordBody[] = []): {
  readonly memory: Memory;
  add(...more: readonly RecordBody[]): void;
  recall(): Promise<Recalled>;
} {
  const memory = transcript({ version: 1, id: "s", records: journal(bodies) });
  return {
    memory,
    add: (...more) => {
      for (const record of journal(more, memory.records.length)) void memory.append(record);
    },
    recall: async () => {
      const { events, value } = await drain(memory.recall(recalling(memory)));
      return { messages: [...value], rewrites: events.map(({ reason }) => reason) };
    },
  };
}

/** The messages in short: `user: words`, `assistant: a b`, `tool a: words`. */
function inShort(messages: readonly Message[]): readonly string[] {
  return messages.map((message) => {
    if (message.role === "user") return `user: ${message.text}`;
    if (message.role === "tool") return `tool ${message.callId}: ${message.text}`;
    return `assistant: ${[message.reply.text, ...message.reply.calls.map(({ id }) => id)].filter((part) => part !== "").join(" ")}`;
  });
}

async function shown(...bodies: readonly RecordBody[]): Promise<readonly string[]> {
  return inShort((await open(bodies).recall()).messages);
}

/** The calls that do not have exactly one result between their reply and the next message that is no result. */
function unpaired(messages: readonly Message[]): readonly string[] {
  return messages.flatMap((message, index) => {
    if (message.role !== "assistant") return [];
    const rest = messages.slice(index + 1);
    const end = rest.findIndex(({ role }) => role !== "tool");
    const answers = rest.slice(0, end < 0 ? rest.length : end);
    const ids = message.reply.calls.map(({ id }) => id);
    return ids.filter((id) => answers.filter((answer) => answer.role === "tool" && answer.callId === id).length !== 1);
  });
}

describe("the prompt of a transcript", () => {
  it("says of each result whether its call succeeded", async () => {
    const bodies = [input(1, "Do it."), reply(1, ["a", "b"]), result("a"), result("b", fact)];
    const { messages } = await open(bodies).recall();
    expect(messages.flatMap((message) => (message.role === "tool" ? [[message.callId, message.ok]] : []))).toEqual([
      ["a", true],
      ["b", false],
    ]);
  });

  it("has the user's words, the replies and the results, in the order of the journal", async () => {
    expect(await shown(input(1, "Do it."), reply(1, ["a", "b"], "Now."), result("a"), result("b", fact))).toEqual([
      "user: Do it.",
      "assistant: Now. a b",
      "tool a: result of a",
      "tool b: failure of b",
    ]);
  });

  it("shows a notice as words of the user after the results, and keeps it over a streak that follows", async () => {
    const nudge: RecordBody = { type: "notice", about: "stall", text: "You have done that." };
    const nudged = [input(1, "x"), ...success(1, "a"), nudge];
    const seen = ["user: x", "assistant: a", "tool a: result of a", "user: You have done that."];
    expect(await shown(...nudged)).toEqual(seen);
    expect((await shown(...nudged, ...mistake(2, "Hm."), ...success(3, "b"))).slice(0, 5)).toEqual([
      ...seen,
      "assistant: b",
    ]);
  });

  it.each<[string, RecordBody]>([
    ["the baseline", { type: "notice", about: "baseline", text: "Read this." }],
    ["a check", { type: "notice", about: "check", text: "Read this." }],
    ["a limit", { type: "notice", about: "limit", reason: "timeout", text: "Read this." }],
    ["the end", { type: "notice", about: "closing", reason: "timeout", message: "for people", text: "Read this." }],
  ])("shows a notice about %s as words of the user, with what the model is to read alone", async (_what, notice) => {
    expect(await shown(input(1, "x"), ...success(1, "a"), notice)).toEqual([
      "user: x",
      "assistant: a",
      "tool a: result of a",
      "user: Read this.",
    ]);
  });

  it("shows nothing of decisions, intents, checks, baselines, what was spent, expiries and outcomes", async () => {
    const quiet: readonly RecordBody[] = [
      { type: "decision", callId: "a", allowed: true, reason: "yes" },
      { type: "intent", callId: "a" },
      { type: "check", when: "claim", callId: "a", check: "t", passed: true, output: "ok", digest: "d", duration: 1 },
      { type: "baseline", begun: { t: "then" } },
      { type: "spend", spent: { iterations: 1, tokens: 7, cost: 0 } },
      { type: "expiry", message: "the time is up", elapsed: 9 },
    ];
    const with_ = await shown(input(1, "x"), reply(1, ["a"]), ...quiet, result("a"), {
      type: "outcome",
      status: "aborted",
    });
    expect(with_).toEqual(await shown(input(1, "x"), reply(1, ["a"]), result("a")));
  });

  it("gives an accepted claim a result, and leaves one that waits without until it is answered", async () => {
    const claim = (ending: "completed" | "stopped" | "waiting"): RecordBody => ({
      type: "claim",
      callId: "a",
      by: "tool-a",
      ending,
      value: "v",
      receipts: [],
    });
    const started = [input(1, "x"), reply(1, ["a"])];
    expect((await shown(...started, claim("completed"))).at(-1)).toBe("tool a: Accepted.");
    expect((await shown(...started, claim("stopped"))).at(-1)).toBe("tool a: Accepted.");
    expect((await shown(...started, claim("waiting"))).at(-1)).toBe("assistant: a");
    expect(await shown(...started, claim("waiting"), iteration(1), input(2, "My answer.", "a"))).toEqual([
      "user: x",
      "assistant: a",
      "tool a: My answer.",
    ]);
  });

  it("pairs every call with exactly one result at every recall of a long session", async () => {
    const { add, recall } = open();
    const claim: RecordBody = { type: "claim", callId: "q", by: "tool-q", ending: "waiting", value: "?", receipts: [] };
    const iterations: readonly (readonly RecordBody[])[] = [
      [input(1, "x")],
      success(1, "a"),
      mistake(2, "Hm."),
      [reply(3, ["b", "c"]), result("b", form), result("c", form), iteration(3, [form, form], true)],
      [reply(4, ["d", "e"]), result("d", form), result("e"), iteration(4, [form])],
      mistake(5, "Well."),
      [reply(6, ["q"]), claim, iteration(6), { type: "outcome", status: "waiting" }, input(2, "Yes.", "q")],
      success(1, "f"),
      [reply(2, ["g"]), result("g", form), iteration(2, [form], true)],
      [input(3, "y")],
    ];
    for (const bodies of iterations) {
      add(...bodies);
      expect(unpaired((await recall()).messages)).toEqual([]);
    }
    expect(inShort((await recall()).messages)).toEqual([
      "user: x",
      "assistant: a",
      "tool a: result of a",
      "assistant: d e",
      "tool d: failure of d",
      "tool e: result of e",
      "assistant: q",
      "tool q: Yes.",
      "assistant: f",
      "tool f: result of f",
      "user: y",
    ]);
  });
});

describe("a failed streak", () => {
  const streak = [...mistake(1, "One."), reply(2, ["a"]), result("a", form), iteration(2, [form], true)];

  it("is shown whole and in order while it lasts", async () => {
    expect(await shown(input(1, "x"), ...streak)).toEqual([
      "user: x",
      "assistant: One.",
      `user: ${describeFailure(failed("no_tool_call", "One."))}`,
      "assistant: a",
      "tool a: failure of a",
    ]);
  });

  it("is gone once the model recovered, and what recovered stays", async () => {
    expect(await shown(input(1, "x"), ...streak, ...success(3, "b"))).toEqual([
      "user: x",
      "assistant: b",
      "tool b: result of b",
    ]);
  });

  it("ends with a fact about the world too, which stays", async () => {
    expect(await shown(input(1, "x"), ...streak, reply(3, ["b"]), result("b", fact), iteration(3, [fact]))).toEqual([
      "user: x",
      "assistant: b",
      "tool b: failure of b",
    ]);
  });

  it("leaves earlier iterations and later streaks alone", async () => {
    const messages = await shown(
      input(1, "x"),
      ...success(1, "a"),
      ...mistake(2, "Hm."),
      ...success(3, "b"),
      ...mistake(4, "Oh."),
    );
    expect(messages).toEqual([
      "user: x",
      "assistant: a",
      "tool a: result of a",
      "assistant: b",
      "tool b: result of b",
      "assistant: Oh.",
      `user: ${describeFailure(failed("no_tool_call", "Oh."))}`,
    ]);
  });

  it("is dropped by a new input", async () => {
    expect(await shown(input(1, "x"), ...streak, { type: "outcome", status: "stopped" }, input(2, "y"))).toEqual([
      "user: x",
      "user: y",
    ]);
  });

  it("leaves the notices that came in it where they are, when it is forgotten by a success or by an input", async () => {
    const warning: RecordBody = { type: "notice", about: "limit", reason: "max_iterations", text: "Half is used up." };
    const last: RecordBody = { type: "notice", about: "limit", reason: "timeout", text: "Most is used up." };
    const noticed = [input(1, "x"), ...mistake(1, "One."), warning, ...mistake(2, "Two."), last];
    const kept = ["user: x", "user: Half is used up.", "user: Most is used up."];
    expect(await shown(...noticed)).toHaveLength(7);
    expect(await shown(...noticed, ...success(3, "b"))).toEqual([...kept, "assistant: b", "tool b: result of b"]);
    expect(await shown(...noticed, { type: "outcome", status: "stopped" }, input(2, "y"))).toEqual([
      ...kept,
      "user: y",
    ]);
  });

  it("keeps the identity of a notice that stays, and says that the prompt was rewritten around it", async () => {
    const warning: RecordBody = { type: "notice", about: "limit", reason: "timeout", text: "Half is used up." };
    const { add, recall } = open([input(1, "x"), ...mistake(1, "One."), warning]);
    const { messages: before } = await recall();
    add(...success(2, "a"));
    const { messages, rewrites } = await recall();
    expect(rewrites).toEqual(["recovered"]);
    expect(messages[1]).toBe(before[3]);
    add(...mistake(3, "Oh."), ...success(4, "b"));
    expect((await recall()).messages.slice(0, 2)).toEqual([before[0], before[3]]);
  });

  it("stays in the records", () => {
    const { memory } = open([input(1, "x"), ...streak, ...success(3, "b"), input(2, "y")]);
    expect(memory.records).toHaveLength(1 + streak.length + 3 + 1);
    expect(memory.records.map(({ seq }) => seq)).toEqual(memory.records.map((_record, index) => index));
  });
});

describe("a prompt-rewrite", () => {
  it("is not yielded while the prompt only grows", async () => {
    const { add, recall } = open();
    for (const bodies of [[input(1, "x")], success(1, "a"), mistake(2, "Hm."), mistake(3, "Hm."), []]) {
      add(...bodies);
      expect((await recall()).rewrites).toEqual([]);
    }
  });

  it("is yielded once, at the recall after the model recovered", async () => {
    const { add, recall } = open([input(1, "x")]);
    await recall();
    add(...mistake(1, "Hm."));
    expect((await recall()).rewrites).toEqual([]);
    add(...success(2, "a"));
    expect((await recall()).rewrites).toEqual(["recovered"]);
    expect((await recall()).rewrites).toEqual([]);
    add(...success(3, "b"));
    expect((await recall()).rewrites).toEqual([]);
  });

  it("is yielded once where a new input dropped a streak that had been shown, also by a transcript opened anew", async () => {
    const { add, memory, recall } = open([input(1, "x")]);
    add(...mistake(1, "Hm."));
    await recall();
    add(...mistake(2, "Hm."), { type: "outcome", status: "stopped" });
    const reopened = transcript({ version: 1, id: "s", records: memory.records });
    for (const again of [memory, reopened]) {
      for (const record of journal([input(2, "y")], again.records.length)) void again.append(record);
      const first = await drain(again.recall(recalling(again)));
      expect(first.events).toEqual([{ type: "prompt-rewrite", reason: "input" }]);
      expect((await drain(again.recall(recalling(again)))).events).toEqual([]);
    }
  });

  it("is yielded wherever what was returned before is not the beginning of what is returned now", async () => {
    const { add, recall } = open([input(1, "x")]);
    let before: readonly Message[] = [];
    const iterations = [
      mistake(1, "A."),
      success(2, "a"),
      success(3, "b"),
      mistake(4, "B."),
      mistake(5, "C."),
      success(6, "c"),
      success(7, "d"),
    ];
    for (const bodies of iterations) {
      const { messages, rewrites } = await recall();
      const isExtension = before.every((message, index) => messages[index] === message);
      expect(rewrites.length > 0).toBe(!isExtension);
      before = messages;
      add(...bodies);
    }
  });

  it("is yielded by a transcript that was just opened where no prompt has shown it yet, and only there", async () => {
    const recovered = [input(1, "x"), ...mistake(1, "Hm."), ...success(2, "a")];
    expect((await open(recovered).recall()).rewrites).toEqual(["recovered"]);
    expect((await open([...recovered, ...success(3, "b")]).recall()).rewrites).toEqual([]);
  });
});

describe("a transcript", () => {
  it("does not change the session it is given", () => {
    const records: readonly JournalRecord[] = Object.freeze([...journal([input(1, "x"), ...mistake(1, "Hm.")])]);
    const copy = structuredClone(records);
    const memory = transcript({ version: 1, id: "s", records });
    for (const record of journal([...success(2, "a"), input(2, "y")], records.length)) void memory.append(record);
    expect(records).toEqual(copy);
    expect(memory.records).toHaveLength(8);
  });

  it("keeps every record before append returns", () => {
    const { memory } = open();
    const [record] = journal([input(1, "x")]);
    const kept = memory.append(record!);
    expect(kept).toBeUndefined();
    expect(memory.records).toEqual([record]);
  });

  it("returns the same messages, not equal ones, as long as they stand", async () => {
    const { add, recall } = open([input(1, "x"), ...success(1, "a")]);
    const before = (await recall()).messages;
    add(...mistake(2, "Hm."));
    const during = (await recall()).messages;
    add(...success(3, "b"));
    const after = (await recall()).messages;
    before.forEach((message, index) => {
      expect(during[index]).toBe(message);
      expect(after[index]).toBe(message);
    });
  });

  it("recalls the same from a session as from the appends that made it", async () => {
    const bodies = [input(1, "x"), ...mistake(1, "Hm."), ...success(2, "a"), ...mistake(3, "Oh.")];
    const grown = open();
    grown.add(...bodies);
    expect((await open(bodies).recall()).messages).toEqual((await grown.recall()).messages);
  });
});
