// The runner of case files can fail: each planted expectation that is wrong is reported, and its right twin passes.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { countsOf, isGood, lineOf, readCases, replayAll, type Case, type Library } from "../scripts/cases/index.mjs";
import { createOpenAICompatible } from "ai-sdk-7-openai-compatible";
import { fromAiSdk } from "../src/ai-sdk/index.js";
import { preview } from "../src/cli/person/approver.js";
import { withoutThinking } from "../src/cli/display/visible.js";
import { createAgent, noUsage, tool, type Model, type WrittenReply } from "../src/index.js";
import { openai } from "../src/model/index.js";

const library: Library = { createAgent, tool, openai, preview, withoutThinking };

const read = { name: "read_file", args: { path: "a.ts" } };
/** More different calls than any case may make. */
const endless = Array.from({ length: 62 }, (_, n) => saying({ ...read, args: { path: `${String(n)}.ts` } }));
const look = { name: "look", args: { at: "b" } };
const ok = { name: "task_completion", args: { result: "ok" } };

function described(name: string, field: string, description: string): unknown {
  const parameters = { type: "object", properties: { [field]: { type: "string" } }, required: [field] };
  return { type: "function", function: { name, description, parameters } };
}

/** A reply that makes the calls. */
function saying(...calls: readonly { readonly name: string; readonly args: unknown }[]): unknown {
  const written = calls.map(({ name, args }, index) => ({
    id: `call_${String(index)}`,
    type: "function",
    function: { name, arguments: typeof args === "string" ? args : JSON.stringify(args) },
  }));
  return { choices: [{ index: 0, message: { role: "assistant", tool_calls: written }, finish_reason: "tool_calls" }] };
}

/** A case that holds, with whatever is to be otherwise. */
function planted(changes: Case): Case {
  return {
    id: "planted-001",
    category: "planted",
    shape: "native",
    raw_kind: "completion",
    raw: saying(read, look),
    tools: [described("read_file", "path", "ReadOnly."), described("look", "at", "")],
    expect: { outcome: "execute", calls: [read, look] },
    ...changes,
  };
}

async function verdictOn(given: Case, on: Partial<Library> & { readonly bound?: number } = {}): Promise<string> {
  const { bound, ...rest } = on;
  const options = { library: { ...library, ...rest }, ...(bound !== undefined && { bound }) };
  const [result] = await replayAll([given], options);
  return lineOf(result!);
}

const told = { outcome: "feedback", calls: [], feedback_mentions: ["nope"], counts_toward_breaker: true };
const unknown = saying({ name: "nope", args: {} });
const reject = { outcome: "reject", calls: [], counts_toward_breaker: false, retry_scope: "same-request-with-backoff" };
const silence = { segments: [], end: "never" };
const words = { choices: [{ index: 0, message: { role: "assistant", content: "Hi." }, finish_reason: "stop" }] };
const five = [words, words, words, words, words];
const forbidding = (word: string, more: Case = {}): Case => planted({ must_not: [word], ...more });

describe("a case that holds passes", () => {
  test.each<[string, Case]>([
    ["calls in order", {}],
    [
      "an accepted claim counts as a call",
      { raw: saying(read, ok), expect: { outcome: "execute", calls: [read, ok] } },
    ],
    ["feedback", { raw: unknown, expect: told }],
    [
      "mixed",
      {
        raw: saying(read, { name: "nope", args: {} }),
        expect: { outcome: "mixed", calls: [read], feedback_for: ["call_1"] },
      },
    ],
    ["reject", { raw_kind: "sse", raw: silence, expect: { ...reject, must_not: ["hang", "commit-as-complete-turn"] } }],
    ["one of several", { expect: { outcome: "any_of", any_of: [told, { outcome: "execute", calls: [read, look] }] } }],
    ["ask", { expect: { outcome: "ask", calls: [], display_must_escape: true } }],
    [
      "breaker",
      { raw_kind: "script", raw: five, expect: { outcome: "breaker", after_replies: 5, must_not: ["sixth-request"] } },
    ],
    [
      "text, with and without text calls",
      {
        shape: "text",
        raw_kind: "text",
        raw: "Hi.",
        finish_reason: "stop",
        expect: { ...told, feedback_mentions: ["TOOL"] },
        expect_native_only: { ...told, feedback_mentions: ["tool"] },
      },
    ],
    [
      "a name the library can't register",
      {
        raw: saying({ ...look, name: "a_look" }),
        tools: [described("a.look", "at", "")],
        expect: { outcome: "execute", calls: [{ ...look, name: "a.look" }] },
      },
    ],
    [
      "a history",
      {
        history: [
          { role: "user", content: "go" },
          {
            role: "assistant",
            content: null,
            tool_calls: [
              { id: "call_9", type: "function", function: { name: "read_file", arguments: '{"path":"h"}' } },
            ],
          },
          { role: "tool", tool_call_id: "call_9", content: "H" },
        ],
        invariant: "ids unique over the session; both pairs valid",
      },
    ],
    [
      "segments of bytes",
      {
        raw_kind: "sse-bytes",
        raw: {
          segments: [`data: ${JSON.stringify(saying(read, look))}\n`, "\ndata: [DONE]\n\n"].map((text) =>
            Buffer.from(text).toString("base64"),
          ),
          end: "fin",
        },
      },
    ],
  ])("%s", async (_name, changes) => {
    expect(await verdictOn(planted(changes))).toMatch(/^ok /);
  });
});

describe("a wrong expectation fails", () => {
  test.each<[string, Case, RegExp]>([
    [
      "wrong arguments",
      { expect: { outcome: "execute", calls: [{ ...read, args: { path: "b.ts" } }, look] } },
      /call 1 should be/,
    ],
    [
      "arguments left out",
      { expect: { outcome: "execute", calls: [{ ...read, args: {} }, look] } },
      /call 1 should be/,
    ],
    ["wrong order", { expect: { outcome: "execute", calls: [look, read] } }, /call 1 should be look/],
    ["a call too few", { expect: { outcome: "execute", calls: [read] } }, /2 calls ran, not 1/],
    ["a call too many", { expect: { outcome: "execute", calls: [read, look, look] } }, /2 calls ran, not 3/],
    [
      "the call that ends the run",
      { raw: saying(read), expect: { outcome: "execute", calls: [read, ok] } },
      /1 calls ran, not 2/,
    ],
    [
      "a mention that is missing",
      { raw: unknown, expect: { ...told, feedback_mentions: ["nope", "tomorrow"] } },
      /not mention tomorrow/,
    ],
    ["feedback where calls ran", { expect: told }, /read_file ran/],
    ["a reject of what was read", { raw: unknown, expect: reject }, /in the journal/],
    ["mixed without a failure", { expect: { outcome: "mixed", calls: [read, look] } }, /blamed for nothing/],
    [
      "mixed with another blamed",
      {
        raw: saying(read, { name: "nope", args: {} }),
        expect: { outcome: "mixed", calls: [read], feedback_for: ["call_0"] },
      },
      /call_0 has no failed result/,
    ],
    ["none of several", { expect: { outcome: "any_of", any_of: [told, reject] } }, /not feedback .* not reject/],
    [
      "a stop that is none",
      { raw: unknown, expect: { outcome: "stopped", reason: "refused", calls: [] } },
      /ended completed/,
    ],
    ["ask where nobody is asked", { raw: unknown, expect: { outcome: "ask", calls: [] } }, /not asked/],
    [
      "a breaker that opens later",
      { raw_kind: "script", raw: five, expect: { outcome: "breaker", after_replies: 4 } },
      /5 replies, not 4/,
    ],
    [
      "a bound that is not kept",
      { raw_kind: "script", raw: endless, expect: { outcome: "bounded" } },
      /more than 60 requests/,
    ],
    [
      "a context overflow that is none",
      { raw_kind: "sse", raw: silence, expect: { ...reject, retry_scope: "compact-or-stop" } },
      /sent again/,
    ],
    [
      "the second run of a text",
      {
        shape: "text",
        raw_kind: "text",
        raw: "Hi.",
        expect: { ...told, feedback_mentions: [] },
        expect_native_only: { ...told, feedback_mentions: ["xyzzy"] },
      },
      /text calls off: .* xyzzy/,
    ],
  ])("%s", async (_name, changes, reason) => {
    const line = await verdictOn(planted(changes));
    expect(line).toMatch(/^FAIL /);
    expect(line).toMatch(reason);
  });

  test("a hang", async () => {
    const given = planted({ raw_kind: "sse", raw: silence, expect: reject });
    expect(await verdictOn(given, { bound: 50 })).toMatch(/^FAIL .* hang/);
  });
});

describe("what the runner does not know fails", () => {
  test.each<[string, Case, RegExp]>([
    ["an outcome", { expect: { outcome: "shrug" } }, /unknown outcome "shrug"/],
    [
      "an outcome among several",
      { expect: { outcome: "any_of", any_of: [{ outcome: "execute", calls: [read, look] }, { outcome: "shrug" }] } },
      /unknown outcome/,
    ],
    ["a must_not", { must_not: ["sing"] }, /unknown must_not "sing"/],
    [
      "a must_not of an expectation",
      { expect: { outcome: "execute", calls: [read, look], must_not: ["sing"] } },
      /unknown must_not/,
    ],
    ["an invariant", { invariant: "1 = 2" }, /unknown invariant/],
    ["a key", { mood: "good" }, /unknown key "mood"/],
    [
      "a key of an expectation",
      { expect: { outcome: "execute", calls: [read, look], mood: "good" } },
      /unknown key of execute/,
    ],
    ["a raw_kind", { raw_kind: "smoke" }, /unknown raw_kind/],
    ["a generator", { raw_kind: "generator", raw: { generator: "perlin" } }, /unknown generator/],
    [
      "a word of a generator",
      { raw_kind: "generator", raw: { generator: "text", parts: [], mood: "x" } },
      /unknown word of text "mood"/,
    ],
    [
      "a part of a generator",
      { raw_kind: "generator", raw: { generator: "text", parts: [{ twice: "x" }] } },
      /unknown part/,
    ],
    [
      "a part without its number",
      { raw_kind: "generator", raw: { generator: "calls", parts: [{ repeat: "x" }] } },
      /unknown part/,
    ],
    ["a generator without parts", { raw_kind: "generator", raw: { generator: "text" } }, /unknown part/],
    ["a segment", { raw_kind: "bytes", raw: { segments: [{ octal: "7" }] } }, /unknown segment/],
    ["a key of bytes", { raw_kind: "bytes", raw: { segments: [], speed: 1 } }, /unknown key of bytes "speed"/],
    ["a counted invariant without its number", { invariant: "at most some calls run" }, /unknown invariant/],
    ["a retry_scope", { expect: { ...reject, retry_scope: "for-ever" } }, /unknown retry_scope/],
    ["a shape", { shape: "round" }, /unknown shape/],
    ["execute without calls", { expect: { outcome: "execute", calls: [] } }, /without calls/],
  ])("%s", async (_name, changes, reason) => {
    const line = await verdictOn(planted(changes));
    expect(line).toMatch(/^FAIL /);
    expect(line).toMatch(reason);
  });
});

describe("what must not happen is seen when it happens", () => {
  const long = "x".repeat(5000);
  test.each<[string, Case]>([
    ["execute-any", {}],
    ["execute:look", {}],
    ["drop-silently", {}],
    ["commit-as-complete-turn", {}],
    ["prototype-lookup", {}],
    ["setTimeout-overflow", {}],
    ["exit-loop", { raw: saying(ok), expect: { outcome: "execute", calls: [ok] } }],
    [
      "path-with-control-char",
      { raw: saying({ name: "read_file", args: { path: "a\nb" } }), expect: { outcome: "ask", calls: [] } },
    ],
    [
      "echo-full-argument",
      { raw: saying({ name: "look", args: { at: long } }), expect: { outcome: "ask", calls: [] } },
    ],
    ["sixth-request", { raw_kind: "script", raw: Array(6).fill(saying(read)), expect: { outcome: "ask", calls: [] } }],
    ["infinite-loop", { raw_kind: "script", raw: endless, expect: { outcome: "ask", calls: [] } }],
  ])("%s", async (word, more) => {
    const line = await verdictOn(forbidding(word, more));
    expect(line).toMatch(/^FAIL /);
    expect(line).toContain(`${word}: `);
  });

  test("a value that must not be written, and a result shown otherwise", async () => {
    expect(await verdictOn(planted({ must_not_write: ".ts" }))).toMatch(/^FAIL .*must_not_write/);
    const done = { raw: saying(ok), expect: { outcome: "execute", calls: [ok] } };
    expect(await verdictOn(planted({ ...done, user_visible_result: "ok" }))).toMatch(/^ok /);
    expect(await verdictOn(planted({ ...done, user_visible_result: "no" }))).toMatch(/^FAIL .*user_visible_result/);
  });

  test("more calls, or more requests, than an invariant allows", async () => {
    const given = planted({ invariant: ["at most 2 calls run", "at most 2 requests are sent"] });
    expect(await verdictOn(given)).toMatch(/^ok /);
    expect(await verdictOn(planted({ invariant: "at most 1 calls run" }))).toMatch(/^FAIL .*2 calls ran/);
    expect(await verdictOn(planted({ invariant: "at most 1 requests are sent" }))).toMatch(
      /^FAIL .*2 requests were sent/,
    );
  });

  test("an input that is not the one permission saw", async () => {
    const copying = (options: { run: (input: object, context: unknown) => unknown }): unknown =>
      tool({
        ...options,
        run: (input: object, context: unknown) => options.run({ ...input, more: 1 }, context),
      } as never);
    const raw = saying({ name: "look", args: { at: "safe" } });
    const given = planted({ raw, expect: { outcome: "ask", calls: [] }, invariant: "gate_input === executed_input" });
    expect(await verdictOn(given)).toMatch(/^ok /);
    expect(await verdictOn(given, { tool: copying })).toMatch(/^FAIL .*another input/);
  });

  test("a preview that shows what hides", async () => {
    const raw = saying({ name: "look", args: { at: "safe \u001b[8m" } });
    const given = planted({ raw, expect: { outcome: "ask", calls: [], display_must_escape: true } });
    expect(await verdictOn(given)).toMatch(/^ok /);
    const bare = ({ input }: { input: unknown }): string => (input as { at: string }).at;
    expect(await verdictOn(given, { preview: bare })).toMatch(/^FAIL .*U\+001b/);
    expect(await verdictOn(given, { preview: undefined })).toMatch(/^FAIL .*can't be reached/);
  });

  test("a changed prototype", async () => {
    const polluting = (options: object): unknown =>
      tool({ ...options, run: () => Object.assign(Object.prototype, { polluted: true }) && "ok" } as never);
    try {
      const given = planted({ must_not: ["prototype-changed"], expect: { outcome: "ask", calls: [] } });
      expect(await verdictOn(given, { tool: polluting })).toMatch(/^FAIL .*prototype-changed/);
    } finally {
      delete (Object.prototype as { polluted?: boolean }).polluted;
    }
  });

  test("a call that runs before its stream has ended", async () => {
    const chunks = [saying(read), saying(look), words];
    const given = planted({
      raw_kind: "chunks",
      raw: chunks,
      must_not: ["execute-before-stream-end"],
      expect: { outcome: "ask", calls: [] },
    });
    expect(await verdictOn(given, { openai: hastyModel })).toMatch(/^FAIL .*execute-before-stream-end/);
  });
});

test("disputed cases are counted apart, and nothing run is no success", async () => {
  const cases = [planted({}), planted({ id: "planted-002", expect: told })];
  const disputed = new Map([["planted-002", "the model can't know"]]);
  const results = await replayAll(cases, { library, disputed });
  expect(results.map((result) => lineOf(result))).toEqual([
    expect.stringMatching(/^ok /),
    "disputed  planted-002  feedback  the model can't know",
  ]);
  expect(countsOf(results)).toBe("1 disputed\n1 passed, 0 failed");
  expect([isGood(results), isGood([]), isGood(await replayAll(cases, { library }))]).toEqual([true, false, false]);
});

test("a case that is not carried is counted apart, and one that is carried all the same fails", async () => {
  const cases = [planted({}), planted({ id: "planted-002", expect: told })];
  const notCarried = new Map([["planted-002", "the package drops it"]]);
  const results = await replayAll(cases, { library, notCarried });
  expect(results.map((result) => lineOf(result))).toEqual([
    expect.stringMatching(/^ok /),
    "not carried  planted-002  feedback  the package drops it",
  ]);
  expect(countsOf(results)).toBe("1 not carried\n0 disputed\n1 passed, 0 failed");
  expect(isGood(results)).toBe(true);
  const stale = await replayAll(cases, { library, notCarried: new Map([["planted-001", "the package drops it"]]) });
  expect(lineOf(stale[0]!)).toBe("FAIL      planted-001  execute  it holds: take it off the list of those not carried");
});

test("a carrier that takes streams alone gets a whole completion as a stream", async () => {
  const library7: Library = {
    ...library,
    streamsOnly: true,
    openai: ({ baseURL, apiKey, model, ...settings }: Readonly<Record<"baseURL" | "apiKey" | "model", string>>) =>
      fromAiSdk(createOpenAICompatible({ name: "wild", baseURL, apiKey })(model), settings),
  };
  const [streamed, whole] = [library7, { ...library7, streamsOnly: false }].map((each) =>
    replayAll([planted({})], { library: each }),
  );
  expect((await streamed!)[0]).toMatchObject({ verdict: "ok" });
  expect((await whole!)[0]).toMatchObject({ verdict: "FAIL" });
});

test("a line that can't be read is a case that fails", async () => {
  const folder = mkdtempSync(join(tmpdir(), "lastcall-cases-"));
  try {
    const file = join(folder, "some.jsonl");
    writeFileSync(file, `${JSON.stringify(planted({}))}\n\n{"id": "torn\n[]\n`);
    const results = await replayAll(readCases([file], ["planted-"]), { library });
    expect(results.map(({ id, verdict }) => [id, verdict])).toEqual([
      ["planted-001", "ok"],
      ["some.jsonl:3", "FAIL"],
      ["some.jsonl:4", "FAIL"],
    ]);
    expect(readCases([file], ["other-"])).toHaveLength(2);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** A model that takes the first bytes for the whole reply. */
function hastyModel({ baseURL }: { readonly baseURL: string }): Model {
  let asked = 0;
  return {
    name: "hasty",
    provider: baseURL,
    async *respond(): AsyncGenerator<never, WrittenReply, void> {
      asked += 1;
      const body = JSON.stringify({ messages: [], tools: [{}] });
      const response = await fetch(`${baseURL}/chat/completions`, { method: "POST", body });
      await response.body?.getReader().read();
      const { name, args } = asked === 1 ? read : ok;
      return { text: "", calls: [{ type: "call", name, input: args }], finish: "complete", usage: noUsage };
    },
  };
}
