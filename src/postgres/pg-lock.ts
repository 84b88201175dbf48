// The lock of a session in Postgres: taken if nobody has it, or if its holder's no longer counts.

import type { Holder, Lock } from "../memory/index.js";
import { HeldLog } from "./held-log.js";
import { nameOf, type LockPlace, type rowReader } from "./lock-row.js";

/** Takes the lock of a session, or returns its holder. */
export async function takeLock(
  place: LockPlace,
  { id, holder, look }: { readonly id: string; readonly holder: Holder; readonly look: ReturnType<typeof rowReader> },
): Promise<Lock | Holder> {
  const { statements } = place;
  const doing = `lock the session ${id} in`;
  const name = nameOf(holder);
  for (;;) {
    const seen = await look(id, doing);
    if (seen.other !== undefined && seen.holder !== name) return seen.other;
    // The row may have changed since it was read: then it is read again. A take whose answer was lost finds its own name.
    const { rows } = await statements.run(
      doing,
      `INSERT INTO ${statements.schema}.sessions AS held (session, holder, renewed) VALUES ($1, $2, clock_timestamp())
        ON CONFLICT (session) DO UPDATE SET holder = $2, renewed = clock_timestamp()
        WHERE held.holder = $2 OR (held.holder IS NULL AND $3::text IS NULL) OR (held.holder = $3 AND held.renewed::text = $4)
        RETURNING lines`,
      [id, name, seen.holder ?? null, seen.renewed ?? null],
    );
    const [row] = rows;
    if (row === undefined) continue;
    const lock = lockOf(new HeldLog(place, { id, name, lines: Number(row["lines"]) }));
    const isOver = seen.holder !== undefined && seen.holder !== name;
    return isOver ? { ...lock, takenFrom: JSON.parse(seen.holder) as Holder } : lock;
  }
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
