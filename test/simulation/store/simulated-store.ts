// The store of one simulated process: the port over statements that may get lost. It sends them again and finds out what happened.

import { LastcallError } from "../../../src/core/index.js";
import { explain } from "../../../src/core/internal.js";
import { lostLock } from "../../../src/memory/disk/store-fault.js";
import { queue } from "../../../src/memory/store/queue.js";
import type { Lock, Store } from "../../../src/memory/index.js";
import type { Life } from "../world/life.js";
import type { World } from "../world/world.js";
import { ConnectionLost, Connections, type Statement } from "./connection.js";
import type { Database } from "./database.js";

/** The times that a statement is sent, at most. */
const attempts = 4;
/** Milliseconds between two looks at a session that no hint came of. */
const lookAgain = 2000;

/** A store, the process that uses it, and the world around. */
export interface StorePlace {
  readonly world: World;
  readonly database: Database;
  readonly life: Life;
}

/** The store of a process. */
export function simulatedStore(place: StorePlace): Store {
  const { database } = place;
  const ask = asker(place);
  return {
    name: "simulated",
    list: () =>
      ask("list the sessions", () =>
        [...database.rows].filter(([, { lines }]) => lines.length > 0).map(([id, { updated }]) => ({ id, updated })),
      ),
    unfinished: () => ask("list the unfinished sessions", () => database.unfinished()),
    read: (id, from) =>
      ask("read", () => {
        const { lines } = database.row(id);
        return lines.length === 0 ? undefined : lines.slice(from);
      }),
    changes: (id, signal) => changesOf(place, id, signal),
    async lock(id, holder) {
      const { holder: by, lines } = await ask("lock", (sender) => database.lock(id, holder, sender));
      return by.id === holder.id ? lockOf(place, { id, holder: by.id, lines }) : by;
    },
    send: (id, message) =>
      ask("send", (sender) => {
        database.send(id, message, sender);
      }),
    messages: (id) => ask("read the inbox", () => database.row(id).inbox),
    drop: (id, messages) =>
      ask("empty the inbox", () => {
        database.drop(id, messages);
      }),
    async delete() {
      throw new LastcallError("store", "Nothing is deleted in a simulation.");
    },
  };
}

type Ask = <Answer>(doing: string, work: Statement<Answer>["work"]) => Promise<Answer>;

/** Sends statements that may be carried out more than once. */
function asker(place: StorePlace): Ask {
  return async (doing, work) => (await insist(place, doing, { work })).answer;
}

/** An answer, and whether an attempt before may have been carried out as well. */
interface Insisted<Answer> {
  readonly answer: Answer;
  readonly isAgain: boolean;
}

/** Sends a statement until an answer comes. @throws LastcallError `store` if none does. */
async function insist<Answer>(
  { world, database: _database, life }: StorePlace,
  doing: string,
  statement: Statement<Answer>,
): Promise<Insisted<Answer>> {
  const connections = new Connections(world, life);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return { answer: await connections.query(statement), isAgain: attempt > 1 };
    } catch (thrown) {
      if (!(thrown instanceof ConnectionLost) || attempt === attempts)
        throw new LastcallError("store", `Could not ${doing}: ${explain(thrown)}.`, { cause: thrown });
      await world.scheduler.wait(25 * 2 ** attempt);
    }
  }
}

/** A lease that was taken, and the number of lines of its log. */
interface Taken {
  readonly id: string;
  readonly holder: string;
  readonly lines: number;
}

function lockOf(place: StorePlace, { id, holder, lines }: Taken): Lock {
  const { world, database, life } = place;
  const ask = asker(place);
  const inOrder = queue();
  let expected = lines;
  let isGiven = false;
  const append = async (added: readonly string[]): Promise<void> => {
    if (isGiven) world.doubt(`${id}: ${life.name} wrote after it had given the session back`);
    const batch = { holder, expected, lines: added };
    const tears = world.planted === "torn-batch" && added.length > 1;
    const torn = tears
      ? () => {
          database.tear(id, batch);
        }
      : undefined;
    const { answer, isAgain } = await insist(place, "append", { work: () => database.append(id, batch), torn });
    const isWhole = answer.lines === expected + added.length && answer.last === added.at(-1);
    const isThere = isAgain && answer.holds && (isWhole || (tears && answer.lines > expected));
    if (!answer.isDone && !isThere) throw lostLock(id);
    expected = answer.lines;
  };
  return {
    append: (added) => inOrder(() => append(added)),
    cut: (kept) =>
      inOrder(async () => {
        if (!(await ask("cut", () => database.cut(id, holder, kept)))) throw lostLock(id);
        expected = kept;
      }),
    renew: () => ask("renew", (sender) => database.renew(id, holder, sender)),
    async release() {
      isGiven = true;
      await ask("release", () => {
        database.release(id, holder);
      });
    },
  };
}

/** Hints that get lost or come late, and a look every two seconds besides. */
async function* changesOf(
  { world, database, life }: StorePlace,
  id: string,
  signal: AbortSignal,
): AsyncGenerator<undefined, void, void> {
  const { scheduler, random, weather } = world;
  let hasRung = false;
  let wake: () => void = () => undefined;
  const hear = (): void => {
    hasRung = true;
    wake();
  };
  const ring = (): void => {
    if (!world.strikes(weather.deaf))
      scheduler.after(world.strikes(weather.slow) ? random.whole(0, 5000) : 1, hear, life);
  };
  const { listeners } = database.row(id);
  listeners.add(ring);
  signal.addEventListener("abort", hear, { once: true });
  try {
    while (!signal.aborted) {
      yield;
      if (!hasRung && !signal.aborted) {
        await new Promise<void>((resolve) => {
          wake = resolve;
          if (world.planted !== "lost-notify") scheduler.after(lookAgain, resolve);
        });
      }
      hasRung = false;
    }
  } finally {
    listeners.delete(ring);
    signal.removeEventListener("abort", hear);
  }
}
