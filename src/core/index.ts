// lastcall/core: the loop, its data and its ports. No I/O, and no package at run time.

export { createAgent, type Agent, type AgentDefaults, type RunOptions } from "./agent/agent.js";
export type { AgentOptions } from "./agent/assemble.js";
export type { Input } from "./agent/answer.js";
export type { Definition } from "./data/definition.js";
export {
  addUsage,
  argumentsOf,
  noUsage,
  type Call,
  type ReadableCall,
  type Reply,
  type UnreadableCall,
  type Usage,
  type WrittenCall,
} from "./data/call.js";
export type { Budget, Reservation } from "./ports/budget.js";
export type { Check, CheckContext, CheckVerdict } from "./ports/check.js";
export type { CheckTime, Receipt } from "./data/receipt.js";
export type { Circuit, CircuitOptions } from "./journal/circuit.js";
export { clip, countLines, readerName, shortId, wholeAt, type Clipping } from "./journal/clip.js";
export type {
  CallDelta,
  CallWriting,
  Event,
  ForcingStep,
  ModelEvent,
  PromptRewrite,
  ReasoningDelta,
  ReplyRetracted,
  RequestAdjusted,
  RequestRetry,
  TextDelta,
} from "./ports/event.js";
export {
  describeFailure,
  factKinds,
  failure,
  maskVolatile,
  formKinds,
  type Failure,
  type FailureFacts,
  type FailureKind,
} from "./data/failure.js";
export { asFault, explain, LastcallError, type FaultCode, type FaultDetails } from "./data/fault.js";
export type { Execution, Hook, NextCall, NextRequest } from "./ports/hook.js";
export { sizeOf } from "./journal/ledger.js";
export { isPlainObject, toJson, type Json, type JsonObject } from "./data/json.js";
export type { LimitOptions } from "./ports/limit.js";
export type { LimitReached, LimitReason } from "./data/limit-reached.js";
export type { Consultation, Memory, MemoryFactory, Recalling } from "./ports/memory.js";
export type { AssistantMessage, Message, ToolMessage, UserMessage } from "./data/message.js";
export { wholeReply, type Model, type ModelRequest, type WrittenReply } from "./ports/model.js";
export { describeNotes, noteLine, notesIn, notesRoom, type Notes } from "./journal/notebook.js";
export { type Note } from "./data/note.js";
export type {
  Aborted,
  ClaimOf,
  Completed,
  CompletedBy,
  Ended,
  Failed,
  Outcome,
  Stopped,
  StopReason,
  Waiting,
  WaitingFor,
} from "./ports/outcome.js";
export { escapeRoles, shownOf, wrapOutside } from "./journal/outside.js";
export {
  clear,
  everyOf,
  failClosed,
  isGated,
  type Deciding,
  type FrozenCall,
  type Permission,
  type Reach,
} from "./ports/permission.js";
export { type Basis, type Decision } from "./data/decision.js";
export type {
  BaselineRecord,
  CheckRecord,
  ClaimRecord,
  ClosingReason,
  DecisionRecord,
  ErrorContextRecord,
  ExpiryRecord,
  FoldRecord,
  InputRecord,
  IntentRecord,
  IterationRecord,
  JournalRecord,
  JournalResult,
  Notice,
  NoticeRecord,
  OutcomeStatus,
  OutcomeRecord,
  OverflowRecord,
  PruneRecord,
  RecordBody,
  ReplyRecord,
  ResultRecord,
  ResumeRecord,
  RewriteRecord,
  SpendRecord,
  SteerRecord,
  StubRecord,
} from "./journal/record.js";
export { redactor, type Redactor, type SecretOptions } from "./secret/redact.js";
export type { RedactedStream } from "./secret/redact-stream.js";
export { verifyReceipt, type ReceiptVerdict } from "./journal/verify-receipt.js";
export { systemRuntime, type Runtime } from "./time/runtime.js";
export type { Lease, OpenSession, SentInput, Session } from "./journal/session.js";
export { milliseconds, wholeNumber } from "./data/settings.js";
export type { InferOutput, StandardIssue, StandardResult, StandardSchema } from "./data/standard-schema.js";
export { checkPrices, type Price, type Prices, type PromptSize, type Spent } from "./journal/spent.js";
export type { Baseline, Closing, Standing, State, Success, Unanswered } from "./journal/state.js";
export { replay, step } from "./journal/step.js";
export type { Stall } from "./journal/stall.js";
export type { AgentStream } from "./agent/stream.js";
export {
  tool,
  type BreakingOptions,
  type EndingOf,
  type Made,
  type Tool,
  type ToolContext,
  type ToolOptions,
  type ValueOf,
  type WorkingOptions,
} from "./ports/tool.js";
export { type Effect, type ToolEnding } from "./data/effect.js";
export type { EarlyZodSchema, InputOf, JsonSchema, ToolSchema } from "./data/tool-schema.js";
export type {
  ArgumentIssue,
  CompiledSchema,
  CompiledTool,
  SchemaCompiler,
  Toolbox,
  ToolDescription,
  Validation,
} from "./ports/toolbox.js";
export type { Watcher } from "./ports/watcher.js";
