// lastcall/memory: sessions, the stores that keep them, and the memories that make a prompt from a journal.

export { ed25519, verifyApprovals } from "../core/internal.js";
export { removeAttachment, type RemoveAttachmentOptions } from "./session/attachments.js";
export { rootOf } from "./session/tree.js";
export { fileStore } from "./store/file-store.js";
export { followSession, recordsAfter, type FollowOptions, type RecordsOptions } from "./session/follow-session.js";
export { forkSession, type ForkOptions } from "./session/fork-session.js";
export { importSession, type ImportedSession, type ImportOptions } from "./session/import-session.js";
export { memoryStore } from "./store/memory-store.js";
export { openSession, type SessionOptions, type StoredSessionHandle } from "./session/open-session.js";
export type { WaitingCall } from "../core/index.js";
export { pruneSessions, type PruneOptions } from "./session/prune-sessions.js";
export { repairSession, type Repair, type RepairOptions } from "./session/repair-session.js";
export { sqliteStore } from "./store/sqlite-store.js";
export {
  heartbeat,
  type ListOptions,
  type LiveSender,
  type LiveTexts,
  type Lock,
  type LogBytes,
  type SessionCounts,
  type Store,
  type StoredMessage,
  type StoredSession,
} from "./store/store.js";
export { stale, type Holder } from "../lock/index.js";
export {
  sessionStats,
  type Latency,
  type ModelStats,
  type SessionStats,
  type WorkStats,
} from "./session/session-stats.js";
export { promptAt, type PromptOptions, type RecordedPrompt } from "./prompt/prompt-at.js";
export { transcript } from "./prompt/transcript.js";
export { windowed, type WindowOptions } from "./prompt/windowed.js";
