// Options that are undefined: the same as those that are left out, for every one of them.

import { afterEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import {
  createAgent,
  tool,
  type AgentOptions,
  type BreakingOptions,
  type CircuitOptions,
  type FrozenCall,
  type LimitOptions,
  type RunOptions,
  type SecretOptions,
  type Session,
  type Tool,
  type ToolOptions,
  type ToolSchema,
} from "../src/index.js";
import { openai, type OpenAIOptions, type SteadyOptions } from "../src/model/index.js";
import { gate, type GateOptions } from "../src/permission/index.js";
import { call, scriptedModel, scriptedProvider, type ScriptedModel } from "../src/testing/index.js";
import { askQuestion, converse, taskCompletion, type Awaiting } from "../src/tools/index.js";

/** Every option that can be left out, undefined. */
type Nothing<T> = {
  readonly [Key in keyof T as Partial<Pick<T, Key>> extends Pick<T, Key> ? Key : never]-?: undefined;
};

const noLimits: Nothing<LimitOptions> = {
  ...{ maxIterations: undefined, timeout: undefined, maxTokens: undefined, maxCost: undefined, prices: undefined },
  ...{ iterationTimeout: undefined, toolTimeout: undefined, warnAt: undefined, reserve: undefined },
};
const noCircuit: Nothing<CircuitOptions> = { identical: undefined, inARow: undefined, stall: undefined };
const noSecrets: Nothing<SecretOptions> = { values: undefined, patterns: undefined };
const noParts: Nothing<AgentOptions<readonly Tool[]>> = {
  ...{ instructions: undefined, permission: undefined, checks: undefined, maxAttempts: undefined, limits: undefined },
  ...{ hooks: undefined, circuit: undefined, onText: undefined, interactive: undefined, clip: undefined },
  ...{ memory: undefined, secrets: undefined, runtime: undefined, toolSources: undefined, earlyStart: undefined },
  ...{ maxParallelReads: undefined, approvals: undefined },
};
const noRun: Nothing<RunOptions> = {
  ...{ signal: undefined, session: undefined, answers: undefined, notesFrom: undefined, budget: undefined },
  compact: undefined,
  attachments: undefined,
  inputId: undefined,
  suspend: undefined,
  givenAt: undefined,
  by: undefined,
};

const read = tool({
  name: "read",
  description: "Reads",
  input: z.object({}),
  effect: "read",
  run: () => "x".repeat(9000),
});
const write = tool({
  name: "write",
  description: "Writes",
  input: z.object({}),
  effect: "write",
  run: () => "written",
});

describe("what is undefined is left out:", () => {
  /** What the model was asked and what was recorded, where nothing depends on the time or a random id. */
  async function traceOf(
    options: Partial<AgentOptions<readonly Tool[]>>,
    run?: RunOptions & { readonly onEvent?: undefined },
  ): Promise<unknown> {
    const model: ScriptedModel = scriptedModel([
      [call("read")],
      [call("write")],
      "words",
      [call("nothing")],
      [call("ask_question", { question: "Why?" })],
    ]);
    const tools: readonly Tool[] = [read, write, taskCompletion(), askQuestion()];
    const { session, status } = await createAgent({ model, tools, ...options }).run("Go.", run);
    const plain = (value: unknown): string =>
      JSON.stringify(value)
        .replaceAll(new RegExp(`${session.id}/\\w{6}/`, "g"), "s/")
        .replaceAll(/\[(outside|end) \w+\]/g, "[$1]");
    return [status, session.records.map(({ type }) => type), plain(model.requests)];
  }

  test("in an agent and its run", async () => {
    const usual = await traceOf({});
    expect(await traceOf(noParts)).toEqual(usual);
    expect(await traceOf({ limits: noLimits, circuit: noCircuit, secrets: noSecrets })).toEqual(usual);
    expect(await traceOf({ approvals: { mayApprove: undefined, quorum: undefined } })).toEqual(usual);
    expect(await traceOf({ circuit: { stall: { nudge: undefined, stop: undefined } } })).toEqual(usual);
    expect(await traceOf({}, { ...noRun, onEvent: undefined })).toEqual(usual);
  });

  test("in a run that goes on with a session, or may have to make one", async () => {
    const agent = createAgent({
      model: scriptedModel(() => [call("converse", { message: "Yes?" })]),
      tools: [converse()],
    });
    let session: Session | undefined;
    for (let turn = 1; turn <= 2; turn += 1) {
      const outcome = await agent.run("Hello", { session });
      expect([outcome.status, outcome.session.id]).toEqual(["waiting", session?.id ?? outcome.session.id]);
      session = outcome.session;
    }
    const stream = agent.stream("On", { ...noRun, session });
    for await (const event of stream) expect(event).toBeDefined();
    expect((await stream.outcome).session.id).toBe(session?.id);
    const left = await createAgent({ model: scriptedModel([]), tools: [converse()] }).run("Hello");
    const { session: _session, notesFrom: _notesFrom, ...rest } = noRun;
    expect(await agent.resume(left.session, { ...rest, onEvent: undefined })).toMatchObject({ status: "waiting" });
  });

  test("in a tool, and in those that await a reply", () => {
    const least = { name: "t", description: "T", input: z.object({}) } as const;
    const nothing: Nothing<ToolOptions<"t", ToolSchema, unknown>> = {
      ...{ run: undefined, effect: undefined, streams: undefined, timeout: undefined, pollable: undefined },
      ...{ idempotent: undefined, readsOutside: undefined, reach: undefined, preview: undefined, context: undefined },
      asks: undefined,
      definition: undefined,
    };
    const endless: Nothing<BreakingOptions<ToolSchema, boolean, boolean>> = {
      ...{ awaitsReply: undefined, replySchema: undefined, expiresAfter: undefined, givesUp: undefined },
      ...{ unverified: undefined },
    };
    const awaiting: Nothing<Awaiting> = { replySchema: undefined, expiresAfter: undefined };
    const shape = (made: object): unknown => JSON.stringify({ keys: Object.keys(made), ...made });
    expect(shape(tool({ ...least, ...nothing, isLoopBreaking: undefined }))).toBe(shape(tool(least)));
    const breaking = { ...least, isLoopBreaking: true } as const;
    expect(shape(tool({ ...breaking, ...nothing, ...endless }))).toBe(shape(tool(breaking)));
    expect(shape(converse(awaiting))).toBe(shape(converse()));
    expect(shape(askQuestion(awaiting))).toBe(shape(askQuestion()));
    expect(tool({ ...least, ...nothing }).run({}, {} as never)).toEqual({});
  });

  test("in the gate", async () => {
    const nothing: Nothing<GateOptions> = {
      ...{ tier: undefined, mode: undefined, allow: undefined, deny: undefined, protect: undefined },
      askAbout: undefined,
      ...{ approver: undefined, kept: undefined, approvalTimeout: undefined },
    };
    const deciding = { signal: new AbortController().signal, session: "s", preview: () => Promise.resolve(undefined) };
    for (const effect of ["none", "read", "write", "execute", "network"] as const) {
      const asked: FrozenCall = { id: "s/1/call:1:0", name: "t", input: {}, effect };
      const [one, other] = [gate({ root: process.cwd(), ...nothing }), gate({ root: process.cwd() })];
      expect(await one.decide(asked, deciding)).toEqual(await other.decide(asked, deciding));
    }
  });
});

describe("what is undefined is left out of openai():", () => {
  const steady: Nothing<SteadyOptions> = {
    ...{ attempts: undefined, firstDelay: undefined, maxDelay: undefined, maxRetryAfter: undefined },
    ...{ circuit: undefined, runtime: undefined },
  };
  const nothing: Nothing<OpenAIOptions> = {
    ...{ model: undefined, baseURL: undefined, apiKey: undefined, client: undefined, api: undefined },
    ...{
      params: undefined,
      forcing: undefined,
      textCalls: undefined,
      headers: undefined,
      idleTimeout: undefined,
      attachments: undefined,
      dispatcher: undefined,
      fetch: undefined,
      steady: undefined,
    },
  };

  afterEach(() => {
    vi.unstubAllEnvs();
  });

  test("what it is and what it asks is the same", async () => {
    await using provider = await scriptedProvider(() => [call("task_completion", { result: "done" })]);
    vi.stubEnv("OPENAI_BASE_URL", provider.url);
    vi.stubEnv("OPENAI_API_KEY", "sk-test");
    vi.stubEnv("OPENAI_MODEL", "named");
    const models = [openai(), openai(nothing), openai({ steady })];
    expect(new Set(models.map(({ name, provider: where }) => `${name} ${where}`))).toEqual(
      new Set([`named ${provider.url}`]),
    );
    for (const model of models) await createAgent({ model, tools: [taskCompletion()] }).run("Go.");
    const [first, ...others] = provider.requests.map(({ path, body, headers }) => [path, body, headers.authorization]);
    expect(others).toEqual([first, first]);
  });
});
