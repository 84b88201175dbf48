import { describe, expect, it } from "vitest";
import { noUsage, type ClaimRecord, type RecordBody, type Usage } from "../../src/core/index.js";
import { emptyState, fold, isEphemeral, pendingCall, step, type State } from "../../src/core/state.js";
import { failed, input, iteration, journal, reply, replyOf, result } from "./journal.js";

function after(...bodies: readonly RecordBody[]): State {
  return fold(journal(bodies));
}

function claim(callId: string, ending: ClaimRecord["ending"]): RecordBody {
  return { type: "claim", callId, by: `tool-${callId}`, ending, value: "v", receipts: [] };
}

function check(callId: string, passed: boolean): RecordBody {
  return { type: "check", callId, check: "npm test", passed, output: "said", digest: "d", duration: 7 };
}

const form = failed("invalid_arguments");
const fact = failed("tool_error");

const wholeSession: readonly RecordBody[] = [
  input(1, "Do it."),
  { type: "reply", iteration: 1, reply: replyOf([], { text: "I think." }) },
  { type: "error-context", failure: failed("no_tool_call") },
  iteration(1, [failed("no_tool_call")], true),
  reply(2, ["a", "b"]),
  { type: "decision", callId: "a", allowed: true, reason: "yes" },
  { type: "intent", callId: "a" },
  result("a"),
  result("b", fact),
  iteration(2, [fact]),
  reply(3, ["c"]),
  check("c", false),
  result("c", failed("check_failed")),
  iteration(3, [failed("check_failed")]),
  { type: "nudge", text: "Again." },
  reply(4, ["d"]),
  check("d", true),
  claim("d", "waiting"),
  iteration(4),
  { type: "outcome", status: "waiting" },
  input(2, "My answer.", "d"),
  reply(1, ["e"]),
  claim("e", "completed"),
  iteration(1),
  { type: "outcome", status: "completed" },
];

describe("fold and step", () => {
  it("agree at every place of a journal: folding all is stepping one by one", () => {
    const records = journal(wholeSession);
    let stepped = emptyState;
    records.forEach((record, index) => {
      stepped = step(stepped, record);
      expect(stepped).toEqual(fold(records.slice(0, index + 1)));
    });
    expect(stepped.seq).toBe(records.length);
  });

  it("change neither the state nor the records they are given", () => {
    const records = journal(wholeSession);
    const copy = structuredClone(records);
    const before = fold(records.slice(0, 8));
    const kept = structuredClone(before);
    step(before, records[8]!);
    fold(records);
    expect(before).toEqual(kept);
    expect(records).toEqual(copy);
  });

  it("make a state of plain data, the same after a round trip through JSON", () => {
    const records = journal(wholeSession);
    const revived = JSON.parse(JSON.stringify(records)) as typeof records;
    expect(fold(revived)).toEqual(fold(records));
  });

  it("start with nothing", () => {
    expect(fold([])).toBe(emptyState);
  });
});

describe("an input", () => {
  it("starts its run afresh: iterations, usage, circuit, attempts, text and failures", () => {
    const state = after(...wholeSession.slice(0, 14), input(2, "More."));
    expect(state).toEqual({ ...emptyState, seq: 15, run: 2 });
  });
});

describe("usage", () => {
  it("is the sum over the replies of the run", () => {
    const usage = (n: number): Usage => ({
      inputTokens: 100 * n,
      cachedInputTokens: 10 * n,
      outputTokens: 5 * n,
      reasoningTokens: n,
    });
    const spent = (number: number, n: number): RecordBody => ({
      type: "reply",
      iteration: number,
      reply: replyOf(["a"], { usage: usage(n) }),
    });
    const state = after(input(1, "x"), spent(1, 1), result("a"), iteration(1), spent(2, 2));
    expect(state.usage).toEqual(usage(3));
    expect(after(input(1, "x"), spent(1, 1), input(2, "y")).usage).toEqual(noUsage);
  });
});

describe("text", () => {
  it("is the last words the model said, over replies that say nothing", () => {
    const state = after(
      input(1, "x"),
      reply(1, ["a"], "First."),
      iteration(1),
      reply(2, ["b"], "Then."),
      reply(3, ["c"]),
    );
    expect(state.text).toBe("Then.");
  });
});

describe("unanswered", () => {
  it("holds the calls of the last reply, in order, until each has its result or was accepted", () => {
    const open = [input(1, "x"), reply(1, ["a", "b", "c"])];
    expect(after(...open).unanswered.map(({ callId }) => callId)).toEqual(["a", "b", "c"]);
    expect(after(...open, result("b")).unanswered.map(({ callId }) => callId)).toEqual(["a", "c"]);
    expect(after(...open, result("b"), result("a", fact), claim("c", "completed")).unanswered).toEqual([]);
  });

  it("says which call was about to change something", () => {
    const state = after(input(1, "x"), reply(1, ["a", "b"]), { type: "intent", callId: "b" });
    expect(state.unanswered).toMatchObject([
      { callId: "a", name: "tool-a", intended: false },
      { callId: "b", name: "tool-b", intended: true },
    ]);
  });
});

describe("open", () => {
  it("is true between a reply and the end of its iteration", () => {
    expect(after(input(1, "x")).open).toBe(false);
    expect(after(input(1, "x"), reply(1, ["a"])).open).toBe(true);
    expect(after(input(1, "x"), reply(1, ["a"]), result("a")).open).toBe(true);
    expect(after(input(1, "x"), reply(1, ["a"]), result("a"), iteration(1)).open).toBe(false);
  });
});

describe("the pending call", () => {
  it("is the accepted claim that awaits a reply, also after the run ended, until the next input", () => {
    const waits = [input(1, "x"), reply(1, ["q"]), claim("q", "waiting"), iteration(1)];
    expect(pendingCall(after(...waits))).toBe("q");
    expect(pendingCall(after(...waits, { type: "outcome", status: "waiting" }))).toBe("q");
    expect(pendingCall(after(...waits, { type: "outcome", status: "waiting" }, input(2, "y", "q")))).toBeUndefined();
  });

  it("is none for a claim that completes or gives up, and none without a claim", () => {
    for (const ending of ["completed", "stopped"] as const) {
      expect(pendingCall(after(input(1, "x"), reply(1, ["q"]), claim("q", ending)))).toBeUndefined();
    }
    expect(pendingCall(after(input(1, "x"), reply(1, ["q"]), result("q", fact)))).toBeUndefined();
  });
});

describe("an iteration is ephemeral", () => {
  const open = [input(1, "x"), reply(1, ["a", "b"])];

  it("where nothing but mistakes of form is in it", () => {
    expect(isEphemeral(after(...open, result("a", form), result("b", failed("unknown_tool"))))).toBe(true);
    expect(
      isEphemeral(after(input(1, "x"), reply(1, []), { type: "error-context", failure: failed("no_tool_call") })),
    ).toBe(true);
  });

  it("where a claim was refused for a sibling's mistake of form", () => {
    expect(isEphemeral(after(...open, result("a", form), result("b", failed("claim_refused"))))).toBe(true);
  });

  it("not where a call succeeded beside the mistake", () => {
    expect(isEphemeral(after(...open, result("a"), result("b", form)))).toBe(false);
    expect(isEphemeral(after(...open, result("a", form), result("b")))).toBe(false);
  });

  it("not where a call was about to change something", () => {
    expect(isEphemeral(after(...open, result("a", form), { type: "intent", callId: "b" }))).toBe(false);
  });

  it.each(["denied", "tool_error", "tool_timeout", "check_failed", "interrupted"] as const)(
    "not where a fact of kind %s is in it, before or after the mistake",
    (kind) => {
      expect(isEphemeral(after(...open, result("a", failed(kind)), result("b", form)))).toBe(false);
      expect(isEphemeral(after(...open, result("a", form), result("b", failed(kind))))).toBe(false);
    },
  );

  it("not where nothing failed", () => {
    expect(isEphemeral(after(...open, result("a"), result("b")))).toBe(false);
  });

  it("by itself: the iteration before does not count", () => {
    const state = after(
      ...open,
      result("a"),
      result("b", fact),
      iteration(1, [fact]),
      reply(2, ["c"]),
      result("c", form),
    );
    expect(isEphemeral(state)).toBe(true);
  });
});

describe("the repetition", () => {
  const again = (n: number, more: { readonly polled?: boolean } = {}): readonly RecordBody[] => [
    reply(n, ["a"]),
    result("a"),
    { ...iteration(n), ...more },
  ];
  const broken = (n: number): readonly RecordBody[] => [reply(n, ["a"]), result("a", fact), iteration(n, [fact])];

  it("counts iterations with the same calls and the same results", () => {
    expect(after(input(1, "x"), ...again(1), ...again(2), ...again(3)).stall.count).toBe(3);
  });

  it("is not touched by an iteration that polled, by a nudge and by an accepted claim", () => {
    const three = [input(1, "x"), ...again(1), ...again(2), ...again(3, { polled: true }), ...again(4)];
    expect(after(...three).stall.count).toBe(3);
    expect(after(...three, { type: "nudge", text: "Again." }).stall.count).toBe(3);
    const ended = after(...three, reply(5, ["a", "c"]), result("a"), claim("c", "completed"), iteration(5));
    expect(ended.stall.count).toBe(3);
  });

  it("starts anew after a failed iteration, and after an input", () => {
    const two = [input(1, "x"), ...again(1), ...again(2)];
    expect(after(...two, ...broken(3)).stall).toEqual(emptyState.stall);
    expect(after(...two, ...broken(3), ...again(4)).stall.count).toBe(1);
    expect(after(...two, input(2, "y"), ...again(1)).stall.count).toBe(1);
  });
});

describe("failed attempts", () => {
  it("count the claims that failed a check, over iterations that went well, within the run", () => {
    const attempt = (n: number): readonly RecordBody[] => [
      reply(n, [`c${String(n)}`]),
      check(`c${String(n)}`, false),
      result(`c${String(n)}`, failed("check_failed")),
      iteration(n, [failed("check_failed")]),
    ];
    const two = [input(1, "x"), ...attempt(1), reply(2, ["a"]), result("a"), iteration(2), ...attempt(3)];
    expect(after(...two).failedAttempts).toBe(2);
    expect(after(...two).circuit.count).toBe(0);
    expect(after(...two, input(2, "y")).failedAttempts).toBe(0);
  });
});

describe("receipts", () => {
  it("are those of the checks since the last reply, each with its place in the journal", () => {
    const state = after(input(1, "x"), reply(1, ["a"]), check("a", true));
    expect(state.receipts).toEqual([
      { check: "npm test", passed: true, digest: "d", duration: 7, failedBefore: 0, record: 2 },
    ]);
    const later = after(input(1, "x"), reply(1, ["a"]), check("a", false), iteration(1), reply(2, ["b"]));
    expect(later.receipts).toEqual([]);
  });
});

describe("refused", () => {
  it("says whether the last reply was the provider's refusal", () => {
    const refusal: RecordBody = { type: "reply", iteration: 1, reply: replyOf([], { finish: "refused" }) };
    expect(after(input(1, "x"), refusal).refused).toBe(true);
    expect(after(input(1, "x"), refusal, reply(2, ["a"])).refused).toBe(false);
  });
});
