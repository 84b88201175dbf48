// lastcall/memory: the journal of a session, the prompt made from it, and the stores that keep it.

export { fileStore } from "./file-store.js";
export { forkSession, type ForkOptions } from "./fork-session.js";
export { memoryStore } from "./memory-store.js";
export { openSession, type SessionOptions, type StoredSessionHandle, type WaitingCall } from "./open-session.js";
export { pruneSessions, type PruneOptions } from "./prune-sessions.js";
export { sqliteStore } from "./sqlite-store.js";
export {
  heartbeat,
  stale,
  type Holder,
  type Lock,
  type Store,
  type StoredMessage,
  type StoredSession,
} from "./store.js";
export { transcript } from "./transcript.js";
export { windowed, type WindowOptions } from "./windowed.js";
