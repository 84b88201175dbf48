// The cases of a store's inboxes: messages are kept in the order in which they were sent, until they are dropped.

import type { StoredMessage } from "../../memory/index.js";
import type { ConformanceCase } from "./conformance.js";
import { demandEqual } from "../oracle/demand.js";
import { storeCase, taken, type StoreMaker, type StoreWorld } from "./store-place.js";

/** The end of a run that the store broke off: somebody has to go on with it. */
const brokenOff = { type: "outcome", status: "failed", reason: "store" };

/** Cases for `send`, `messages`, `drop` and `unfinished`. */
export function inboxCases(make: StoreMaker): readonly ConformanceCase[] {
  const one = (name: string, work: (world: StoreWorld) => Promise<void>): ConformanceCase =>
    storeCase(make, name, work);
  return [
    one("messages are listed in the order in which they were sent", async ({ store, open }) => {
      demandEqual(await store.messages("a"), [], "the messages of an unknown session");
      const sent = numbered(25);
      for (const message of sent.slice(0, 15)) await store.send("a", message);
      await Promise.all(sent.slice(15).map((message) => store.send("a", message)));
      demandEqual(await store.messages("a"), sent, "the messages");
      demandEqual(await (await open()).messages("a"), sent, "the messages in a store that was opened anew");
      demandEqual(await store.messages("b"), [], "the messages of another session");
    }),
    one("a store that names unfinished sessions names those with messages", async ({ store, open }) => {
      if (store.unfinished === undefined) return;
      await store.send("a", { id: "1", text: "one" });
      await (await open()).send("b", { id: "1", text: "one" });
      demandEqual([...(await store.unfinished())].sort(), ["a", "b"], "the unfinished sessions");
      await store.drop("a", ["1"]);
      demandEqual(await store.unfinished(), ["b"], "the unfinished sessions, after the messages of one were dropped");
    }),
    one("a store that names unfinished sessions names those whose last run is open", async ({ store, open }) => {
      if (store.unfinished === undefined) return;
      const ways = ["input", "resume", "approval", "answer"];
      for (const [id, body] of [...ways.map((type) => [type, { type }] as const), ["broken off", brokenOff] as const]) {
        const lock = await taken(store, id);
        const bodies = [{ type: "input" }, { type: "outcome", status: "waiting" }, body];
        await lock.append(
          bodies.map((one, seq) => JSON.stringify({ ...one, seq, at: seq })),
          true,
        );
        await lock.release();
      }
      const named = new Set(await (await open()).unfinished?.());
      const missing = [...ways, "broken off"].filter((id) => !named.has(id));
      demandEqual(missing, [], "the sessions with an open run that are not named");
    }),
    one("a message sent again does nothing", async ({ store, open }) => {
      const [first, second] = [
        { id: "1", text: "one" },
        { id: "2", text: "two" },
      ] as const;
      await store.send("a", first);
      await store.send("a", second);
      await (await open()).send("a", { id: "1", text: "other words" });
      demandEqual(await store.messages("a"), [first, second], "the messages");
      const again = await Promise.all([open(), open(), open()]);
      await Promise.all(again.map((other) => other.send("b", first)));
      demandEqual(await store.messages("b"), [first], "a message that was sent by three at the same time");
    }),
    one("messages that are dropped are gone, the others stay", async ({ store, open }) => {
      const sent = numbered(6);
      for (const message of sent) await store.send("a", message);
      await store.drop("a", ["message 1", "message 4", "never sent"]);
      const left = sent.filter((_message, index) => index !== 1 && index !== 4);
      demandEqual(await (await open()).messages("a"), left, "the messages after a drop");
      const last = { id: "last", text: "last" };
      await store.send("a", last);
      demandEqual(await store.messages("a"), [...left, last], "the messages after a drop and one more");
      await store.drop(
        "a",
        [...left, last].map(({ id }) => id),
      );
      await store.drop("unknown", ["message 1"]);
      demandEqual(await store.messages("a"), [], "the messages after all were dropped");
      await store.send("a", last);
      demandEqual(await store.messages("a"), [last], "a message sent again after it was dropped");
    }),
    one("any text and any id can be sent", async ({ store }) => {
      const sent: readonly StoredMessage[] = [
        { id: "../../x", text: "a\nb\0c\r\u2028😀" },
        { id: "", text: "" },
        { id: "x".repeat(1000), text: "x".repeat(1_000_000) },
        { id: "X".repeat(1000), text: " " },
      ];
      for (const message of sent) await store.send("a", message);
      demandEqual(await store.messages("a"), sent, "the messages");
      await store.drop("a", ["../../x", "x".repeat(1000)]);
      demandEqual(
        (await store.messages("a")).map(({ id }) => id.slice(0, 1)),
        ["", "X"],
        "what is left of them",
      );
    }),
    one("a message can be sent whoever has the lock, and is no line", async ({ store, open }) => {
      const lock = await taken(store, "a");
      const message = { id: "m", text: "hello" };
      await (await open()).send("a", message);
      demandEqual(await store.read("a"), undefined, "the lines of a session that has a message only");
      demandEqual(await store.list(), [], "the list, where a session has a message only");
      await lock.append(["one"], true);
      await lock.release();
      demandEqual(await store.messages("a"), [message], "the messages after a release");
    }),
  ];
}

function numbered(count: number): readonly StoredMessage[] {
  return Array.from({ length: count }, (_none, index) => ({
    id: `message ${String(index)}`,
    text: `text ${String(index)}`,
  }));
}
