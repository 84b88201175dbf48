// Lock: a lock over processes, and who holds it; shared by the layers that write where other processes may. No entry.

export { giveBack, isGone, LockJudge, newHolder, stale, type Holder } from "./holder.js";
export { freeLock, holderIn, lockFile, nameOf, renewLock, takeLock, type Taking, type Tried } from "./lock-folder.js";
export { heldBy, waitForLock } from "./wait-lock.js";
