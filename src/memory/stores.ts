// The second door of this layer: the parts for layers that keep sessions elsewhere, or read them. No entry exports them.

export { checkDigest } from "./disk/file-attachments.js";
export { lostLock, notTakenBack, stillWritten, storeFault } from "./disk/store-fault.js";
export { changesHeard } from "./store/changes.js";
export { checkLine } from "./store/log-line.js";
export { TextsHere } from "./store/live-texts.js";
export { attachmentsIn, keepAttachments } from "./session/attachments.js";
export { packed, packedElement, unpacked, type PackedSession } from "./session/packed-session.js";
export { promptsOf, type SentPrompt } from "./prompt/prompt-at.js";
export { readStored } from "./session/open-session.js";
export { queue, queues } from "./store/queue.js";
export { checkId } from "./store/session-id.js";
