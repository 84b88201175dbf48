// The cases of a store's locks: one holder at a time, takeover from a dead or silent holder, and no writes without the lock.

import { hostname } from "node:os";
import { stale, type Holder } from "../../memory/index.js";
import type { ConformanceCase } from "./conformance.js";
import { demand, demandEqual } from "../oracle/demand.js";
import {
  goneHolder,
  isLock,
  newHolder,
  storeCase,
  taken,
  thrownBy,
  type StoreMaker,
  type StoreWorld,
} from "./store-place.js";

/** Cases for `lock` and the methods of a lock. */
export function lockCases(make: StoreMaker): readonly ConformanceCase[] {
  const one = (name: string, work: (world: StoreWorld) => Promise<void>): ConformanceCase =>
    storeCase(make, name, work);
  return [
    one("a lock is held by one at a time, and the others are told by whom", async ({ store, open }) => {
      const holder = newHolder();
      const lock = await taken(store, "a", holder);
      for (const other of [store, await open()]) {
        demandEqual(await other.lock("a", newHolder()), holder, "what lock says where somebody has it");
      }
      await taken(store, "b");
      await lock.append(["still mine"], true);
    }),
    one("a holder elsewhere is told as it is", async ({ store, open }) => {
      const holder: Holder = { id: "run 1/ä@b", host: "elsewhere.example", pid: 7 };
      await taken(store, "a", holder);
      demandEqual(await (await open()).lock("a", newHolder()), holder, "the holder of a lock on another host");
    }),
    one("of many who ask at the same time, one gets the lock", async ({ open }) => {
      const stores = await Promise.all(Array.from({ length: 10 }, open));
      const holders = stores.map(newHolder);
      const got = await Promise.all(stores.map((store, index) => store.lock("a", holders[index] ?? newHolder())));
      const winner = holders.find((_holder, index) => isLock(got[index] ?? newHolder()));
      demandEqual(got.filter(isLock).length, 1, "how many got the lock");
      for (const other of got) demand(isLock(other) || other.id === winner?.id, "somebody was told of another holder");
    }),
    one("a lock that is released can be taken, and the one who released it writes nothing", async ({ store }) => {
      const lock = await taken(store, "a");
      await lock.append(["one"], false);
      await lock.release();
      await thrownBy(() => lock.append(["two"], true), "an append after the release");
      demandEqual(await lock.renew(), false, "renew after the release");
      const next = await taken(store, "a");
      await thrownBy(() => lock.append(["three"], true), "an append after somebody else took the lock");
      await lock.release();
      await next.append(["four"], true);
      demandEqual(await store.read("a"), ["one", "four"], "the lines");
    }),
    one("a lock that is renewed stays, however long", async ({ store, open, pass }) => {
      const holder = newHolder();
      const lock = await taken(store, "a", holder);
      for (let time = 0; time < 5; time += 1) {
        pass(stale - 5000);
        demandEqual(await (await open()).lock("a", newHolder()), holder, "the holder of a lock that is not yet stale");
        demandEqual(await lock.renew(), true, "renew");
      }
      await lock.append(["still mine"], true);
    }),
    one("a lock that was not renewed in time is taken over", async ({ store, open, pass }) => {
      const lost = await taken(store, "a", { ...newHolder(), host: "elsewhere" });
      await lost.append(["one"], true);
      pass(stale);
      const next = await taken(await open(), "a");
      demandEqual(await lost.renew(), false, "renew of a lock that was taken over");
      await next.append(["two"], true);
      demandEqual(await store.read("a"), ["one", "two"], "the lines");
      await lost.release();
      demandEqual(await next.renew(), true, "renew, after the one before released what it no longer had");
      await next.append(["three"], true);
      demand(!isLock(await store.lock("a", newHolder())), "a lock was given that had just been taken over");
    }),
    one("a lock that tells from whom it was taken over tells it of no other lock", async ({ store, open, pass }) => {
      const first = await taken(store, "a");
      demandEqual(first.takenFrom, undefined, "the earlier holder of a lock that nobody had");
      await first.append(["one"], true);
      await first.release();
      const holder = { ...newHolder(), host: "elsewhere" };
      const lost = await taken(store, "a", holder);
      demandEqual(lost.takenFrom, undefined, "the earlier holder of a lock that was released");
      pass(stale);
      const next = await taken(await open(), "a");
      demand(
        next.takenFrom === undefined || next.takenFrom.id === holder.id,
        "the earlier holder is another than the one who lost the lock",
      );
      await next.release();
      demandEqual((await taken(store, "a")).takenFrom, undefined, "the earlier holder, after a release");
    }),
    one("whoever lost the lock neither appends nor cuts", async ({ store, open, pass }) => {
      const lost = await taken(store, "a");
      await lost.append(["one"], true);
      await lost.append(["two"], false);
      pass(stale + 1000);
      const next = await taken(await open(), "a");
      await thrownBy(() => lost.append(["late"], true), "an append without the lock");
      await thrownBy(() => lost.append(["late"], false), "an append without the lock and without a flush");
      await thrownBy(() => lost.cut(0), "a cut without the lock");
      await next.append(["three"], true);
      await thrownBy(() => lost.cut(1), "a cut without the lock, after the next one wrote");
      demandEqual(await store.read("a"), ["one", "two", "three"], "the lines");
    }),
    one("the lock of a process that is gone is taken over at once", async ({ store, open }) => {
      const gone = await goneHolder();
      const lost = await taken(store, "a", gone);
      const holder = newHolder();
      await taken(await open(), "a", holder);
      demandEqual(await lost.renew(), false, "renew of a lock that was taken over");
      demandEqual(await store.lock("a", newHolder()), holder, "who has the lock now");
      const elsewhere = { ...gone, host: `not-${hostname()}` };
      await taken(store, "b", elsewhere);
      demandEqual(await store.lock("b", newHolder()), elsewhere, "the holder whose process is on another host");
    }),
    one("a session whose holder is silent or gone can be deleted", async ({ store, open, pass }) => {
      const silent = await taken(store, "silent");
      await silent.append(["one"], true);
      const gone = await taken(store, "gone", await goneHolder());
      await gone.append(["one"], true);
      await store.delete("gone");
      pass(stale);
      await (await open()).delete("silent");
      demandEqual(await store.list(), [], "the list after the deletions");
      await thrownBy(() => silent.append(["late"], true), "an append to a session that was deleted");
      await thrownBy(() => gone.append(["late"], true), "an append to a session that was deleted");
      demandEqual(await store.read("silent"), undefined, "the lines of a deleted session");
    }),
  ];
}
