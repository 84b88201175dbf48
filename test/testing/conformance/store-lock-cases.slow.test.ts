import { expect, test } from "vitest";
import { memoryStore, type Holder, type Store } from "../../../src/memory/index.js";
import { storeConformance, type StoreMaker } from "../../../src/testing/index.js";
import { isLock } from "../../../src/testing/conformance/store-place.js";
import { breaches } from "../breaches.js";
import { broken, brokenLock } from "../broken-stores.js";

test.each<[string, StoreMaker, readonly string[]]>([
  [
    "gives its lock to everybody",
    broken((store, now) => {
      const all: Store[] = [];
      return {
        lock: async (id, holder) => {
          const got = await store.lock(id, holder);
          if (isLock(got)) return got;
          const other = memoryStore(now);
          all.push(other);
          return other.lock(id, holder);
        },
      };
    }),
    ["one at a time", "one gets the lock", "not renewed in time"],
  ],
  [
    "tells of itself as the holder",
    broken((store) => ({
      lock: async (id, holder) => {
        const got = await store.lock(id, holder);
        return isLock(got) ? got : holder;
      },
    })),
    ["told by whom", "holder elsewhere"],
  ],
  ["never releases", brokenLock(() => ({ release: async () => undefined })), ["released can be taken"]],
  [
    "says of every lock that it is renewed",
    brokenLock((lock) => ({
      renew: async () => {
        await lock.renew();
        return true;
      },
    })),
    ["released can be taken", "not renewed in time"],
  ],
  ["does not renew", brokenLock(() => ({ renew: async () => true })), ["stays, however long"]],
  [
    "never takes over",
    ({ now }) => {
      const begin = now();
      const store = memoryStore(() => begin);
      return { open: () => store };
    },
    ["taken over", "neither appends nor cuts"],
  ],
  [
    "takes over too early",
    ({ now }) => {
      const begin = now();
      const store = memoryStore(() => begin + (now() - begin) * 2);
      return { open: () => store };
    },
    ["stays, however long"],
  ],
  [
    "waits for processes that are gone",
    broken((store) => ({
      lock: (id, holder) => store.lock(id, holder.host.startsWith("not-") ? holder : { ...holder, pid: process.pid }),
    })),
    ["taken over at once"],
  ],
  [
    "looks for processes of other hosts",
    broken((store) => ({
      lock: async (id, holder) => store.lock(id, { ...holder, host: holder.host.replace("not-", "") }),
    })),
    ["taken over at once"],
  ],
  [
    "keeps what it says it can't",
    broken((store) => {
      const kept: string[] = [];
      return {
        lock: async (id, holder) => {
          const lock = await store.lock(id, holder);
          return isLock(lock)
            ? {
                ...lock,
                append: async (lines, flush) => {
                  kept.push(...lines);
                  await lock.append(lines, flush);
                },
              }
            : lock;
        },
        read: async (id) => ((await store.read(id)) === undefined ? undefined : [...kept]),
      };
    }),
    ["neither appends nor cuts"],
  ],
  [
    "loses in silence what is appended without the lock",
    brokenLock((lock) => ({
      append: async (lines, flush) => {
        if (await lock.renew()) await lock.append(lines, flush);
      },
    })),
    ["neither appends nor cuts", "released can be taken"],
  ],
  [
    "cuts in silence without the lock",
    brokenLock((lock) => ({
      cut: async (lines) => {
        if (await lock.renew()) await lock.cut(lines);
      },
    })),
    ["neither appends nor cuts"],
  ],
  [
    "tells of a take-over where the lock was released",
    broken((store) => {
      let last: Holder | undefined;
      return {
        lock: async (id, holder) => {
          const lock = await store.lock(id, holder);
          const takenFrom = last;
          if (isLock(lock)) last = holder;
          return isLock(lock) && takenFrom !== undefined ? { ...lock, takenFrom } : lock;
        },
      };
    }),
    ["tells it of no other lock"],
  ],
])("a store that %s is caught", async (_what, make, names) => {
  const found = await breaches(storeConformance(make));
  for (const name of names) expect(found).toContainEqual(expect.stringContaining(name));
});
