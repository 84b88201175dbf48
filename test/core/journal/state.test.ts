import { describe, expect, it } from "vitest";
import { noUsage, type Check, type Usage } from "../../../src/core/index.js";
import type { CheckRecord, ClaimRecord, RecordBody } from "../../../src/core/internal.js";
import {
  emptyState,
  isEphemeral,
  isFresh,
  pendingCall,
  receiptsOf,
  stands,
  type State,
} from "../../../src/core/journal/state.js";
import { replay, step } from "../../../src/core/journal/step.js";
import { checked, failed, input, iteration, journal, reply, replyOf, result } from "../journal.js";

function after(...bodies: readonly RecordBody[]): State {
  return replay(journal(bodies));
}

function claim(callId: string, ending: ClaimRecord["ending"]): RecordBody {
  return { type: "claim", callId, by: `tool-${callId}`, ending, value: "v", receipts: [] };
}

function check(callId: string, passed: boolean): RecordBody {
  return checked(passed, { claim: callId });
}

const baseline: RecordBody = { type: "baseline", begun: {} };

/** The records of an iteration with one call that has an intent. */
function change(number: number, callId: string): readonly RecordBody[] {
  return [reply(number, [callId]), { type: "intent", callId }, result(callId), iteration(number)];
}

const form = failed("invalid_arguments");
const fact = failed("tool_error");

const wholeSession: readonly RecordBody[] = [
  input(1, "Do it."),
  checked(false, { when: "baseline" }),
  { type: "baseline", begun: { "npm test": ["a.test.ts"] } },
  { type: "notice", about: "baseline", text: "It fails." },
  {
    type: "reply",
    iteration: 1,
    reply: replyOf([], { text: "I think." }),
    spent: { iterations: 1, tokens: 9, cost: 2 },
  },
  { type: "error-context", failure: failed("no_tool_call") },
  iteration(1, [failed("no_tool_call")], true),
  reply(2, ["a", "b"]),
  { type: "decision", callId: "a", allowed: true, reason: "yes" },
  { type: "intent", callId: "a" },
  { type: "spend", spent: { iterations: 2, tokens: 30, cost: 0.5 } },
  result("a"),
  result("b", fact),
  checked(false, { when: "iteration" }, { output: "other" }),
  { type: "notice", about: "check", text: "It fails still." },
  iteration(2, [fact]),
  { type: "notice", about: "limit", reason: "timeout", text: "Most is used." },
  reply(3, ["c"]),
  check("c", false),
  result("c", failed("check_failed")),
  iteration(3, [failed("check_failed")]),
  { type: "notice", about: "stall", text: "Again." },
  { type: "expiry", message: "the time is up", elapsed: 70 },
  { type: "notice", about: "closing", reason: "timeout", message: "the time is up", text: "End." },
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

describe("replay and step", () => {
  it("agree at every record of a journal", () => {
    const records = journal(wholeSession);
    let stepped = emptyState;
    records.forEach((record, index) => {
      stepped = step(stepped, record);
      expect(stepped).toEqual(replay(records.slice(0, index + 1)));
    });
    expect(stepped.seq).toBe(records.length);
  });

  it("do not change the state and the records that they get", () => {
    const records = journal(wholeSession);
    const copy = structuredClone(records);
    const before = replay(records.slice(0, 8));
    const kept = structuredClone(before);
    step(before, records[8]!);
    replay(records);
    expect(before).toEqual(kept);
    expect(records).toEqual(copy);
  });

  it("make a state of plain data that survives a round trip through JSON", () => {
    const records = journal(wholeSession);
    const revived = JSON.parse(JSON.stringify(records)) as typeof records;
    expect(replay(revived)).toEqual(replay(records));
  });

  it("start with the empty state", () => {
    expect(replay([])).toEqual(emptyState);
  });
});

describe("an input", () => {
  it("resets the iterations, usage, circuit, attempts, text and failures for its run", () => {
    const end = wholeSession.findIndex((body) => body.type === "reply" && body.iteration === 4);
    const before = after(...wholeSession.slice(0, end));
    const state = after(...wholeSession.slice(0, end), input(2, "More."));
    const { baseline, prompt } = before;
    expect(state).toEqual({
      ...emptyState,
      seq: end + 1,
      run: 2,
      inputs: ["More."],
      baseline,
      prompt: { ...prompt, characters: prompt.characters + "More.".length, longestReply: 0 },
    });
    for (const key of ["spent", "elapsed", "warned", "expired", "closing", "checks", "changedAt", "told"] as const) {
      expect([key, before[key]]).not.toEqual([key, emptyState[key]]);
    }
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
  it("is the last text of the model, and replies without text do not change it", () => {
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

  it("marks the call that has an intent", () => {
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
  it("is the accepted claim that waits for a reply, also after the run ended, until the next input", () => {
    const waits = [input(1, "x"), reply(1, ["q"]), claim("q", "waiting"), iteration(1)];
    expect(pendingCall(after(...waits))).toBe("q");
    expect(pendingCall(after(...waits, { type: "outcome", status: "waiting" }))).toBe("q");
    expect(pendingCall(after(...waits, { type: "outcome", status: "waiting" }, input(2, "y", "q")))).toBeUndefined();
  });

  it("is undefined without a claim, and for a claim that completes or gives up", () => {
    for (const ending of ["completed", "stopped"] as const) {
      expect(pendingCall(after(input(1, "x"), reply(1, ["q"]), claim("q", ending)))).toBeUndefined();
    }
    expect(pendingCall(after(input(1, "x"), reply(1, ["q"]), result("q", fact)))).toBeUndefined();
  });
});

describe("an iteration is ephemeral", () => {
  const open = [input(1, "x"), reply(1, ["a", "b"])];

  it("if it has only mistakes of form", () => {
    expect(isEphemeral(after(...open, result("a", form), result("b", failed("unknown_tool"))))).toBe(true);
    expect(
      isEphemeral(after(input(1, "x"), reply(1, []), { type: "error-context", failure: failed("no_tool_call") })),
    ).toBe(true);
  });

  it("if a claim was refused because of another call's mistake of form", () => {
    expect(isEphemeral(after(...open, result("a", form), result("b", failed("claim_refused"))))).toBe(true);
  });

  it("but not if a call succeeded besides the mistake", () => {
    expect(isEphemeral(after(...open, result("a"), result("b", form)))).toBe(false);
    expect(isEphemeral(after(...open, result("a", form), result("b")))).toBe(false);
  });

  it("but not if a call has an intent", () => {
    expect(isEphemeral(after(...open, result("a", form), { type: "intent", callId: "b" }))).toBe(false);
  });

  it.each(["denied", "tool_error", "tool_timeout", "check_failed", "interrupted", "closing"] as const)(
    "not where a fact of kind %s is in it, before or after the mistake",
    (kind) => {
      expect(isEphemeral(after(...open, result("a", failed(kind)), result("b", form)))).toBe(false);
      expect(isEphemeral(after(...open, result("a", form), result("b", failed(kind))))).toBe(false);
    },
  );

  it("but not if nothing failed", () => {
    expect(isEphemeral(after(...open, result("a"), result("b")))).toBe(false);
  });

  it("independent of the previous iteration", () => {
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

  it("is not changed by an iteration that polled, by a notice and by an accepted claim", () => {
    const three = [input(1, "x"), ...again(1), ...again(2), ...again(3, { polled: true }), ...again(4)];
    expect(after(...three).stall.count).toBe(3);
    expect(after(...three, { type: "notice", about: "stall", text: "Again." }).stall.count).toBe(3);
    const ended = after(...three, reply(5, ["a", "c"]), result("a"), claim("c", "completed"), iteration(5));
    expect(ended.stall.count).toBe(3);
  });

  it("starts again after a failed iteration, and after an input", () => {
    const two = [input(1, "x"), ...again(1), ...again(2)];
    expect(after(...two, ...broken(3)).stall).toEqual(emptyState.stall);
    expect(after(...two, ...broken(3), ...again(4)).stall.count).toBe(1);
    expect(after(...two, input(2, "y"), ...again(1)).stall.count).toBe(1);
  });
});

describe("failed attempts", () => {
  it("count the claims of the run that failed a check, across successful iterations", () => {
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
  const plain = { judged: false, digest: "d", duration: 7, failedBefore: 0, flaky: false, changed: [] };

  it("are the last result of each check, in the order of their first run, each with the number of its record", () => {
    const state = after(
      input(1, "x"),
      checked(true, { when: "baseline" }),
      checked(false, { when: "baseline" }, { check: "lint" }),
      baseline,
      ...change(1, "a"),
      reply(2, ["b"]),
      checked(true, { claim: "b" }, { check: "lint", judged: true, changed: ["lint.js"] }),
    );
    expect(receiptsOf(state)).toEqual([
      { ...plain, check: "npm test", when: "baseline", passed: true, record: 1 },
      {
        ...plain,
        check: "lint",
        when: "claim",
        passed: true,
        judged: true,
        passedAtBaseline: false,
        changed: ["lint.js"],
        record: 9,
      },
    ]);
  });

  it("survive replies and iterations, and belong to one run", () => {
    const tried = [input(1, "x"), reply(1, ["a"]), check("a", false), iteration(1), reply(2, ["b"])];
    expect(receiptsOf(after(...tried))).toMatchObject([{ passed: false, record: 2 }]);
    expect(receiptsOf(after(...tried, iteration(2), input(2, "y")))).toEqual([]);
  });

  it("count the earlier failures, without the baseline and the previous run", () => {
    const failing = [
      input(1, "x"),
      checked(false, { when: "baseline" }),
      baseline,
      reply(1, ["a"]),
      check("a", false),
      checked(false, { when: "iteration" }),
      checked(false, { claim: "a" }, { check: "another" }),
    ];
    expect(receiptsOf(after(...failing))[0]).toMatchObject({ failedBefore: 1 });
    expect(after(...failing).checks["npm test"]).toMatchObject({ failures: 2, failedAt: 5 });
    expect(receiptsOf(after(...failing, check("a", true)))[0]).toMatchObject({ failedBefore: 2, passed: true });
    expect(after(...failing, check("a", true)).checks["npm test"]).toMatchObject({ failures: 2, failedAt: 5 });
    const anew = after(...failing, iteration(1), input(2, "y"), reply(1, ["b"]), check("b", true));
    expect(receiptsOf(anew)).toMatchObject([{ failedBefore: 0, flaky: false }]);
  });

  it("have the exit code if the check has one", () => {
    const exited: RecordBody = { ...(check("a", true) as CheckRecord), exitCode: 0 };
    expect(receiptsOf(after(input(1, "x"), reply(1, ["a"]), exited))[0]).toMatchObject({ exitCode: 0 });
    expect(receiptsOf(after(input(1, "x"), reply(1, ["a"]), check("a", true)))[0]).not.toHaveProperty("exitCode");
  });
});

describe("a check is flaky", () => {
  const flaky = (...bodies: readonly RecordBody[]): boolean | undefined =>
    receiptsOf(after(input(1, "x"), ...bodies))[0]?.flaky;
  const tried = [reply(1, ["a"]), check("a", false), iteration(1)];

  it("if it failed, and passes with nothing changed in between", () => {
    expect(flaky(...tried, reply(2, ["b"]), check("b", true))).toBe(true);
    expect(flaky(...tried, reply(2, ["b"]), result("b"), iteration(2), reply(3, ["c"]), check("c", true))).toBe(true);
  });

  it("if it failed before the first call", () => {
    const begun = [checked(false, { when: "baseline" }), baseline];
    expect(flaky(...begun, reply(1, ["a"]), check("a", true))).toBe(true);
    expect(flaky(...begun, ...change(1, "a"), reply(2, ["b"]), check("b", true))).toBe(false);
  });

  it("until something changes", () => {
    const passed = [...tried, reply(2, ["b"]), check("b", true), check("b", true)];
    expect(flaky(...passed)).toBe(true);
    expect(flaky(...passed, iteration(2), ...change(3, "c"), reply(4, ["d"]), check("d", true))).toBe(false);
  });

  it("but not after an intent to change something, even if the call failed", () => {
    expect(flaky(...tried, ...change(2, "b"), reply(3, ["c"]), check("c", true))).toBe(false);
    const failing = [
      reply(2, ["b"]),
      { type: "intent", callId: "b" } as const,
      result("b", fact),
      iteration(2, [fact]),
    ];
    expect(flaky(...tried, ...failing, reply(3, ["c"]), check("c", true))).toBe(false);
  });

  it("but not while it fails, and not if it never failed", () => {
    expect(flaky(...tried, reply(2, ["b"]), check("b", false))).toBe(false);
    expect(flaky(reply(1, ["a"]), check("a", true), check("a", true))).toBe(false);
    expect(flaky(reply(1, ["a"]), check("a", true), check("a", false))).toBe(false);
  });
});

describe("the last change", () => {
  const often: Check = { name: "npm test", every: "iteration", verify: () => ({ passed: true, output: "" }) };

  it("is the last intent of the run", () => {
    const changed = [input(1, "x"), ...change(1, "a"), ...change(2, "b")];
    expect(after(input(1, "x"), reply(1, ["a"]), result("a")).changedAt).toBe(-1);
    expect(after(...changed).changedAt).toBe(6);
    expect(after(...changed, input(2, "y")).changedAt).toBe(-1);
  });

  it("makes earlier results of checks stale", () => {
    const once = [input(1, "x"), ...change(1, "a")];
    const verdicts = (...bodies: readonly RecordBody[]): readonly boolean[] => {
      const state = after(...bodies);
      return [isFresh(state, often), stands(state, often)];
    };
    expect(verdicts(input(1, "x"))).toEqual([false, false]);
    expect(verdicts(input(1, "x"), checked(true, { when: "baseline" }))).toEqual([true, true]);
    expect(verdicts(...once)).toEqual([false, false]);
    expect(verdicts(...once, checked(false, { when: "iteration" }))).toEqual([true, false]);
    expect(verdicts(...once, checked(true, { when: "iteration" }))).toEqual([true, true]);
    expect(verdicts(...once, checked(true, { when: "iteration" }), ...change(2, "b"))).toEqual([false, false]);
    expect(verdicts(...once, checked(true, { when: "iteration" }, { check: "lint" }))).toEqual([false, false]);
  });
});

describe("the baseline", () => {
  const begun: RecordBody = { type: "baseline", begun: { "npm test": ["a.test.ts"] } };
  const first = [input(1, "x"), checked(false, { when: "baseline" }), begun];
  const known = { passed: { "npm test": false }, begun: { "npm test": ["a.test.ts"] } };

  it("is undefined until it is complete", () => {
    expect(after(input(1, "x")).baseline).toEqual({ passed: {}, begun: undefined });
    expect(after(...first.slice(0, 2)).baseline).toEqual({ passed: { "npm test": false }, begun: undefined });
    expect(after(...first).baseline).toEqual(known);
  });

  it("is not changed by later results of the check", () => {
    expect(after(...first, reply(1, ["a"]), check("a", true)).baseline).toEqual(known);
  });

  it.each<[string, RecordBody, RecordBody]>([
    ["an answer", { type: "outcome", status: "waiting" }, input(2, "y", "q")],
    ["a run that was stopped", { type: "outcome", status: "stopped", reason: "max_iterations" }, input(2, "y")],
    ["a run that was aborted", { type: "outcome", status: "aborted" }, input(2, "y")],
    ["a run that failed", { type: "outcome", status: "failed" }, input(2, "y")],
    ["a run that died", result("q"), input(2, "y")],
  ])("survives %s, also in the receipts", (_what, outcome, again) => {
    const state = after(...first, reply(1, ["q"]), iteration(1), outcome, again);
    expect(state.baseline).toEqual(known);
    const later = after(...first, reply(1, ["q"]), iteration(1), outcome, again, reply(1, ["a"]), check("a", true));
    expect(receiptsOf(later)).toMatchObject([{ passed: true, passedAtBaseline: false }]);
  });

  it("ends with a completion, because the next input is another task", () => {
    const over = after(...first, reply(1, ["a"]), claim("a", "completed"), iteration(1), {
      type: "outcome",
      status: "completed",
    });
    expect(over.baseline).toEqual(emptyState.baseline);
    expect(after(input(1, "x"), reply(1, ["a"]), check("a", true)).checks["npm test"]?.receipt).not.toHaveProperty(
      "passedAtBaseline",
    );
  });
});

describe("the failing checks that the model was told about", () => {
  const toldSignatures = (state: State): readonly string[] => [...state.told];
  const failing = (output: string, name = "npm test"): RecordBody =>
    checked(false, { when: "iteration" }, { check: name, output });
  const about = (what: "baseline" | "check" | "stall"): RecordBody => ({ type: "notice", about: what, text: "t" });

  it("are recorded at the notice, not at the failure", () => {
    const once = [input(1, "x"), ...change(1, "a"), failing("one"), failing("two", "lint")];
    expect(toldSignatures(after(...once))).toEqual([]);
    const told = after(...once, about("check"));
    expect(toldSignatures(told)).toEqual([told.checks["npm test"]?.said, told.checks["lint"]?.said]);
    expect(toldSignatures(after(...once, about("baseline")))).toEqual(toldSignatures(told));
    expect(toldSignatures(after(...once, about("stall")))).toEqual([]);
  });

  it("include the failed check of a claim, and stay while others pass", () => {
    const claimed = after(input(1, "x"), reply(1, ["a"]), check("a", false));
    expect(toldSignatures(claimed)).toEqual([claimed.checks["npm test"]?.said]);
    const passed = after(input(1, "x"), reply(1, ["a"]), check("a", false), checked(true, { claim: "a" }));
    expect(toldSignatures(passed)).toEqual(toldSignatures(claimed));
  });

  it("are the same for outputs that differ only in times", () => {
    const told = (output: string): readonly string[] =>
      toldSignatures(after(input(1, "x"), ...change(1, "a"), failing(output), about("check")));
    expect(told("1 failed (12 ms)")).toEqual(told("1 failed (9.5 s)"));
    expect(told("1 failed")).not.toEqual(told("2 failed"));
  });
});

describe("the usage for the limits", () => {
  it("is the sum over the replies, the checks and the agents in tools of the run", () => {
    const spent = (tokens: number): { iterations: number; tokens: number; cost: number } => ({
      iterations: 1,
      tokens,
      cost: tokens / 1000,
    });
    const bodies: readonly RecordBody[] = [
      input(1, "x"),
      { type: "reply", iteration: 1, reply: replyOf(["a"]), spent: spent(100) },
      { type: "spend", spent: { iterations: 3, tokens: 1000, cost: 1 } },
      checked(true, { claim: "a" }, { spent: { iterations: 2, tokens: 20, cost: 0.02 } }),
      checked(true, { claim: "a" }),
    ];
    expect(after(...bodies).spent).toEqual({ iterations: 6, tokens: 1120, cost: 1.12 });
    expect(after(...bodies, input(2, "y")).spent).toEqual(emptyState.spent);
  });

  it("is the usage of a reply that has no amounts of its own", () => {
    const usage = { inputTokens: 10, cachedInputTokens: 10, outputTokens: 5, reasoningTokens: 5 };
    const plain: RecordBody = { type: "reply", iteration: 1, reply: replyOf(["a"], { usage }) };
    expect(after(input(1, "x"), plain).spent).toEqual({ iterations: 1, tokens: 15, cost: 0 });
  });
});

describe("the size of the prompt", () => {
  const counted: RecordBody = {
    type: "reply",
    iteration: 1,
    reply: replyOf(["a"], {
      usage: { inputTokens: 100, cachedInputTokens: 0, outputTokens: 20, reasoningTokens: 0 },
    }),
  };

  it("grows from the last count by everything added to the prompt", () => {
    expect(after(input(1, "12345")).prompt).toEqual({ counted: 0, characters: 5, longestReply: 0 });
    const state = after(input(1, "12345"), counted, result("a"), { type: "notice", about: "stall", text: "123" });
    expect(state.prompt).toEqual({ counted: 120, characters: "result of a".length + 3, longestReply: 20 });
    const blamed = after(input(1, "x"), counted, { type: "error-context", failure: failed("no_tool_call", "1234567") });
    expect(blamed.prompt.characters).toBe(7);
  });

  it("is kept for the next run, except the longest reply", () => {
    expect(after(input(1, "x"), counted, result("a"), iteration(1), input(2, "12345")).prompt).toEqual({
      counted: 120,
      characters: "result of a".length + 5,
      longestReply: 0,
    });
  });
});

describe("the work time", () => {
  const timed = (number: number, elapsed: number): RecordBody => ({ ...iteration(number), elapsed }) as RecordBody;

  it("is the value of the last iteration or expiry record of the run", () => {
    const one = [input(1, "x"), reply(1, ["a"]), timed(1, 50)];
    expect(after(input(1, "x"), reply(1, ["a"])).elapsed).toBe(0);
    expect(after(...one).elapsed).toBe(50);
    expect(after(...one, reply(2, ["b"]), iteration(2)).elapsed).toBe(50);
    expect(after(...one, { type: "expiry", message: "m", elapsed: 70 }).elapsed).toBe(70);
    expect(after(...one, input(2, "y")).elapsed).toBe(0);
  });

  it("has expired with the message of the expiry, until the next input", () => {
    const expiry: RecordBody = { type: "expiry", message: "the time is up", elapsed: 70 };
    expect(after(input(1, "x")).expired).toBeUndefined();
    expect(after(input(1, "x"), expiry).expired).toBe("the time is up");
    expect(after(input(1, "x"), expiry, reply(1, ["a"])).expired).toBe("the time is up");
    expect(after(input(1, "x"), expiry, input(2, "y")).expired).toBeUndefined();
  });
});

describe("the limits with a warning", () => {
  it("are those of the run's notices", () => {
    const warn = (reason: "timeout" | "cost_budget"): RecordBody => ({
      type: "notice",
      about: "limit",
      reason,
      text: "t",
    });
    expect(after(input(1, "x"), warn("timeout"), warn("cost_budget")).warned).toEqual(["timeout", "cost_budget"]);
    expect(after(input(1, "x"), warn("timeout"), input(2, "y")).warned).toEqual([]);
    expect(after(input(1, "x"), { type: "notice", about: "stall", text: "t" }).warned).toEqual([]);
  });
});

describe("closing", () => {
  const closes: RecordBody = { type: "notice", about: "closing", reason: "timeout", message: "m", text: "End now." };

  it("begins with its notice, has the calls of its iteration, and ends with it", () => {
    const begun = [input(1, "x"), reply(1, ["a"]), result("a"), iteration(1), closes];
    expect(after(...begun.slice(0, -1)).closing).toBeUndefined();
    expect(after(...begun).closing).toEqual({ reason: "timeout", message: "m", over: false, calls: [] });
    const { calls } = replyOf(["b", "c"]);
    expect(after(...begun, reply(2, ["b", "c"])).closing).toEqual({
      reason: "timeout",
      message: "m",
      over: false,
      calls,
    });
    expect(after(...begun, reply(2, ["b", "c"]), iteration(2)).closing).toMatchObject({ over: true, calls });
  });

  it("also ends if its iteration was broken off, even before a reply", () => {
    const expiry: RecordBody = { type: "expiry", message: "m", elapsed: 1 };
    expect(after(input(1, "x"), closes, expiry).closing).toMatchObject({ over: true, calls: [] });
    expect(after(input(1, "x"), expiry, closes).closing).toMatchObject({ over: false });
    expect(after(input(1, "x"), expiry).closing).toBeUndefined();
  });

  it("is absent in the next run", () => {
    expect(after(input(1, "x"), closes, input(2, "y")).closing).toBeUndefined();
  });
});

describe("refused", () => {
  it("is true if the provider refused the last reply", () => {
    const refusal: RecordBody = { type: "reply", iteration: 1, reply: replyOf([], { finish: "refused" }) };
    expect(after(input(1, "x"), refusal).refused).toBe(true);
    expect(after(input(1, "x"), refusal, reply(2, ["a"])).refused).toBe(false);
  });
});
