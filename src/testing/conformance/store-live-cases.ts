// Conformance of the texts for the watchers of a session. A store without `live` passes: nobody sees more than its records.

import type { LiveTexts } from "../../memory/index.js";
import type { ConformanceCase } from "./conformance.js";
import { demand, demandEqual } from "../oracle/demand.js";
import { storeCase, type StoreMaker } from "./store-place.js";

/** The milliseconds within which a text has to come. */
const soon = 10_000;
/** Milliseconds between two looks. */
const look = 10;

export function liveCases(make: StoreMaker): readonly ConformanceCase[] {
  return [
    storeCase(make, "whoever watches hears texts in order, none twice, from every opener", async ({ store, open }) => {
      const sending = (await open()).live;
      if (store.live === undefined || sending === undefined) return;
      const stop = new AbortController();
      const heard: string[] = [];
      store.live.hear("a", (text) => heard.push(text), stop.signal);
      const sender = sending.sender("a");
      await until("the sender does not learn that somebody watches", () => sender.isHeard);
      let number = 0;
      // Any text may be lost, so there are more until enough have come.
      await until("no text comes", () => {
        sender.send(String((number += 1)));
        return heard.length >= 20;
      });
      const inOrder = [...new Set(heard)].toSorted((one, other) => Number(one) - Number(other));
      demandEqual(heard, inOrder, "the texts that were heard, in order and none twice");
      stop.abort();
      sender.close();
    }),
    storeCase(
      make,
      "a text reaches nobody who watches another session, or watches no more",
      async ({ store, open }) => {
        const sending = (await open()).live;
        if (store.live === undefined || sending === undefined) return;
        const [stop, gone] = [new AbortController(), new AbortController()];
        const [heard, wrong]: [string[], string[]] = [[], []];
        store.live.hear("a", (text) => heard.push(text), stop.signal);
        store.live.hear("a/1", (text) => wrong.push(text), stop.signal);
        store.live.hear("a", (text) => wrong.push(text), gone.signal);
        gone.abort();
        store.live.hear("a", (text) => wrong.push(text), gone.signal);
        await expectHeard(sending, heard);
        demandEqual(wrong, [], "the texts that others heard");
        stop.abort();
        sending.sender("a").close();
      },
    ),
    storeCase(make, "nobody waits for whoever sends to nobody, and nothing is kept", async ({ store }) => {
      if (store.live === undefined) return;
      const sender = store.live.sender("a");
      demand(!sender.isHeard, "somebody is said to watch a session that nobody watches");
      sender.send("lost");
      sender.close();
      const heard: string[] = [];
      const stop = new AbortController();
      store.live.hear("a", (text) => heard.push(text), stop.signal);
      await expectHeard(store.live, heard);
      demand(!heard.includes("lost"), "a text is heard that was sent before anybody watched");
      demandEqual(await store.list(), [], "the list, where a session was only watched");
      stop.abort();
    }),
  ];
}

/** Sends until something was heard. */
async function expectHeard(live: LiveTexts, heard: readonly string[]): Promise<void> {
  const sender = live.sender("a");
  await until("no text comes", () => {
    if (sender.isHeard) sender.send("text");
    return heard.length > 0;
  });
  sender.close();
}

async function until(problem: string, isSo: () => boolean): Promise<void> {
  const end = performance.now() + soon;
  while (!isSo()) {
    demand(performance.now() < end, problem);
    await new Promise((resolve) => setTimeout(resolve, look));
  }
}
