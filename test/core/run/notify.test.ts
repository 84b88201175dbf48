import { expect, test } from "vitest";
import { LastcallError } from "../../../src/core/index.js";
import { notify } from "../../../src/core/run/notify.js";
import { transcript } from "../../../src/memory/index.js";
import { drain } from "../drain.js";
import { input } from "../journal.js";
import { openRun } from "../open-run.js";
import { sourceOf } from "../../../src/core/time/stage.js";

const notice = { about: "limit", reason: "max_iterations" } as const;

test("a notice is in the journal before watchers hear of it, and says the same in both", async () => {
  const { run, added } = openRun({}, [input(1, "go")]);
  const events = sourceOf(notify(run, notice, "4 of 5 iterations are used."));
  const first = await events.next();
  expect(first.value).toEqual({ type: "notice", ...notice, text: "4 of 5 iterations are used." });
  expect(added()).toMatchObject([{ type: "notice", ...notice, text: "4 of 5 iterations are used." }]);
  expect(await events.next()).toMatchObject({ done: true });
});

test("a notice that can't be kept is not told", async () => {
  const full = new LastcallError("store", "The disk is full.");
  const memory: typeof transcript = (session) => {
    const inner = transcript(session);
    return { records: inner.records, append: () => Promise.reject(full), recall: (asked) => inner.recall(asked) };
  };
  const { run } = openRun({ memory }, [input(1, "go")]);
  await expect(drain(notify(run, notice, "text"))).rejects.toMatchObject({ code: "store" });
});
