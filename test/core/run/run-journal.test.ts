import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { LastcallError, type JournalRecord } from "../../../src/core/index.js";
import type { RecordBody } from "../../../src/core/internal.js";
import { RunJournal } from "../../../src/core/run/run-journal.js";
import { noRedactor } from "../../../src/core/secret/redact.js";
import { transcript } from "../../../src/memory/index.js";
import { input, replyOf } from "../journal.js";

const secrets = noRedactor;
const notice: RecordBody = { type: "notice", about: "baseline", text: "Look." };

function journalOf(records: readonly JournalRecord[], now = 0): RunJournal {
  const memory = transcript({ version: 1, id: "s", records });
  return new RunJournal({ memory, lease: undefined, secrets, runtime: { now: () => now } });
}

describe("the journal of a run", () => {
  it("numbers its records, and steps the state with each of them", async () => {
    const journal = journalOf([], 7);
    expect(await journal.append(input(1, "Go."))).toMatchObject({ type: "input", seq: 0, at: 7 });
    expect(await journal.append(notice)).toMatchObject({ type: "notice", seq: 1, at: 7 });
    expect(journal.state).toMatchObject({ run: 1, seq: 2 });
  });

  it("continues the records of its memory, and has their last reply", () => {
    const last = replyOf(["a"]);
    const records: readonly JournalRecord[] = [
      { ...input(1, "Go."), seq: 0, at: 1 },
      { type: "reply", iteration: 1, reply: replyOf([]), seq: 1, at: 2 },
      { type: "reply", iteration: 2, reply: last, seq: 2, at: 3 },
    ];
    const journal = journalOf(records);
    expect(journal.state).toMatchObject({ run: 1, iteration: 2, seq: 3 });
    expect(journal.reply).toEqual(last);
  });

  it("has no reply before the first one", () => {
    expect(journalOf([]).reply).toBeUndefined();
  });

  it("never gives a record an earlier time than the record before it, whatever the clock says", async () => {
    const journal = journalOf([{ ...input(1, "Go."), seq: 0, at: 500 }], 20);
    expect((await journal.append(notice)).at).toBe(500);
  });

  it("writes appends that overlap one after another, in the order of the calls", async () => {
    const memory = transcript({ version: 1, id: "s", records: [] });
    const written: number[] = [];
    let delay = 30;
    const slow = {
      records: memory.records,
      recall: memory.recall.bind(memory),
      append: async (record: JournalRecord) => {
        await setTimeout((delay -= 10));
        written.push(record.seq);
      },
    };
    const journal = new RunJournal({ memory: slow, lease: undefined, secrets, runtime: { now: () => 0 } });
    await Promise.all([journal.append(input(1, "Go.")), journal.append(notice), journal.append(notice)]);
    expect(written).toEqual([0, 1, 2]);
  });

  it("throws a fault if the memory cannot store a record; the state stays the same, and the next append works", async () => {
    const memory = transcript({ version: 1, id: "s", records: [] });
    let isFull = true;
    const failing = {
      records: memory.records,
      recall: memory.recall.bind(memory),
      append: (record: JournalRecord) => {
        if (isFull) throw new Error("disk full");
        return memory.append(record);
      },
    };
    const journal = new RunJournal({ memory: failing, lease: undefined, secrets, runtime: { now: () => 0 } });
    const fault = await journal.append(input(1, "Go.")).catch((thrown: unknown) => thrown);
    expect(fault).toBeInstanceOf(LastcallError);
    expect(fault).toMatchObject({ code: "store", message: "The journal could not be written: disk full" });
    expect(journal.state).toMatchObject({ run: 0, seq: 0 });
    isFull = false;
    expect(await journal.append(input(1, "Go."))).toMatchObject({ seq: 0 });
  });
});
