// Conformance of the hints that a log has changed. A store without `changes` passes: it is looked at by the clock.

import type { ConformanceCase } from "./conformance.js";
import { demand, demandEqual } from "../oracle/demand.js";
import { storeCase, taken, type StoreMaker } from "./store-place.js";

/** The milliseconds within which a hint has to come. */
const soon = 10_000;

export function changesCases(make: StoreMaker): readonly ConformanceCase[] {
  return [
    storeCase(
      make,
      "a reader that looks at each hint has seen every line, of every opener",
      async ({ store, open }) => {
        if (store.changes === undefined) return;
        const writer = await open();
        const stop = new AbortController();
        const seen: string[] = [];
        const reading = (async () => {
          for await (const _hint of store.changes?.("a", stop.signal) ?? []) {
            seen.push(...((await store.read("a", seen.length)) ?? []));
            if (seen.length === 12) break;
          }
        })();
        const lock = await taken(writer, "a");
        for (let number = 0; number < 12; number += 1) {
          await lock.append([String(number)], number % 4 === 0);
          // Some appends come while the reader waits, other appends while it reads.
          if (number % 3 === 0) await within(20);
        }
        demand(
          (await Promise.race([reading, within(soon)])) !== "late",
          "a reader waits for a hint that does not come",
        );
        stop.abort();
        const all = Array.from({ length: 12 }, (_none, number) => String(number));
        demandEqual(seen, all, "the lines that a reader saw who looked at each hint");
        await lock.release();
      },
    ),
    storeCase(make, "hints begin at once, and end with the signal", async ({ store }) => {
      if (store.changes === undefined) return;
      const stop = new AbortController();
      const hints = store.changes("never-written", stop.signal);
      const first = await Promise.race([hints.next(), within(soon)]);
      demand(first !== "late" && first.done !== true, "there is no hint at the beginning");
      const next = hints.next();
      stop.abort();
      // A hint that was due may still come.
      for (let end = await next; end.done !== true;) end = await hints.next();
      demandEqual(await store.list(), [], "the list, where a session was only watched");
      const aborted = store.changes("never-written", stop.signal);
      demandEqual((await aborted.next()).done, true, "whether hints end at once if the signal has aborted before");
    }),
  ];
}

async function within(ms: number): Promise<"late"> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms, "late").unref();
  });
}
