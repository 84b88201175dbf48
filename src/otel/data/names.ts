// The names of spans' attributes, of events and of metrics: the names of the conventions for generative AI (1.45.0), and
// lastcall's names.

/**
 * The attributes of spans and of metrics. The attributes of generative AI are in development, so they may change with a new version of
 * lastcall.
 */
export const attribute = {
  agent: "gen_ai.agent.name",
  cachedTokens: "gen_ai.usage.cache_read.input_tokens",
  callArguments: "gen_ai.tool.call.arguments",
  callId: "gen_ai.tool.call.id",
  callResult: "gen_ai.tool.call.result",
  conversation: "gen_ai.conversation.id",
  errorType: "error.type",
  finishReasons: "gen_ai.response.finish_reasons",
  firstChunk: "gen_ai.response.time_to_first_chunk",
  inputMessages: "gen_ai.input.messages",
  inputTokens: "gen_ai.usage.input_tokens",
  model: "gen_ai.request.model",
  operation: "gen_ai.operation.name",
  outputMessages: "gen_ai.output.messages",
  outputTokens: "gen_ai.usage.output_tokens",
  provider: "gen_ai.provider.name",
  reasoningTokens: "gen_ai.usage.reasoning.output_tokens",
  responseId: "gen_ai.response.id",
  responseModel: "gen_ai.response.model",
  serverAddress: "server.address",
  serverPort: "server.port",
  system: "gen_ai.system_instructions",
  tokenType: "gen_ai.token.type",
  tool: "gen_ai.tool.name",
  toolDescription: "gen_ai.tool.description",
  toolDefinitions: "gen_ai.tool.definitions",
  toolType: "gen_ai.tool.type",

  about: "lastcall.about",
  attachments: "lastcall.attachments",
  attempt: "lastcall.attempt",
  by: "lastcall.by",
  check: "lastcall.check",
  checkOutput: "lastcall.check.output",
  claim: "lastcall.claim",
  cost: "lastcall.cost",
  count: "lastcall.count",
  delay: "lastcall.delay",
  inARow: "lastcall.in_a_row",
  interrupted: "lastcall.interrupted",
  iteration: "lastcall.iteration",
  iterations: "lastcall.iterations",
  key: "lastcall.key",
  message: "lastcall.message",
  outcome: "lastcall.outcome",
  passed: "lastcall.passed",
  reason: "lastcall.reason",
  resumed: "lastcall.resumed",
  rule: "lastcall.rule",
  sessionState: "lastcall.session.state",
  storeFlush: "lastcall.store.flush",
  storeOperation: "lastcall.store.operation",
  unfinished: "lastcall.unfinished",
  verified: "lastcall.verified",
  waited: "lastcall.waited",
  when: "lastcall.when",
} as const;

/** The values of `gen_ai.operation.name`. A check has none. */
export const operation = { run: "invoke_agent", chat: "chat", call: "execute_tool" } as const;

/** The events of spans. */
export const eventName = {
  asking: "lastcall.call_asking",
  circuitOpen: "lastcall.circuit_open",
  expiry: "lastcall.expiry",
  forcing: "lastcall.forcing_step",
  notice: "lastcall.notice",
  parked: "lastcall.call_parked",
  question: "lastcall.call_question",
  retracted: "lastcall.reply_retracted",
  adjusted: "lastcall.request_adjusted",
  retry: "lastcall.retry",
  rewrite: "lastcall.prompt_rewrite",
  steer: "lastcall.steer",
} as const;

/** The metrics. Durations are in seconds. */
export const metric = {
  chatDuration: "gen_ai.client.operation.duration",
  tokens: "gen_ai.client.token.usage",
  runs: "lastcall.runs",
  runDuration: "lastcall.run.duration",
  iterations: "lastcall.run.iterations",
  cost: "lastcall.run.cost",
  callDuration: "lastcall.call.duration",
  checkDuration: "lastcall.check.duration",
  circuitOpenings: "lastcall.circuit.openings",
  claimsRefused: "lastcall.claims.refused",
  retries: "lastcall.request.retries",
  appendDuration: "lastcall.store.append.duration",
  storeFailures: "lastcall.store.failures",
  takeovers: "lastcall.store.takeovers",
  sessions: "lastcall.store.sessions",
  oldestWait: "lastcall.store.oldest_wait",
  withMessages: "lastcall.store.sessions_with_messages",
  oldestMessage: "lastcall.store.oldest_message",
} as const;

/** The name of our tracer and our meter. */
export const scope = "lastcall";
