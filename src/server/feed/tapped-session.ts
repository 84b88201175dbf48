// A session whose feed learns each record of a run of this process, once it is stored.

import type { JournalRecord, Lease, OpenSession } from "../../core/index.js";
import type { Feed } from "./feed.js";

/** The session with its feed, and with the feeds of the sessions of agents that its calls run. */
export function tapped<Session extends OpenSession>(session: Session, feedOf: (id: string) => Feed): Session {
  return {
    ...session,
    async lease(onBusy) {
      const lease = await session.lease(onBusy);
      return lease && tapLease(session.id, lease, feedOf);
    },
  };
}

function tapLease(id: string, lease: Lease, feedOf: (id: string) => Feed): Lease {
  const feed = feedOf(id);
  feed.hold(lease.records.at(-1));
  let due: NodeJS.Immediate | undefined;
  /** Records of one turn are stored together at its end. The lease does so in a callback that was set before this callback. */
  const passOn = async (): Promise<void> => {
    due = undefined;
    const count = feed.unstored;
    await lease.stored();
    feed.stored(count);
  };
  return {
    ...lease,
    child: (of: string) => tapped(lease.child(of), feedOf),
    async append(record: JournalRecord) {
      await lease.append(record);
      feed.append(record);
      due ??= setImmediate(() => {
        // A lease that is lost ends the run, which tells why.
        passOn().catch(() => undefined);
      });
    },
    async release() {
      clearImmediate(due);
      await passOn().catch(() => undefined);
      feed.release();
      await lease.release();
    },
  };
}
