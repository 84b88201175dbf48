// The public part of core: the data, ports and functions for users of the library. The entry `lastcall` exports it.

export type { Agent, RunOptions } from "./agent/agent.js";
export type { AgentOptions } from "./agent/assemble.js";
export type { Input } from "./agent/answer.js";
export type { Attachment, AttachmentStore, NewAttachment } from "./data/attachment.js";
export type { ClientTool, Definition } from "./data/definition.js";
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
export type { Budget, Reservation, ReserveAnswer } from "./ports/budget.js";
export type { AroundRun, ChildSession } from "./ports/child-session.js";
export type { ContextOf } from "./ports/context.js";
export type { Check, CheckContext, CheckVerdict } from "./ports/check.js";
export type { CheckTime, Receipt, Verification } from "./data/receipt.js";
export type { CircuitOptions } from "./journal/circuit.js";
export type { Event, ModelEvent } from "./ports/event.js";
export { failure, type Failure, type FailureKind } from "./data/failure.js";
export { LastcallError, type FaultCode } from "./data/fault.js";
export type { Thrown } from "./data/thrown.js";
export type { Execution, Hook, NextCall, NextClaim, NextFold, NextRequest, NextRun, RunStart } from "./ports/hook.js";
export type { Json, JsonObject } from "./data/json.js";
export type { AskingLimits, AsksForMore, LimitOptions, LimitsThatAsk } from "./ports/limit.js";
export { sharedLimits, type SharedLimitOptions, type SharedLimits } from "./ports/shared-limits.js";
export type { Consultation, Folding, Memory, MemoryFactory, Recalling } from "./ports/memory.js";
export type { AssistantMessage, Message, ToolMessage, UserMessage } from "./data/message.js";
export { partsOf, wholeReply, type Model, type ModelRequest, type Part, type WrittenReply } from "./ports/model.js";
export { fromMessages, type ChatMessage } from "./journal/from-messages.js";
export { notesIn, type Notes } from "./journal/notebook.js";
export type {
  Aborted,
  AnyOutcome,
  AwaitedApproval,
  AwaitedQuorum,
  ClaimOf,
  Completed,
  CompletedBy,
  Failed,
  Outcome,
  OutcomeWithoutSession,
  Parked,
  ParkedBy,
  ParkedCall,
  ParkedCallOf,
  ParkedAtLimit,
  ParkedByAny,
  ParkedCallOfAny,
  RaiseOf,
  Stopped,
  StopReason,
  Waiting,
  WaitingCall,
  WaitingCallOf,
  WaitingFor,
} from "./ports/outcome.js";
export {
  everyOf,
  failClosed,
  type AnyApproval,
  type AnyPermission,
  type Announcement,
  type Approval,
  type ApprovalOptions,
  type ApprovalSigner,
  type Approver,
  type Asking,
  type Deciding,
  type FrozenCall,
  type GivenApproval,
  type MayApproveAnswer,
  type Permission,
  type Reach,
} from "./ports/permission.js";
export type { ApprovalKey } from "./approvals/proof.js";
export type { ApprovalVerdict } from "./approvals/verify-approvals.js";
export { fourEyes } from "./approvals/four-eyes.js";
export type { ApprovalAnswer, Basis, Decision, Later, OpenableWall, Wall } from "./data/decision.js";
export type { Principal } from "./data/principal.js";
export type { ApprovalProof, JournalRecord, JournalResult, Note } from "./journal/record.js";
export { redactor, type Redactor, type SecretOptions } from "./secret/redact.js";
export { verifyReceipt, type ReceiptVerdict } from "./journal/verify-receipt.js";
export { systemRuntime, type Runtime } from "./time/runtime.js";
export type { Suspension } from "./time/suspension.js";
export type {
  Lease,
  LeaseHolder,
  NewInput,
  OpenSession,
  ReadableSession,
  SentInput,
  Session,
} from "./journal/session.js";
export type { Price, Prices, Spent, LimitRaise, LimitReached, LimitReason } from "./journal/spent.js";
export type { State } from "./journal/state.js";
export { replay } from "./journal/step.js";
export { outcomeOf } from "./agent/read-outcome.js";
export type { AgentStream } from "./run/agent-stream.js";
export {
  tool,
  type AsksUser,
  type AskTerms,
  type BackgroundLook,
  type BackgroundWork,
  type BreakingOptions,
  type FrozenCallOf,
  type HandsOver,
  type HandsOverTo,
  type Reachable,
  type Tool,
  type AgentsContext,
  type CallContext,
  type SessionContext,
  type ToolContext,
  type ToolOptions,
  type ValueOf,
  type WorkingOptions,
} from "./ports/tool.js";
export type { Effect, RunEnding, ToolEnding } from "./data/effect.js";
export type { InputOf, JsonSchema, StandardSchema, ToolSchema } from "./data/tool-schema.js";
export type { ToolDescription, ToolSource } from "./ports/toolbox.js";
export type { Watcher } from "./ports/watcher.js";
