import { describe, expect, test } from "vitest";
import { failClosed, notesIn, type Budget, type JournalRecord, type Note, type Tool } from "../../../src/core/index.js";
import { compile } from "../../../src/schema/index.js";
import { notes } from "../../../src/tools/index.js";
import { createAgent, tool, type Event, type Outcome } from "../../../src/index.js";
import { call, scriptedModel, type Step } from "../../../src/testing/index.js";
import { taskCompletion } from "../../../src/tools/index.js";
import { z } from "zod";

const budget: Budget = { reserve: () => ({ settle: () => Promise.resolve(), release: () => undefined }) };
const tools: readonly Tool[] = notes();

interface Notebook {
  readonly records: JournalRecord[];
  readonly use: (name: string, input?: object) => Promise<string>;
}

/** A session that consists of only these calls. */
function notebook(records: JournalRecord[] = []): Notebook {
  return {
    records,
    async use(name, input = {}) {
      const used = tools.find((one) => one.name === name)!;
      const validation = await compile(used.input).validate(input);
      if (!validation.ok) throw new Error(validation.issues.map(({ message }) => message).join("; "));
      const written: Note[] = [];
      const callId = `s/1/call:${String(records.length)}:0`;
      const note = (one: Note): void => void written.push(one);
      const signal = new AbortController().signal;
      const text = (await used.run(validation.value, {
        signal,
        callId,
        approved: undefined,
        principal: undefined,
        context: undefined,
        budget,
        permission: failClosed,
        decision: { allowed: true, reason: "the test runs it" },
        records,
        note,
        attach: () => undefined,
        ask: () => Promise.reject(new Error("nobody is there")),
        state: undefined,
        path: ["s/1/call:1:0"],
        child: () => Promise.reject(new Error("no agent is run here")),
        background: { look: () => undefined, wait: () => Promise.resolve(), stop: () => Promise.resolve() },
      })) as string;
      const seq = records.length;
      records.push({
        type: "result",
        result: { callId, name, ok: true, text, ...(written.length > 0 && { notes: written }) },
        seq,
        at: seq,
      });
      return text;
    },
  };
}

test("there are five tools, none of which does anything to the world", () => {
  const names = notes().map(({ name }) => name);
  expect(names).toEqual(["add_note", "search_notes", "list_notes", "update_note", "scratch_note"]);
  expect(notes().map(({ effect }) => effect)).toEqual(Array(5).fill("none"));
  const [first] = notes();
  first.name satisfies "add_note";
});

describe("add_note", () => {
  test("numbers the notes in their order", async () => {
    const { use, records } = notebook();
    expect(await use("add_note", { text: " The port is 8443. ", tags: ["net", " net "] })).toBe("Noted as n1.");
    expect(await use("add_note", { text: "Bun can't run it." })).toBe("Noted as n2.");
    expect([...notesIn(records).all.values()]).toEqual([
      { id: "n1", text: "The port is 8443.", tags: ["net"], scratched: false },
      { id: "n2", text: "Bun can't run it.", tags: [], scratched: false },
    ]);
  });

  test("takes a text that is noted already as that note, also where it was scratched, and keeps its tags", async () => {
    const { use, records } = notebook();
    await use("add_note", { text: "A", tags: ["x"] });
    await use("add_note", { text: "B" });
    await use("scratch_note", { id: "n1" });
    expect(await use("add_note", { text: "A" })).toBe("Noted as n1.");
    expect([...notesIn(records).current.values()]).toEqual([
      { id: "n2", text: "B", tags: [], scratched: false },
      { id: "n1", text: "A", tags: ["x"], scratched: false },
    ]);
    await use("update_note", { id: "n1", text: "C" });
    expect(await use("add_note", { text: "A" })).toBe("Noted as n3.");
  });

  test.each<[object, RegExp]>([
    [{ text: "x".repeat(801) }, /has 801 characters, and a note has at most 800/],
    [{ text: " \n" }, /must not be empty/],
    [{ text: "x", tags: ["a", "b", "c", "d", "e", "f"] }, /a note has at most 5 tags/],
    [{ text: "x", tags: ["a\nb"] }, /a tag is a word or two/],
    [{ text: "x", tags: ["a".repeat(41)] }, /of at most 40 characters/],
  ])("%j fails with what would fit", async (input, words) => {
    await expect(notebook().use("add_note", input)).rejects.toThrow(words);
  });

  test("keeps 800 characters and 5 tags", async () => {
    const text = "x".repeat(800);
    expect(await notebook().use("add_note", { text, tags: ["a", "b", "c", "d", "e"] })).toBe("Noted as n1.");
  });

  test("stops at a hundred notes, until one is scratched", async () => {
    const { use } = notebook();
    for (let number = 1; number <= 100; number += 1) await use("add_note", { text: `fact ${String(number)}` });
    await expect(use("add_note", { text: "one more" })).rejects.toThrow(
      "There are 100 notes, and no more can be kept. Scratch what no longer holds (scratch_note)",
    );
    expect(await use("add_note", { text: "fact 7" })).toBe("Noted as n7.");
    await use("scratch_note", { id: "n50" });
    expect(await use("add_note", { text: "one more" })).toBe("Noted as n101.");
    await expect(use("add_note", { text: "fact 50" })).rejects.toThrow("There are 100 notes");
  });
});

describe("list_notes", () => {
  test("shows the latest first, ten of them, without what was scratched", async () => {
    const { use } = notebook();
    expect(await use("list_notes")).toBe("There are no notes.");
    for (let number = 1; number <= 12; number += 1) await use("add_note", { text: `fact ${String(number)}` });
    await use("scratch_note", { id: "n12" });
    const listed = (await use("list_notes")).split("\n");
    expect(listed[0]).toBe("10 of 11 notes, the latest first:");
    expect(listed[1]).toBe("n11: fact 11");
    expect(listed.at(-1)).toBe("n2: fact 2");
    expect(await use("list_notes", { limit: 1, include_scratched: true })).toBe(
      "1 of 12 notes, the latest first:\nn12 [scratched]: fact 12",
    );
  });

  test("takes a note that was updated as new", async () => {
    const { use } = notebook();
    await use("add_note", { text: "A", tags: ["x"] });
    await use("add_note", { text: "B" });
    expect(await use("update_note", { id: "n1", text: "A, mended" })).toBe("Updated n1.");
    expect(await use("list_notes")).toBe("2 notes, the latest first:\nn1 [x]: A, mended\nn2: B");
  });

  test("fails for a limit of none", async () => {
    await expect(notebook().use("list_notes", { limit: 0 })).rejects.toThrow("must be at least 1");
  });
});

describe("search_notes", () => {
  async function book(): Promise<Notebook> {
    const made = notebook();
    await made.use("add_note", { text: "The token of the auth server is rotated daily.", tags: ["auth", "ops"] });
    await made.use("add_note", { text: "An auth token lives an hour. Each auth token is signed.", tags: ["Auth"] });
    await made.use("add_note", { text: "Tokens are counted by the provider.", tags: ["model"] });
    await made.use("scratch_note", { id: "n3" });
    return made;
  }
  const idsIn = (text: string): readonly string[] => [...text.matchAll(/^(n\d+)/gm)].map(([, id]) => id ?? "");

  test.each<[string, object, readonly string[]]>([
    [
      "finds all words anywhere, in whatever case, the whole query before its words",
      { query: "AUTH token" },
      ["n2", "n1"],
    ],
    ["finds parts of words", { query: "rota" }, ["n1"]],
    ["finds by tags, which all have to be there", { tags: ["auth", "OPS"] }, ["n1"]],
    ["puts equally good ones in the order of their writing, the latest first", { tags: ["auth"] }, ["n2", "n1"]],
    ["hides what was scratched", { query: "tokens" }, []],
    ["finds what was scratched where that is asked for", { query: "tokens", include_scratched: true }, ["n3"]],
    ["finds words in tags", { query: "ops" }, ["n1"]],
    ["finds no note that has one of two words", { query: "token zebra" }, []],
  ])("%s", async (_what, input, ids) => {
    expect(idsIn(await (await book()).use("search_notes", input))).toEqual(ids);
  });

  test("says what to do where nothing fits", async () => {
    expect(await (await book()).use("search_notes", { query: "zebra" })).toBe(
      "No note that is not scratched fits. list_notes shows what there is.",
    );
  });
});

describe("update_note and scratch_note", () => {
  test("change what they are given, and leave the rest", async () => {
    const { use, records } = notebook();
    await use("add_note", { text: "A", tags: ["x"] });
    await use("update_note", { id: "n1", tags: [] });
    expect(await use("scratch_note", { id: " n1" })).toBe("Scratched n1.");
    await use("update_note", { id: "n1", text: "B" });
    expect(notesIn(records).all.get("n1")).toEqual({ id: "n1", text: "B", tags: [], scratched: true });
  });

  test.each(["update_note", "scratch_note"])("%s says which notes there are, for an id that is none", async (name) => {
    const { use } = notebook();
    const input = { id: "n9", ...(name === "update_note" && { text: "x" }) };
    await expect(use(name, input)).rejects.toThrow('There is no note "n9". There are no notes yet: add_note adds one.');
    await use("add_note", { text: "A" });
    await use("add_note", { text: "B" });
    await expect(use(name, input)).rejects.toThrow('There is no note "n9". There are n2, n1.');
  });

  test("an update of nothing is none", async () => {
    await expect(notebook().use("update_note", { id: "n1" })).rejects.toThrow("give a text, tags or both");
  });
});

test("the notes are folded one record at a time, and the same from any array", async () => {
  const { use, records } = notebook();
  for (let number = 0; number < 50; number += 1) {
    await use("add_note", { text: `fact ${String(number % 20)}` });
    if (number % 3 === 0) await use("scratch_note", { id: `n${String((number % 20) + 1)}` });
    const anew = notesIn(structuredClone(records));
    const known = notesIn(records);
    expect([...known.all]).toEqual([...anew.all]);
    expect([...known.current]).toEqual([...anew.current]);
    expect(known.next).toBe(anew.next);
  }
});

/** Runs these steps, with the note tools. */
async function run(
  script: readonly Step[] | (() => Step),
  more: readonly Tool[] = [],
): Promise<{ outcome: Outcome; events: readonly Event[] }> {
  const events: Event[] = [];
  const check = { name: "tests", every: "iteration" as const, verify: () => ({ passed: true, output: "" }) };
  const agent = createAgent({
    model: scriptedModel(script),
    tools: [...notes(), ...more, taskCompletion()],
    checks: [check],
  });
  return { outcome: await agent.run("go", { onEvent: (event) => void events.push(event) }), events };
}

describe("in a run", () => {
  const done: Step = [call("task_completion", { result: "done" })];

  test("two notes of one reply have two ids, and a failed call leaves none", async () => {
    const { outcome } = await run([
      [call("add_note", { text: "A" }), call("add_note", { text: "B" }), call("update_note", { id: "n7", text: "C" })],
      done,
    ]);
    const { all } = notesIn(outcome.session.records);
    expect([...all.values()].map(({ id, text }) => `${id} ${text}`)).toEqual(["n1 A", "n2 B"]);
    const failure = outcome.session.records.flatMap((record) =>
      record.type === "result" && record.result.failure ? [record.result.failure.message] : [],
    );
    expect(failure).toEqual(['There is no note "n7". There are n2, n1.']);
  });

  test("notes are no change that a check for every iteration is run after", async () => {
    const { events } = await run([[call("add_note", { text: "A" })], [call("list_notes")], done]);
    const checked = events.flatMap((event) => (event.type === "check-start" ? [event.when] : []));
    expect(checked).toEqual(["baseline", "claim"]);
  });

  test.each<[string, readonly ReturnType<typeof call>[]]>([
    ["the same note", [call("add_note", { text: "A" })]],
    ["a note and the list", [call("add_note", { text: "A" }), call("list_notes")]],
    ["a note, and scratching it,", [call("add_note", { text: "A" }), call("scratch_note", { id: "n1" })]],
  ])("%s for ever is a stall", async (_what, calls) => {
    const { outcome } = await run(() => [...calls]);
    expect(outcome).toMatchObject({ status: "stopped", reason: "stalled", iterations: 6 });
  });

  test("a tool of the caller's can note as well, and what it noted is frozen", async () => {
    const given = { id: "n5", text: "measured: 40 ms", tags: ["bench"], scratched: false };
    const measure = tool({
      name: "measure",
      description: "Measures",
      input: z.object({}),
      run: (_input, { note }) => {
        note(given);
        given.tags.push("later");
        return "40 ms";
      },
    });
    const { outcome } = await run([[call("measure")], [call("add_note", { text: "A" })], done], [measure]);
    const noted = [...notesIn(outcome.session.records).all.values()];
    expect(noted.map(({ id, tags }) => [id, tags])).toEqual([
      ["n5", ["bench"]],
      ["n6", []],
    ]);
  });
});
