// lastcall/core: the loop, its data and its ports. No I/O, and no package at run time.

export { createAgent, type Agent, type AgentDefaults, type RunOptions } from "./agent.js";
export type { AgentOptions } from "./assemble.js";
export type { Input } from "./answer.js";
export type { Definition } from "./definition.js";
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
} from "./call.js";
export type { Budget, Hold } from "./budget.js";
export type { Check, CheckContext, CheckTime, CheckVerdict, Receipt } from "./check.js";
export type { Circuit, CircuitOptions } from "./circuit.js";
export { clip, countLines, readerName, shortId, wholeAt, type Clipping } from "./clip.js";
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
} from "./event.js";
export {
  describeFailure,
  factKinds,
  failure,
  foldVolatile,
  formKinds,
  type Failure,
  type FailureFacts,
  type FailureKind,
} from "./failure.js";
export { asFault, explain, LastcallError, type FaultCode, type FaultDetails } from "./fault.js";
export type { Execution, Hook, NextCall, NextRequest } from "./hook.js";
export { sizeOf } from "./ledger.js";
export { isPlainObject, toJson, type Json, type JsonObject } from "./json.js";
export type { LimitOptions, LimitReached, LimitReason } from "./limit.js";
export type { Consultation, Memory, MemoryFactory, Recalling } from "./memory.js";
export type { AssistantMessage, Message, ToolMessage, UserMessage } from "./message.js";
export { wholeReply, type Model, type ModelRequest, type WrittenReply } from "./model.js";
export { describeNotes, noteLine, notesIn, notesRoom, type Note, type Notes } from "./note.js";
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
} from "./outcome.js";
export { escapeRoles, shownOf, wrapOutside } from "./outside.js";
export {
  clear,
  everyOf,
  failClosed,
  isGated,
  type Basis,
  type Deciding,
  type Decision,
  type FrozenCall,
  type Permission,
  type Reach,
} from "./permission.js";
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
} from "./record.js";
export { redactor, type Redactor, type SecretOptions } from "./secret/redact.js";
export type { RedactedStream } from "./secret/stream.js";
export { verifyReceipt, type ReceiptVerdict } from "./receipt.js";
export { systemRuntime, type Runtime } from "./runtime.js";
export type { Lease, LiveSession, SentInput, Session } from "./session.js";
export { milliseconds, wholeNumber } from "./settings.js";
export type { InferOutput, StandardIssue, StandardResult, StandardSchema } from "./standard-schema.js";
export { checkPrices, type Price, type Prices, type PromptSize, type Spent } from "./spent.js";
export type { Baseline, Closing, Standing, State, Success, Unanswered } from "./state.js";
export { fold, step } from "./step.js";
export type { Stall } from "./stall.js";
export type { AgentStream } from "./stream.js";
export {
  tool,
  type BreakingOptions,
  type Effect,
  type Ending,
  type EndingOf,
  type Made,
  type Tool,
  type ToolContext,
  type ToolOptions,
  type ValueOf,
  type WorkingOptions,
} from "./tool.js";
export type { EarlyZodSchema, InputOf, JsonSchema, ToolSchema } from "./tool-schema.js";
export type {
  ArgumentIssue,
  CompiledSchema,
  CompiledTool,
  SchemaCompiler,
  Toolbox,
  ToolDescription,
  Validation,
} from "./toolbox.js";
export type { Watcher } from "./watcher.js";
