import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  createAgent,
  LastcallError,
  tool,
  type AgentOptions,
  type Decision,
  type Check,
  type Session,
  type Tool,
  type ToolSource,
} from "../../../src/index.js";
import { call, scriptedModel, virtualClock } from "../../../src/testing/index.js";
import { askQuestion, converse, taskCompletion } from "../../../src/tools/index.js";

const done = [call("task_completion", { result: "Done." })];

/** The fault that creating the agent throws. */
function refusal(
  options: Partial<AgentOptions<readonly Tool[], Decision, boolean, readonly ToolSource[]>>,
): LastcallError {
  try {
    createAgent({ model: scriptedModel([]), tools: [taskCompletion()], ...options });
  } catch (thrown) {
    if (thrown instanceof LastcallError) return thrown;
    throw thrown;
  }
  throw new Error("it was not refused");
}

describe("createAgent refuses, saying what is wrong and what to do,", () => {
  it("no model, or a value that is not a model", () => {
    for (const model of [undefined, {}, "gpt"]) {
      const { code, message } = refusal({ model: model as never });
      expect(code).toBe("configuration");
      expect(message).toContain('give a model, for example openai({ model: "..." }), or fromAiSdk(model)');
    }
  });

  it("tools that cannot end a run", () => {
    const { code, message } = refusal({ tools: [] });
    expect(code).toBe("configuration");
    expect(message).toBe("No tool could end a run: add one with isLoopBreaking: true, for example taskCompletion().");
  });

  it("tools that all await a reply if no person can answer", () => {
    expect(refusal({ tools: [askQuestion()], interactive: false }).message).toContain("No tool could end a run");
  });

  it("a repeated name and a name that can't be sent", () => {
    const odd = tool({ name: "odd name", description: "", input: z.object({}) });
    expect(refusal({ tools: [taskCompletion(), taskCompletion()] }).message).toBe(
      'Two tools are named "task_completion": rename one of them.',
    );
    expect(refusal({ tools: [taskCompletion(), odd] }).message).toBe(
      `Tool name "odd name" can't be sent: use 1 to 64 letters, digits, _ or -.`,
    );
  });

  it("a schema that can't be sent", () => {
    const list = tool({ name: "list", description: "", input: z.array(z.string()) });
    expect(refusal({ tools: [taskCompletion(), list] }).message).toBe(
      `The input schema of tool "list" can't be used: a tool's arguments are an object; wrap it, for example z.object({ value: ... }).`,
    );
  });

  it("a value that is none of the few that a field has, in plain JavaScript", () => {
    const tools = [taskCompletion()];
    const check = { name: "lint", every: "iterations", verify: () => ({ passed: true, output: "" }) };
    expect(refusal({ tools, checks: [check as never] }).message).toBe(
      'The field every of the check "lint" is "iterations": give one of "claim", "iteration", or leave it out. Did you mean "iteration"?',
    );
    expect(refusal({ tools, interactive: "no" as never }).message).toContain(
      'interactive of createAgent is "no": give one of true, false',
    );
    expect(refusal({ tools, earlyStart: 0 as never }).message).toContain(
      "earlyStart of createAgent is 0: give one of true, false",
    );
    const made = { ...taskCompletion(), effect: "Execute" as never };
    expect(refusal({ tools: [made] }).message).toContain('Did you mean "execute"?');
    expect(refusal({ tools, toolSources: [{ tools: [{ ...made, name: "x", ending: "never" }] }] }).message).toContain(
      "The field effect of tool",
    );
  });

  it.each([0, -1, 2.5, NaN, Infinity])("the bound %s", (bound) => {
    for (const [name, options] of [
      ["maxAttempts", { maxAttempts: bound }],
      ["circuit.identical", { circuit: { identical: bound } }],
      ["circuit.inARow", { circuit: { inARow: bound } }],
      ["limits.maxIterations", { limits: { maxIterations: bound } }],
    ] as const) {
      const { code, message } = refusal(options);
      expect(code).toBe("configuration");
      expect(message).toBe(`${name} is ${String(bound)}: give a whole number of at least 1.`);
    }
  });
});

describe("createAgent refuses checks and limits, saying what is wrong and what to do:", () => {
  const check = (name: string): Check => ({ name, verify: () => ({ passed: true, output: "" }) });

  it("two checks with one name", () => {
    const { code, message } = refusal({ checks: [check("tests"), check("lint"), check("tests")] });
    expect(code).toBe("configuration");
    expect(message).toBe('Two checks are named "tests": leave one out, or give it another name.');
  });

  it("a cost without a price for the model of the agent", () => {
    const prices = { other: { input: 1, output: 1 } };
    expect(refusal({ model: scriptedModel([]), limits: { maxCost: 1, prices } }).message).toBe(
      `limits.maxCost needs what ${scriptedModel([]).name} costs: add it to limits.prices.`,
    );
  });
});

describe("createAgent refuses as the tool for replies of words alone (onText)", () => {
  const quiet = tool({ name: "quiet", description: "", input: z.object({}), isLoopBreaking: true });
  const note = tool({ name: "note", description: "", input: z.object({ text: z.string() }), streams: "text" });
  const tools = [taskCompletion(), converse(), quiet, note];

  it.each([
    ["converze", "and no tool of this agent has that name: give one of converse, note, quiet, task_completion."],
    ["note", "which is not loop-breaking: name a tool that has isLoopBreaking, for example converse()."],
    ["quiet", "which streams no text field: say which field the words go to, with its option `streams`."],
  ])("%s", (onText, why) => {
    expect(refusal({ tools, onText }).message).toBe(`onText is "${onText}", ${why}`);
    expect(refusal({ tools, onText }).code).toBe("configuration");
  });

  it("a tool that awaits a reply if no person can answer", () => {
    expect(refusal({ tools, onText: "converse", interactive: false }).message).toContain(
      'onText is "converse", and no tool of this agent has that name',
    );
  });
});

describe("run and stream refuse, saying what is wrong and what to do,", () => {
  const agent = createAgent({ model: scriptedModel([]), tools: [taskCompletion()] });
  const session: Session = { version: 1, id: "s", records: [] };
  const record = { type: "input", run: 1, text: "x", at: 0 } as const;

  it.each<[string, unknown, unknown, string]>([
    ["an empty input", "", session, "The input of a run must be a text that is not blank, or a typed reply."],
    ["an input that is not text", 7, session, "The input of a run must be a text that is not blank, or a typed reply."],
    ["another version", "x", { ...session, version: 2 }, "The session has version 2; this lastcall reads version 1."],
    [
      "an empty id",
      "x",
      { ...session, id: "" },
      "The session must have an id and its records, as `outcome.session` has.",
    ],
    [
      "no records",
      "x",
      { version: 1, id: "s" },
      "The session must have an id and its records, as `outcome.session` has.",
    ],
    [
      "a gap in the records",
      "x",
      {
        ...session,
        records: [
          { ...record, seq: 0 },
          { ...record, seq: 2 },
        ],
      },
      "The session's records are not whole: number 1 is missing or out of place. Hand over all of them.",
    ],
    [
      "records without their beginning",
      "x",
      { ...session, records: [{ ...record, seq: 1 }] },
      "The session's records are not whole: number 0 is missing or out of place. Hand over all of them.",
    ],
  ])("%s", async (_what, input, from, message) => {
    const fault = expect.objectContaining({ code: "configuration", message }) as unknown;
    await expect(agent.run(input as string, { session: from as Session })).rejects.toEqual(fault);
    expect(() => agent.stream(input as string, { session: from as Session })).toThrow(fault);
  });
});

describe("an agent", () => {
  it("can be run any number of times, each run a session of its own", async () => {
    const agent = createAgent({ model: scriptedModel([done, done]), tools: [taskCompletion()] });
    const one = await agent.run("One.");
    const other = await agent.run("Two.");
    expect([one.status, other.status]).toEqual(["completed", "completed"]);
    expect(one.session.id).not.toBe(other.session.id);
  });

  it("takes time and ids from its runtime", async () => {
    const runtime = virtualClock();
    const agent = createAgent({ model: scriptedModel([done]), tools: [taskCompletion()], runtime });
    const { session } = await agent.run("Go.");
    expect(session.id).toBe("session-1");
    expect(session.records.map(({ at }) => at)).toEqual(session.records.map(() => 0));
  });

  it("leaves tools that await a reply out of the request if no person can answer", async () => {
    const model = scriptedModel([done]);
    await createAgent({ model, tools: [taskCompletion(), askQuestion()], interactive: false }).run("Go.");
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(["task_completion"]);
    expect(model.requests[0]?.system).not.toContain("ask_question");
  });

  it("sends the same request whatever the order of its tools", async () => {
    const requests = [];
    for (const tools of [
      [taskCompletion(), askQuestion()],
      [askQuestion(), taskCompletion()],
    ]) {
      const model = scriptedModel([done]);
      await createAgent({ model, tools, runtime: virtualClock() }).run("Go.");
      requests.push(JSON.stringify(model.requests));
    }
    expect(requests[0]).toBe(requests[1]);
  });

  it("reports a watcher that throws or rejects once, and goes on calling it", async () => {
    for (const complain of [
      () => {
        throw new Error("no");
      },
      () => Promise.reject(new Error("no")),
    ]) {
      const runtime = virtualClock();
      let seen = 0;
      const agent = createAgent({ model: scriptedModel([done]), tools: [taskCompletion()], runtime });
      const outcome = await agent.run("Go.", {
        onEvent: () => {
          seen += 1;
          return complain();
        },
      });
      await new Promise((resolve) => setImmediate(resolve));
      expect(outcome.status).toBe("completed");
      expect(seen).toBeGreaterThan(5);
      expect(runtime.warnings).toHaveLength(1);
      expect(runtime.warnings[0]?.code).toBe("watcher");
      expect(runtime.warnings[0]?.message).toBe(
        "A watcher threw at a run-start event: no. The run goes on; mend the watcher.",
      );
    }
  });
});
