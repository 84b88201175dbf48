// A long log is read by a second thread on Node only. Elsewhere it is read as any other log.

import type { LogBytes } from "../store/store.js";
import type { LogPlace, ReadLog } from "./record-lines.js";

/** Leaves the log to `readLog`. */
export function readLong(_bytes: LogBytes, _place: LogPlace): Promise<ReadLog | undefined> {
  return Promise.resolve(undefined);
}
