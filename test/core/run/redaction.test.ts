import { describe, expect, test } from "vitest";
import { failure, LastcallError, redactor, type Event, type Outcome } from "../../../src/core/index.js";
import {
  redactEvents,
  redactFailure,
  redactFault,
  redactRecord,
  redactThrown,
  redactWarnings,
} from "../../../src/core/run/redaction.js";
import { virtualClock } from "../../../src/testing/index.js";
import { drain } from "../drain.js";
import { failed, input, reply, result } from "../journal.js";
import type { Stage } from "../../../src/core/ports/event.js";

const secrets = redactor(undefined);
const key = `sk-proj-${"Ab3".repeat(16)}`;
const session = { version: 1, id: "s", records: [] } as const;
const usage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, reasoningTokens: 0 };
const ended = { session, inputs: [], usage, iterations: 0 };
const claimed = { by: "it", value: 1, verified: "unchecked", unverified: [], receipts: [] } as const;
const over: Outcome = { ...ended, status: "completed", ...claimed };

/** What comes of these events and this outcome. */
function passed(events: readonly Event[], outcome: Outcome = over) {
  function* source(): Stage<Outcome> {
    yield* events;
    return outcome;
  }
  return drain(redactEvents(source(), secrets));
}

describe("a tool's progress", () => {
  const piece = (progress: unknown, callId = "a"): Event => ({ type: "call-progress", callId, progress });
  const end: Event = { type: "call-end", result: { callId: "a", name: "x", ok: true, text: "" } };

  test("in pieces is redacted as one text, wherever the secret is divided", async () => {
    const { events } = await passed([piece("the key is sk-pro"), piece(`${key.slice(6)} and`), piece(" more"), end]);
    const shown = events.map((event) => (event.type === "call-progress" ? String(event.progress) : "")).join("");
    expect(shown).not.toContain(key.slice(6, 30));
    expect(shown).toMatch(/^the key is \[redacted.*\] and more$/);
  });

  test.each<[string, Event]>([
    ["the end of its call", end],
    ["its accepted claim", { type: "claim-accepted", tool: "x", value: 1 }],
    ["the end of the iteration", { type: "iteration-end", iteration: 1, failures: [] }],
    ["an expiry", { type: "expiry", message: "the time is up" }],
  ])("is shown whole before %s", async (_what, last) => {
    const { events } = await passed([piece("half a key: sk-pro"), last]);
    const shown = events.map((event) => (event.type === "call-progress" ? String(event.progress) : ""));
    expect(shown.join("")).toBe("half a key: sk-pro");
    expect(events.at(-1)).toEqual(last);
  });

  test("of an agent in a tool is redacted as one text, too, apart from that of others, and so are its results", async () => {
    const below = (event: Event, path = ["c"]): Event => ({ type: "child-event", path, event });
    const { events } = await passed([
      below(piece("the key is sk-pro")),
      below(piece("other"), ["d"]),
      below(piece(key.slice(6))),
      below({ type: "call-end", result: { callId: "a", name: "x", ok: true, text: key } }),
    ]);
    const shown = events.map((event) => (event.type === "child-event" ? event : undefined));
    expect(shown.every((event) => event !== undefined)).toBe(true);
    const texts = shown.flatMap((event) =>
      event?.event.type === "call-progress" ? [[event.path[0], event.event.progress]] : [],
    );
    expect(texts.filter(([path]) => path === "d")).toEqual([["d", "other"]]);
    expect(JSON.stringify(events)).not.toContain(key.slice(6, 30));
  });

  test("of another call does not end it, and its own data does", async () => {
    const { events } = await passed([piece("sk-pro", "a"), piece("other", "b"), piece({ key }, "a")]);
    const shown = events.map((event) => event.type === "call-progress" && [event.callId, event.progress]);
    expect(shown.at(-2)).toEqual(["a", "sk-pro"]);
    expect(JSON.stringify(shown.at(-1))).not.toContain(key);
  });
});

describe("what watchers see and the caller gets", () => {
  const words = `it has ${key}`;
  const why = failed("tool_error", words);

  test.each<Event>([
    { type: "call-decision", callId: "a", allowed: false, reason: words },
    { type: "call-asking", callId: "a", name: "x", why: words, rule: words },
    { type: "check-end", check: "c", when: "claim", passed: false, output: words, duration: 1, changed: [] },
    { type: "reply-failure", failure: why },
    { type: "claim-retracted", callId: "a", tool: "x", failure: why },
    { type: "notice", about: "check", text: words },
    { type: "expiry", message: words },
    { type: "reply-retracted", reason: words },
  ])("has no secret in the words of $type", async (event) => {
    const { events } = await passed([event]);
    expect(events).toHaveLength(1);
    expect(JSON.stringify(events)).not.toContain(key);
  });

  test("is untouched if it is the model's own words", async () => {
    const event: Event = { type: "text-delta", text: words };
    expect((await passed([event])).events).toEqual([event]);
  });

  test.each<Outcome>([
    { ...ended, status: "aborted", message: words, partial: { text: words } },
    { ...ended, status: "stopped", reason: "veto", message: words, partial: { text: words }, receipts: [] },
    { ...ended, status: "failed", message: words, partial: { text: words }, fault: new LastcallError("bug", words) },
  ])("has no secret in an outcome that is $status", async (outcome) => {
    const { value } = await passed([], outcome);
    expect(value.status).toBe(outcome.status);
    expect(JSON.stringify(value)).not.toContain(key);
  });
});

describe("a fault", () => {
  test("has no secret where its cause keeps one from JSON: a toJSON of its own, headers, a map, bytes, an error of the platform", () => {
    const hiding: readonly object[] = [
      { response: { data: key }, toJSON: () => ({ message: "no" }) },
      { headers: new Headers({ authorization: `Bearer ${key}` }) },
      { fields: new Map([["token", key]]) },
      { stdout: Buffer.from(key) },
      { reason: new DOMException(key, "AbortError") },
      { deep: { toJSON: () => "nothing", key } },
    ];
    for (const fields of hiding) {
      const cause = Object.assign(new Error("The request failed"), fields);
      const clear = redactFault(secrets, new LastcallError("bug", "it failed", { cause })).cause as Error;
      expect(clear.message).toBe("The request failed");
      expect(Object.keys(clear)).not.toContain(Object.keys(fields)[0]);
    }
  });

  test("that is no error and hides a secret in an object of its own becomes one with its words", () => {
    class Oops {
      readonly text = key;
    }
    const clear = redactThrown(secrets, new Oops());
    expect(clear).toBeInstanceOf(Error);
    expect(JSON.stringify(clear, Object.getOwnPropertyNames(clear))).not.toContain("Ab3Ab3");
    const harmless = { a: new Map([["b", 1]]) };
    expect(redactThrown(secrets, harmless)).toBe(harmless);
  });

  test("whose causes go in a circle is redacted to an end", () => {
    const first: LastcallError & { cause?: unknown } = new LastcallError("bug", `a ${key}`);
    first.cause = new LastcallError("bug", "b", { cause: first });
    let error: Error | undefined = redactFault(secrets, first);
    let count = 0;
    for (; error !== undefined; error = error.cause as Error | undefined) {
      expect(error.message).not.toContain("Ab3Ab3");
      count += 1;
    }
    expect(count).toBe(9);
  });

  test("has no secret in its message, its stack, its causes and their fields", () => {
    const deep = Object.assign(new Error("refused"), { request: { headers: { authorization: `Bearer ${key}` } } });
    const cause = new Error(`401 for ${key}`, { cause: deep });
    const clear = redactFault(secrets, new LastcallError("authentication", `no ${key}`, { cause, status: 401 }));
    expect(clear).toMatchObject({ code: "authentication", status: 401 });
    const inner = clear.cause as Error;
    for (const text of [clear.message, clear.stack, inner.message, inner.stack, JSON.stringify(inner.cause)]) {
      expect(text).not.toContain(key);
    }
    expect(inner.cause).not.toHaveProperty("request");
  });

  test("without one stays the same object", () => {
    const fault = new LastcallError("bug", "no such file", { cause: new Error("ENOENT") });
    expect(redactFault(secrets, fault)).toBe(fault);
  });

  test("that people are warned of has no secret in it", () => {
    const clock = virtualClock();
    redactWarnings(secrets, clock).warn(new LastcallError("store", `no ${key}`));
    expect(clock.warnings).toHaveLength(1);
    expect(clock.warnings[0]?.message).not.toContain(key);
  });
});

test("a failure has the signature of what is left of it, so that two keys are one mistake", () => {
  const of = (secret: string) =>
    redactFailure(secrets, failure("tool_error", { message: `401 for ${secret}`, advice: "Log in." }));
  const [one, other] = [of(key), of(`sk-proj-${"Xy9".repeat(16)}`)];
  expect(one.message).not.toContain(key);
  expect(one.signature).not.toContain(key);
  expect(one.signature).toBe(other.signature);
});

describe("a record", () => {
  test("of what the harness, permission and providers said has no secret in it", () => {
    const words = `it has ${key}`;
    for (const body of [
      { type: "decision", callId: "a", allowed: false, reason: words },
      { type: "error-context", failure: failed("no_tool_call", words) },
      { type: "notice", about: "check", text: words },
      { type: "expiry", message: words, elapsed: 1 },
      { type: "overflow", message: words },
      { type: "outcome", status: "failed", reason: "bug", message: words },
      { type: "fold", before: 1, tokens: 1, summary: words, by: "model" },
    ] as const) {
      expect(JSON.stringify(redactRecord(secrets, body)), body.type).not.toContain(key);
    }
  });

  test("of the user's words and the model's replies stays as it is", () => {
    for (const body of [input(1, `use ${key}`), reply(1, ["a"], key), result("a")]) {
      expect(redactRecord(secrets, body)).toBe(body);
    }
  });
});
