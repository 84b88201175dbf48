// Conformance of stores: one case per sentence of the contract of the store port, each in its own storage.

import type { ConformanceCase } from "./conformance.js";
import { demand, demandEqual, show } from "../oracle/demand.js";
import { changesCases } from "./store-changes-cases.js";
import { liveCases } from "./store-live-cases.js";
import { attachmentCases } from "./store-attachment-cases.js";
import { inboxCases } from "./store-inbox-cases.js";
import { lockCases } from "./store-lock-cases.js";
import { storeCase, taken, thrownBy, type StoreMaker, type StoreWorld } from "./store-place.js";

/** The cases of the store port. Some advance the clock or start a process. */
export function storeConformance(make: StoreMaker): readonly ConformanceCase[] {
  return [
    ...logCases(make),
    ...changesCases(make),
    ...liveCases(make),
    ...idCases(make),
    ...lockCases(make),
    ...inboxCases(make),
    ...attachmentCases(make),
  ];
}

function logCases(make: StoreMaker): readonly ConformanceCase[] {
  const one = (name: string, work: (world: StoreWorld) => Promise<void>): ConformanceCase =>
    storeCase(make, name, work);
  return [
    one("a session that was never written has no lines", async ({ store }) => {
      demandEqual(await store.read("unknown"), undefined, "what read says of an unknown session");
      demandEqual(await store.list(), [], "the list of an empty store");
      const lock = await taken(store, "locked");
      demandEqual(await store.read("locked"), undefined, "what read says of a session that was only locked");
      demandEqual(await store.list(), [], "the list, where a session was only locked");
      await lock.release();
    }),
    one("a line is there once append resolves, flushed or not, in order", async ({ store, open }) => {
      const lock = await taken(store, "a");
      const lines: string[] = [];
      for (let index = 0; index < 20; index += 1) {
        lines.push(JSON.stringify({ index, text: "x".repeat(index) }));
        await lock.append([lines[index] ?? ""], index % 3 === 0);
        demandEqual(await (await open()).read("a"), lines, `the lines after append ${String(index + 1)}`);
      }
    }),
    one(
      "the lines of one append are all kept, in order, and of an append with a bad line none is",
      async ({ store }) => {
        const lock = await taken(store, "a");
        await lock.append(["one", "two", "", "three"], false);
        await lock.append([], true);
        await thrownBy(() => lock.append(["four", "a\nb"], true), "an append whose second line has a line feed");
        await lock.append(["five", "six"], true);
        const lines = ["one", "two", "", "three", "five", "six"];
        demandEqual(await store.read("a"), lines, "the lines of appends of several lines");
      },
    ),
    one(
      "read gives the lines from a number on, none behind the last, and nothing of an unknown session",
      async (place) => {
        const { store } = place;
        demandEqual(await store.read("a", 0), undefined, "the lines of an unknown session from 0 on");
        demandEqual(await store.read("a", 5), undefined, "the lines of an unknown session from 5 on");
        const lock = await taken(store, "a");
        const lines = ["zero", "one", "", "three"];
        await lock.append(lines, true);
        for (let from = 0; from < 6; from += 1)
          demandEqual(await store.read("a", from), lines.slice(from), `the lines from ${String(from)} on`);
      },
    ),
    one("appends that are not waited for keep their order", async ({ store }) => {
      const lock = await taken(store, "a");
      const lines = Array.from({ length: 200 }, (_none, index) => `line ${String(index)}`);
      await Promise.all(lines.map((line, index) => lock.append([line], index % 10 === 0)));
      demandEqual(await store.read("a"), lines, "the lines of appends at the same time");
    }),
    one("what was written outlives the lock, and the next holder writes on", async ({ store, open }) => {
      for (const line of ["one", "two", "three"]) {
        const lock = await taken(await open(), "a");
        await lock.append([line], true);
        await lock.release();
      }
      demandEqual(await store.read("a"), ["one", "two", "three"], "the lines of three holders");
    }),
    one("a line of five megabytes and one of none at all are kept", async ({ store }) => {
      const lock = await taken(store, "a");
      const lines = ["x".repeat(5_000_000), "", `${"ü".repeat(70_000)}.`, ""];
      for (const line of lines) await lock.append([line], false);
      const read = (await store.read("a")) ?? [];
      demandEqual(
        read.map(({ length }) => length),
        lines.map(({ length }) => length),
        "the lengths of the lines",
      );
      demandEqual(
        read.every((line, index) => line === lines[index]),
        true,
        "whether the long lines are the same",
      );
    }),
    one("every character but a line feed and NUL is kept; a line with one of these is refused", async ({ store }) => {
      const lock = await taken(store, "a");
      const line = 'ä 语言 😀 e\u0301 \u2028\u2029\u0085 \r \t \u0001 \u007f \ufeff " \\n';
      await lock.append([line], true);
      await thrownBy(() => lock.append(["a\nb"], true), "a line with a line feed");
      await thrownBy(() => lock.append(["a\0b"], true), "a line with a NUL");
      await lock.append([line], true);
      demandEqual(await store.read("a"), [line, line], "the lines");
    }),
    one("cut keeps the first so many lines, and the next one goes behind them", async ({ store, open }) => {
      const lock = await taken(store, "a");
      for (const line of ["one", "two", "three", "four"]) await lock.append([line], false);
      await lock.cut(4);
      await lock.cut(9);
      demandEqual(await store.read("a"), ["one", "two", "three", "four"], "the lines, where all of them are kept");
      await lock.cut(2);
      demandEqual(await (await open()).read("a"), ["one", "two"], "the lines, where two are kept");
      await lock.append(["five"], true);
      demandEqual(await store.read("a"), ["one", "two", "five"], "the lines after a cut and an append");
      await lock.cut(0);
      demandEqual(await store.read("a"), undefined, "the lines, where none is kept");
      await lock.append(["six"], true);
      demandEqual(await store.read("a"), ["six"], "the lines after everything was cut");
    }),
    one("sessions are told apart and listed with the time of their last append", async ({ store, open, now }) => {
      const ids = Array.from({ length: 200 }, (_none, index) => `session-${String(index)}`);
      const begin = now();
      for (const id of ids) {
        const lock = await taken(store, id);
        await lock.append([id], false);
        await lock.release();
      }
      const listed = await (await open()).list();
      demandEqual(listed.map(({ id }) => id).sort(), ids.sort(), "the ids in the list");
      for (const { id, updated } of listed) {
        // File times have a coarse resolution.
        const isThen = updated >= begin - 2000 && updated <= now() + 2000;
        demand(isThen, `${id} was written at ${show(now())}, and its time in the list is ${show(updated)}`);
        demandEqual(await store.read(id), [id], `the lines of ${id}`);
      }
    }),
    one("a list of the sessions that were used last has these", async ({ store, open }) => {
      for (const id of ["a", "b", "c", "d", "a"]) {
        const lock = await taken(store, id);
        await lock.append([id], true);
        await lock.release();
        // File times have a coarse resolution.
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      const listed = (await (await open()).list({ most: 2 })).map(({ id }) => id);
      demand(
        ["a", "d"].every((id) => listed.includes(id)),
        `the list of the last two is ${show(listed)}`,
      );
      demandEqual((await store.list({ most: 9 })).length, 4, "the number of sessions in a list of more than there are");
    }),
    one("the list has the time of the last append, not of the first", async ({ store }) => {
      const lock = await taken(store, "a");
      await lock.append(["one"], true);
      const [before] = await store.list();
      await new Promise((resolve) => setTimeout(resolve, 60));
      await lock.append(["two"], true);
      const [after] = await store.list();
      demand((after?.updated ?? 0) > (before?.updated ?? 0), `${show(after)} was ${show(before)} before an append`);
    }),
    one("a session that is deleted is gone, and may begin anew", async ({ store, open }) => {
      const lock = await taken(store, "a");
      await lock.append(["one"], true);
      await (await taken(store, "b")).append(["other"], true);
      await store.send("a", { id: "m", text: "hello" });
      await thrownBy(() => store.delete("a"), "the deletion of a session that is being written");
      demandEqual(await store.read("a"), ["one"], "the lines after a deletion that was refused");
      await lock.release();
      await (await open()).delete("a");
      demandEqual(await store.read("a"), undefined, "the lines of a deleted session");
      demandEqual(await store.messages("a"), [], "the messages of a deleted session");
      demandEqual(
        (await store.list()).map(({ id }) => id),
        ["b"],
        "the list after a deletion",
      );
      await (await taken(store, "a")).append(["anew"], true);
      demandEqual(await store.read("a"), ["anew"], "the lines of a session that began anew");
      await store.delete("unknown");
    }),
  ];
}

function idCases(make: StoreMaker): readonly ConformanceCase[] {
  const refused = ["", "a\0", "a\nb", "\u007f", "\ud800", "x".repeat(201)];
  return [
    storeCase(
      make,
      "an id without characters, with too many, or with a control character is refused by everything",
      async ({ store }) => {
        for (const id of refused) {
          const what = `the id ${JSON.stringify(id)}`;
          await thrownBy(() => store.read(id), `${what} in read`);
          await thrownBy(() => store.lock(id, { id: "h", host: "elsewhere", pid: 1 }), `${what} in lock`);
          await thrownBy(() => store.send(id, { id: "m", text: "" }), `${what} in send`);
          await thrownBy(() => store.messages(id), `${what} in messages`);
          await thrownBy(() => store.drop(id, ["m"]), `${what} in drop`);
          await thrownBy(() => store.delete(id), `${what} in delete`);
        }
        demandEqual(await store.list(), [], "the list, where everything was refused");
      },
    ),
    storeCase(make, "every other id is taken, and no two ids are the same session", async ({ store, open }) => {
      const ids = [
        ...[
          "a",
          "A-1_b.c",
          "-",
          "_",
          "0",
          "x".repeat(200),
          "a..b",
          "constructor",
          "__proto__",
          "user@example.com",
          "C1:U2",
        ],
        ...[".", "..", ".x", "../x", "a/b", "a\\b", "a b", " ", "*", "+", "+a", "=2e", "CON", "a.", "'", "%2e"],
        ...["\u00e9", "e\u0301", "语言", "😀", "Ä", "ä", "ä".repeat(200), `${"ä".repeat(199)}a`, `${"ä".repeat(199)}A`],
      ];
      for (const id of ids) {
        await store.send(id, { id: "m", text: id });
        const lock = await taken(store, id);
        await lock.append([id], false);
        await lock.release();
      }
      const again = await open();
      for (const id of ids) {
        demandEqual(await again.read(id), [id], `the lines of ${id}`);
        demandEqual(await again.messages(id), [{ id: "m", text: id }], `the messages of ${id}`);
      }
      demandEqual((await again.list()).map(({ id }) => id).sort(), [...ids].sort(), "the ids in the list");
      for (const id of ids) await again.delete(id);
      demandEqual(await again.list(), [], "the list after all were deleted");
    }),
  ];
}
