// The exports of lastcall/memory where there are no files.

import { onlyOnNode } from "../web/index.js";

export { ed25519, verifyApprovals } from "../core/internal.js";
export { removeAttachment } from "./session/attachments.js";
export { rootOf } from "./session/tree.js";
export { followSession, recordsAfter } from "./session/follow-session.js";
export { forkSession } from "./session/fork-session.js";
export { importSession } from "./session/import-session.js";
export { memoryStore } from "./store/memory-store.js";
export { openSession } from "./session/open-session.js";
export { pruneSessions } from "./session/prune-sessions.js";
export { repairSession } from "./session/repair-session.js";
export { sessionStats } from "./session/session-stats.js";
export { heartbeat } from "./store/store.js";
export { stale } from "../lock/index.js";
export { promptAt } from "./prompt/prompt-at.js";
export { transcript } from "./prompt/transcript.js";
export { windowed } from "./prompt/windowed.js";

export const fileStore = onlyOnNode("fileStore");
export const sqliteStore = onlyOnNode("sqliteStore");
