// The checks of a world that has come to its end: from the journals, and from the log of what happened outside.

import type { JournalRecord } from "../../../src/core/index.js";
import { explain } from "../../../src/core/internal.js";
import { readLog } from "../../../src/memory/session/record-lines.js";
import type { People } from "../host/people.js";
import type { Site } from "../host/worker.js";
import { checkAmounts } from "./check-amounts.js";
import { checkEffects } from "./check-effects.js";
import { checkInputs } from "./check-inputs.js";
import { checkJournal } from "./check-journal.js";

/** A session at the end. */
export interface EndedSession {
  readonly id: string;
  readonly records: readonly JournalRecord[];
}

/** Adds to the findings of the world what does not hold. */
export function checkWorld(site: Site, people: readonly People[]): void {
  const { world, database } = site;
  for (const { session: id, seen } of people) {
    const attempt = (check: () => void): void => {
      try {
        check();
      } catch (thrown) {
        world.find(`${id}: ${explain(thrown)}`);
      }
    };
    let session: EndedSession | undefined;
    attempt(() => {
      const { lines } = database.row(id);
      const place = { id, where: `The session ${id}`, isTorn: false };
      session = { id, records: lines.length === 0 ? [] : readLog(lines, place).records };
    });
    if (session === undefined) continue;
    const ended = session;
    attempt(() => {
      checkJournal(ended, seen.length);
    });
    attempt(() => {
      checkInputs(ended, site.deliveries.all);
    });
    attempt(() => {
      checkEffects(ended, site);
    });
    attempt(() => {
      checkAmounts(ended, site);
    });
  }
}
