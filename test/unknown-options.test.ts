// Every public function that takes options refuses an unknown one: a misspelled option would be without effect, and nobody would know.

import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { z } from "zod";
import { afterAll, expect, test } from "vitest";
import { fromAiSdk } from "../src/ai-sdk/index.js";
import { command, commandHooks, judge, postEdit, predicate } from "../src/checks/index.js";
import { log } from "../src/cli/log.js";
import { hostOnDbos } from "../src/dbos/index.js";
import { hostOnRestate } from "../src/restate/index.js";
import { driveSession, hostInProcess } from "../src/host/index.js";
import { jwt } from "../src/jwt/index.js";
import { createAgent, redactor, sharedLimits, tool } from "../src/index.js";
import {
  followSession,
  forkSession,
  importSession,
  memoryStore,
  openSession,
  promptAt,
  pruneSessions,
  recordsAfter,
  removeAttachment,
  repairSession,
  windowed,
} from "../src/memory/index.js";
import { fileVault, mcpHandler, mcpStdio, mcpTools, memoryVault, signIns } from "../src/mcp/index.js";
import { compareVariants, evaluate, evaluation, rivals, rounds, truthSuite, type Report } from "../src/evals/index.js";
import { fallback, limited, openai, steady } from "../src/model/index.js";
import { exportTrace, otel, storeMetrics, traceOf } from "../src/otel/index.js";
import { gate } from "../src/permission/index.js";
import { migrate, pgStore, type PgPool } from "../src/postgres/index.js";
import { aguiMapper, createHandler, serve, sessionPage, signedCookie, watchSession } from "../src/server/index.js";
import { bubblewrap, findSandbox, landlock, sandboxExec } from "../src/shell/index.js";
import {
  assertWellFormed,
  bisectSession,
  faultPlan,
  recordingProvider,
  replaySession,
  replayingProvider,
  scriptedModel,
  virtualClock,
} from "../src/testing/index.js";
import {
  delegate,
  handBack,
  handOver,
  proposePlan,
  listFiles,
  runCommand,
  searchFiles,
  taskCompletion,
  workspaceChanges,
  workspaceTools,
} from "../src/tools/index.js";

const model = scriptedModel([]);
const store = memoryStore();
const pool: PgPool & { readonly options: object } = {
  options: {},
  query: () => Promise.reject(new Error()),
  connect: () => Promise.reject(new Error()),
  on: String,
};
// A folder of its own: walls look at all that is in a root.
const root = mkdtempSync(join(tmpdir(), "lastcall-options-"));
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});
const tools = [taskCompletion()];
const agent = createAgent({ model, tools });
/** Takes all that it is told: a host waits half a minute for a server that is not there. */
const taking = createServer((_request, response) => response.end("{}"));
await once(taking.listen(0, "127.0.0.1"), "listening");
afterAll(() => taking.close());
const address = `http://127.0.0.1:${String((taking.address() as AddressInfo).port)}`;
const restate = { agents: { agent }, store, ingress: address, admin: address };
const host = await hostInProcess({ agents: { worker: agent }, store });
const input = z.object({});
const driven = { agent, store, session: "s", signal: AbortSignal.abort(), suspend: AbortSignal.abort() };
const ofAiSdk = {
  specificationVersion: "v4",
  provider: "p",
  modelId: "m",
  doStream: () => Promise.reject(new Error()),
} as const;

const evalTask = { id: "a", input: "Do it." };
const commandEval = evaluation({ tasks: [evalTask], variants: { a: { command: ["true"] } } });
const emptyReport: Report = { version: 1, name: "a", plan: "", planned: 0, tasks: [], arms: [], rows: [] };

/** For each public type of options: a correct use, and the same with an unknown option. */
const uses: Record<string, (unknown: object) => unknown> = {
  AdmissionOptions: (unknown) => createHandler({ host, ...unknown }),
  AgentOptions: (unknown) => createAgent({ model, tools, ...unknown }),
  AguiMapperOptions: (unknown) => aguiMapper({ threadId: "t", runId: "r", ...unknown }),
  ApprovalOptions: (unknown) => createAgent({ model, tools, approvals: { quorum: 1, ...unknown } }),
  AiSdkOptions: (unknown) => fromAiSdk(ofAiSdk, unknown),
  "AiSdkOptions.params": (unknown) => fromAiSdk(ofAiSdk, { params: unknown }),
  BreakerOptions: (unknown) => steady(model, { circuit: unknown }),
  BreakingOptions: (unknown) =>
    tool({ name: "end", description: "Ends.", input, effect: "none", isLoopBreaking: true, ...unknown }),
  CircuitOptions: (unknown) => createAgent({ model, tools, circuit: unknown }),
  "CircuitOptions.stall": (unknown) => createAgent({ model, tools, circuit: { stall: unknown } }),
  CommandCheckOptions: (unknown) => command("true", unknown),
  ChangesOptions: (unknown) => workspaceChanges({ root, folder: root, ...unknown }),
  "ChangesOptions limits": (unknown) =>
    workspaceChanges({ root, folder: root, limits: { entries: 1, bytes: 1, ...unknown } }),
  CommandOptions: (unknown) => runCommand({ root, ...unknown }),
  DbosHostOptions: (unknown) => hostOnDbos({ agents: { agent }, store, pool, ...unknown }),
  DbosConcurrencyOptions: (unknown) => hostOnDbos({ agents: { agent }, store, pool, concurrency: unknown }),
  DbosRateOptions: (unknown) =>
    hostOnDbos({ agents: { agent }, store, pool, rates: [{ agent: "agent", most: 1, per: 1000, ...unknown }] }),
  ReplayingOptions: (unknown) => replayingProvider({ file: join(root, "no.jsonl"), ...unknown }),
  RestateHostOptions: async (unknown) => (await hostOnRestate({ ...restate, listen: { port: 0 }, ...unknown })).close(),
  RestateListenOptions: async (unknown) =>
    (await hostOnRestate({ ...restate, listen: { port: 0, ...unknown } })).close(),
  DriveOptions: (unknown) => driveSession({ ...driven, ...unknown }),
  "EvaluationOptions.tasks": (unknown) =>
    evaluation({ tasks: [{ ...evalTask, ...unknown }], variants: { a: { command: ["true"] } } }),
  "EvaluationOptions.variants": (unknown) =>
    evaluation({ tasks: [evalTask], variants: { a: { command: ["true"], ...unknown } } }),
  "EvaluationOptions.limits": (unknown) =>
    evaluation({ tasks: [evalTask], variants: { a: { command: ["true"] } }, limits: unknown }),
  EvaluationOptions: (unknown) => evaluation({ tasks: [evalTask], variants: { a: { command: ["true"] } }, ...unknown }),
  EvaluateOptions: async (unknown) => {
    for await (const _event of evaluate(commandEval, { base: root, ...unknown })) break;
  },
  RoundsOptions: (unknown) => rounds(agent, "a", { store, ...unknown }).next(),
  RivalsOptions: (unknown) =>
    rivals(() => agent, "a", { store, root, folder: join(root, "rivals"), ...unknown }).next(),
  CompareOptions: (unknown) => compareVariants(emptyReport, unknown),
  ExportOptions: (unknown) => exportTrace([], { export: () => undefined }, unknown),
  FallbackOptions: (unknown) => fallback([model, model], unknown),
  FaultPlanOptions: (unknown) => faultPlan([], unknown),
  FollowOptions: (unknown) => followSession({ store, id: "a", signal: AbortSignal.abort(), ...unknown }).next(),
  ChatOptions: (unknown) => createHandler({ host, chat: unknown }),
  ImportOptions: (unknown) => importSession({ store, text: "{}", ...unknown }),
  SessionPageOptions: (unknown) => sessionPage({ store, id: "a", ...unknown }),
  ForkOptions: (unknown) => forkSession({ store, id: "a", ...unknown }),
  GateOptions: (unknown) => gate({ root, ...unknown }),
  GuardOptions: (unknown) => createHandler({ host, token: "t", ...unknown }),
  HandlerOptions: (unknown) => createHandler({ host, ...unknown }),
  AccessOptions: (unknown) => createHandler({ host, authenticate: () => true, ...unknown }),
  HostCloseOptions: async (unknown) => (await hostInProcess({ agents: { agent }, store })).close(unknown),
  InProcessOptions: (unknown) => hostInProcess({ agents: { agent }, store, ...unknown }),
  JudgeOptions: (unknown) => judge(model, "It is short.", unknown),
  JwtOptions: (unknown) => jwt({ issuer: "i", audience: "a", jwksUrl: "https://a.example/", ...unknown }),
  LimitedOptions: (unknown) => limited([model], unknown),
  LimitOptions: (unknown) => createAgent({ model, tools, limits: unknown }),
  LogOptions: (unknown) => log(unknown),
  McpHandlerOptions: (unknown) =>
    mcpHandler({
      agents: { a: { description: "", agent } },
      sessions: (id) => openSession({ store, id }),
      ...unknown,
    }),
  McpStdioOptions: (unknown) =>
    mcpStdio({
      agents: { a: { description: "", agent } },
      sessions: (id) => openSession({ store, id }),
      input: new PassThrough(),
      output: new PassThrough(),
      signal: AbortSignal.abort(),
      ...unknown,
    }),
  FileVaultOptions: (unknown) => fileVault({ folder: root, ...unknown }),
  SignedCookieOptions: (unknown) => signedCookie({ secrets: ["a".repeat(32)], ...unknown }),
  SignInOptions: (unknown) =>
    signIns({ vault: memoryVault(), redirect: "http://localhost/oauth/callback", ...unknown }),
  SignInApiOptions: (unknown) =>
    signIns({ vault: memoryVault(), redirect: "http://localhost/oauth/callback" }).api({
      name: "crm",
      url: "https://api.crm.example",
      ...unknown,
    }),
  McpOptions: (unknown) => mcpTools({ name: "x", command: "x", ...unknown }),
  MigrateOptions: (unknown) => migrate(pool, unknown),
  OpenAIOptions: (unknown) => openai({ model: "m", apiKey: "k", ...unknown }),
  OtelOptions: (unknown) => otel(unknown),
  PgStoreOptions: (unknown) => pgStore(pool, unknown),
  CommandHooksOptions: (unknown) => commandHooks([], unknown),
  PostEditOptions: (unknown) => postEdit([], unknown),
  PredicateOptions: (unknown) => predicate("holds", () => true, unknown),
  ReplayOptions: (unknown) => replaySession({ version: 1, id: "a", records: [] }, unknown as never),
  BisectOptions: (unknown) => bisectSession({ version: 1, id: "a", records: [] }, unknown as never),
  PromptOptions: (unknown) => promptAt({ version: 1, id: "a", records: [] }, 0, unknown),
  RecordingOptions: (unknown) =>
    recordingProvider({ upstream: "none", file: join(root, "recorded.jsonl"), ...unknown }),
  RecordsOptions: (unknown) => recordsAfter({ store, id: "a", ...unknown }),
  RemoveAttachmentOptions: (unknown) => removeAttachment({ store, id: "s", digest: "0".repeat(64), ...unknown }),
  HandOverOptions: (unknown) => handOver({ agent }, unknown),
  HandBackOptions: (unknown) => handBack(unknown),
  ProposePlanOptions: (unknown) => proposePlan(agent, unknown),
  DelegateOptions: (unknown) => delegate(agent, { name: "look", description: "Looks", ...unknown }),
  PruneOptions: (unknown) => pruneSessions({ store, olderThan: 0, ...unknown }),
  RepairOptions: (unknown) => repairSession({ store, id: "a", ...unknown }),
  RootOptions: (unknown) => listFiles({ root, ...unknown }),
  RunOptions: (unknown) => agent.stream("Go.", unknown),
  SandboxOptions: (unknown) => bubblewrap({ root, writable: false, ...unknown }),
  "SandboxOptions of landlock": (unknown) => landlock({ root, writable: false, ...unknown }),
  "SandboxOptions of sandboxExec": (unknown) => sandboxExec({ root, writable: false, ...unknown }),
  "SandboxOptions of findSandbox": (unknown) => findSandbox({ root, writable: false, ...unknown }),
  ScriptedModelOptions: (unknown) => scriptedModel([], unknown),
  SearchOptions: (unknown) => searchFiles({ root, ...unknown }),
  SecretOptions: (unknown) => redactor(unknown),
  "SecretOptions of an agent": (unknown) => createAgent({ model, tools, secrets: unknown }),
  ServeOptions: async (unknown) => (await serve(() => new Response(), unknown)).close(),
  SessionOptions: (unknown) => openSession({ store, ...unknown }),
  SessionsInOptions: (unknown) => pgStore(pool).sessionsIn("waiting", unknown),
  SharedLimitOptions: (unknown) => sharedLimits({ maxIterations: 1, ...unknown }),
  SteadyOptions: (unknown) => steady(model, unknown),
  StoreMetricsOptions: (unknown) => storeMetrics(store, unknown),
  StoredVaultOptions: (unknown) => pgStore(pool).vault(unknown),
  StoredLimitOptions: (unknown) => pgStore(pool).limits({ name: "a", maxCost: 1, ...unknown }),
  ToolOptions: (unknown) =>
    tool({ name: "look", description: "Looks.", input, effect: "read", run: () => "", ...unknown }),
  TruthSuiteOptions: (unknown) => truthSuite(unknown),
  TraceOptions: (unknown) => traceOf({ version: 1, id: "s", records: [] }, unknown),
  VirtualClockOptions: (unknown) => virtualClock(unknown),
  WellFormedOptions: (unknown) => {
    assertWellFormed([], unknown);
  },
  WatchOptions: (unknown) => watchSession({ host, id: "s", signal: AbortSignal.abort(), ...unknown }),
  WindowOptions: (unknown) => windowed({ window: 1000, ...unknown }),
  WorkspaceOptions: (unknown) => workspaceTools({ root, ...unknown }),
};

/**
 * Types that users do not pass to a function of lastcall: a case of `tool()`, the options that a conformance suite passes, those of an
 * instrument, which a meter of OpenTelemetry gets, those that stores of anybody get, those that a provider of the AI SDK reads, and those that a trial passes to an agent.
 */
const others = [
  "WorkingOptions",
  "StorePlaceOptions",
  "InstrumentOptions",
  "ListOptions",
  "ProviderOptions",
  "TrialRunOptions",
];

test.each(Object.entries(uses))("an unknown option is refused and named: %s", async (_type, use) => {
  const refused = expect.objectContaining({
    code: "configuration",
    message: expect.stringMatching(/ has no option "zzzzzz"\. It has: \w/) as string,
  }) as Error;
  await expect((async () => use({ zzzzzz: 1 }))()).rejects.toEqual(refused);
});

test.each(Object.entries(uses))("an option that is undefined counts as left out: %s", async (type, use) => {
  const thrown: unknown = await (async () => use({ zzzzzz: undefined }))().then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(String(thrown), type).not.toContain("has no option");
});

test("no public type of options is without a case here", () => {
  const entries = JSON.parse(readFileSync("test/public-api.json", "utf8")) as Record<string, { types: string[] }>;
  const types = Object.values(entries).flatMap((entry) => entry.types.filter((name) => name.endsWith("Options")));
  const known = Object.keys(uses).map((name) => name.replace(/[ .].*/, ""));
  expect([...new Set([...known, ...others])].sort()).toEqual([...new Set(types)].sort());
});

test("the tools of a workspace take one object of options, each its part", () => {
  const options = { root, searchWith: "javascript", searchTimeout: 1000, env: { A: "b" }, hide: ["*.pem"] } as const;
  expect([listFiles(options), searchFiles(options), runCommand(options)].map(({ name }) => name)).toEqual([
    "list_files",
    "search_files",
    "run_command",
  ]);
});

test("the stack of a refused tool begins where the user makes it", () => {
  const make = (): unknown => tool({ name: "look", description: "", input, efect: "read" } as never);
  expect(make).toThrow('Did you mean "effect"?');
  try {
    make();
  } catch (thrown) {
    expect((thrown as Error).stack?.split("\n")[1]).toContain("unknown-options.test.ts");
  }
});
