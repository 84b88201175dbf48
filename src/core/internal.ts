// The entry `lastcall/internal`: the parts of core that the other layers use. Any release may change or remove them.

export { cutTo, tailOf, headOf, wholeAt } from "./text/cut.js";
export { isBlank, sound } from "./text/sound.js";
export { statedChange } from "./text/stated-change.js";
export { commonLines } from "./text/common-lines.js";
export { unifiedDiff } from "./text/unified-diff.js";
export { reachableTools } from "./agent/speakers.js";
export { createBareAgent, recipeOf, type Recipe } from "./agent/agent.js";
export type { AgentDefaults } from "./agent/assemble.js";
export type { Answered } from "./ports/permission.js";
export { quorumFor } from "./approvals/approval-rules.js";
export { ed25519 } from "./approvals/proof.js";
export { publicKeyOf } from "./approvals/public-key.js";
export { keyNamesIn, verifyApprovals, verifyUnsigned } from "./approvals/verify-approvals.js";
export { waitingIn } from "./agent/waiting.js";
export { expectApprover, hasApproverRule } from "./agent/read-approval.js";
export { recognize, type Recognized } from "./attachment/media-type.js";
export { digestOf, maxAttachment, readAttachment } from "./attachment/read-attachment.js";
export { describeAttachment, takesType } from "./data/attachment.js";
export { toBase64 } from "./run/attachment-box.js";
export type { Circuit } from "./journal/circuit.js";
export { subtractUsage } from "./data/call.js";
export {
  quorumWords,
  recordWords,
  valueWords,
  wordsFromBelow,
  type RecordWords,
  type Tone,
} from "./words/record-words.js";
export { verificationOf } from "./data/receipt.js";
export { checkSession } from "./journal/session.js";
export { noRedactor } from "./secret/redact.js";
export { clip, countLines, idInRun, readerName, shortId, type Clipping } from "./journal/clip.js";
export type {
  CallDelta,
  CallWriting,
  ForcingStep,
  PromptRewrite,
  ReasoningDelta,
  ReplyRetracted,
  RequestAdjusted,
  RequestRetry,
  TextDelta,
} from "./ports/event.js";
export { describeFailure, maskVolatile, formKinds, type FailureFacts } from "./data/failure.js";
export { asFault, atCaller, explain, type FaultDetails } from "./data/fault.js";
export { abortBy, follow, onAbort, unlessAborted, unlessLate } from "./time/abort.js";
export { soundMessage } from "./data/message.js";
export { sizeOf } from "./journal/ledger.js";
export { canonical, isPlainObject, isWhole, soundData, toJson } from "./data/json.js";
export { reasoningIn } from "./data/reasoning.js";
export { describeNotes, noteLine, notesRoom } from "./journal/notebook.js";
export type { Ended } from "./ports/outcome.js";
export { escapeRoles, leastShown, newMark, showHidden, shownOf, wrapOutside } from "./journal/outside.js";
export { isGated, readLater } from "./ports/permission.js";
export { openableWalls } from "./data/decision.js";
export {
  limitKey,
  limitsOfMany,
  sharedLimitReached,
  type LimitAccount,
  type LimitsOfMany,
} from "./ports/shared-limits.js";
export { isSamePrincipal, principalWords, readPrincipal } from "./data/principal.js";
export type {
  AnswerRecord,
  ApprovalRecord,
  BaselineRecord,
  CheckRecord,
  ChildRecord,
  BackgroundEndRecord,
  BackgroundRecord,
  ClaimRecord,
  ClosingReason,
  DecisionRecord,
  ErrorContextRecord,
  ExpiryRecord,
  FoldRecord,
  ForkRecord,
  HandOverRecord,
  InputRecord,
  IntentRecord,
  IterationRecord,
  Notice,
  NoticeRecord,
  OutcomeStatus,
  OutcomeRecord,
  OverflowRecord,
  ParkedRecord,
  PruneRecord,
  QuestionRecord,
  RecordBody,
  RecordPlace,
  ReplyRecord,
  ResultRecord,
  ResumeRecord,
  RewriteRecord,
  SpendRecord,
  SteerRecord,
  StubRecord,
} from "./journal/record.js";
export {
  beginsRun,
  runBoundaries,
  hasNoEnd,
  isFinalEnd,
  lastEnd,
  runState,
  vainResumes,
  type Beginning,
  takes,
  type TakenInput,
  type End,
  type RunState,
} from "./journal/run-state.js";
export type { RedactedStream } from "./secret/redact-stream.js";
export {
  checkChoice,
  checkOptions,
  expectKind,
  listOf,
  maxTimerDelay,
  milliseconds,
  needed,
  objectWith,
  choiceOf,
  recordOf,
  wholeNumber,
  type Kind,
  type Needed,
  type OptionKinds,
  type PlainKind,
  type ValueKind,
} from "./data/settings.js";
export { portKinds, type PortKind } from "./agent/port-kinds.js";
export type { EarlyZodSchema, InferOutput, StandardIssue, StandardResult, StandardSchema } from "./data/tool-schema.js";
export { addSpent, checkPrices, type PromptSize } from "./journal/spent.js";
export { raiseLimit } from "./journal/spent.js";
export { limitReached, type AskingAt, type Limits } from "./ports/limit.js";
export {
  dueOf,
  isLimitQuestion,
  isOfClient,
  effectKey,
  parkedCall,
  yesesTo,
  type Accounted,
  type AskedQuestion,
  type Baseline,
  type Closing,
  type Standing,
  type BackgroundCall,
  type Unanswered,
} from "./journal/state.js";
export { step } from "./journal/step.js";
export type { Stall, Success } from "./journal/stall.js";
export type { EndingOf, Made } from "./ports/tool.js";
export { toolbox, type Sourced, type WithSourced } from "./ports/toolbox.js";
export type {
  ArgumentIssue,
  CompiledSchema,
  CompiledTool,
  SchemaCompiler,
  Toolbox,
  Validation,
} from "./ports/toolbox.js";
