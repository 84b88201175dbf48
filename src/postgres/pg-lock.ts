// The lock of a session in Postgres: taken if nobody has it, or if its holder's no longer counts.

import type { Holder, Lock } from "../memory/index.js";
import { HeldLog } from "./held-log.js";
import { nameOf, sessionRows, takeRow, type LockPlace, type rowReader } from "./lock-row.js";

/** Takes the lock of a session, or returns its holder. */
export async function takeLock(
  place: LockPlace,
  { id, holder, look }: { readonly id: string; readonly holder: Holder; readonly look: ReturnType<typeof rowReader> },
): Promise<Lock | Holder> {
  const taken = await takeRow(place.statements, sessionRows, { id, holder, look, doing: `lock the session ${id} in` });
  if (!("value" in taken)) return taken;
  const { value, takenFrom } = taken;
  const lock = lockOf(new HeldLog(place, { id, name: nameOf(holder), lines: Number(value) }));
  return takenFrom === undefined ? lock : { ...lock, takenFrom };
}

/** The lock as plain functions, so that a wrapper can spread it. */
function lockOf(log: HeldLog): Lock {
  return {
    append: (lines, flush) => log.append(lines, flush),
    cut: (lines) => log.cut(lines),
    renew: () => log.renew(),
    release: () => log.release(),
  };
}
