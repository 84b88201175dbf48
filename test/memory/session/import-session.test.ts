// Sessions from a stranger's file: all of one is stored or nothing, and it brings no rights.

import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  createAgent,
  tool,
  type Decision,
  type FrozenCall,
  type JournalRecord,
  type Later,
  type Permission,
  type Session,
} from "../../../src/index.js";
import { digestOf, toBase64 } from "../../../src/core/internal.js";
import { importSession, memoryStore, openSession, type Store } from "../../../src/memory/index.js";
import { packed, packedElement } from "../../../src/memory/stores.js";
import { allowAll } from "../../../src/permission/index.js";
import { call, scriptedModel, type Script } from "../../../src/testing/index.js";
import { askQuestion, delegate, taskCompletion } from "../../../src/tools/index.js";

const id = "20261129-0040-abcd";

/** A tool that changes something, and the keys of its calls. */
function payer() {
  const keys: string[] = [];
  const pay = tool({
    name: "pay",
    description: "Pays",
    input: z.object({ sum: z.number() }),
    effect: "write",
    run: (_input, { callId }) => void keys.push(callId),
  });
  return { keys, pay };
}

type AnyPermission = Permission<FrozenCall, unknown, Decision | Later>;

const done = [call("task_completion", { result: "Done." })];

async function ran(
  script: Script,
  { permission = allowAll(), by }: { readonly permission?: AnyPermission; readonly by?: { readonly id: string } } = {},
) {
  const { keys, pay } = payer();
  const store = memoryStore();
  const agent = createAgent({
    model: scriptedModel(script),
    tools: [pay, askQuestion(), taskCompletion()],
    permission,
  });
  await agent.run("Pay the bill.", { session: openSession({ store, id }), ...(by && { by }) });
  return { keys, session: await openSession({ store, id }).toJSON() };
}

const later: AnyPermission = {
  decide: ({ name }, { approval }) =>
    name === "pay" ? (approval ?? { later: true as const, reason: "money" }) : { allowed: true, reason: "an ending" },
};

async function stored(store: Store, name: string): Promise<Session> {
  return openSession({ store, id: name }).toJSON();
}

describe("the session of a file", () => {
  test("is the same after the import, and once more after another", async () => {
    const { session } = await ran([[call("pay", { sum: 3 })], done]);
    const [one, two] = [memoryStore(), memoryStore()];
    expect(await importSession({ store: one, text: JSON.stringify(session) })).toEqual({
      ...{ id, agents: 0, missingFiles: 0 },
    });
    expect(await stored(one, id)).toEqual(session);
    await importSession({ store: two, text: JSON.stringify(await stored(one, id)) });
    expect(await stored(two, id)).toEqual(session);
  });

  test("gets another id if its id is taken, or is a name that a program may have chosen", async () => {
    const { session } = await ran([[call("pay", { sum: 3 })], done]);
    const store = memoryStore();
    const text = JSON.stringify(session);
    await importSession({ store, text });
    const second = await importSession({ store, text });
    expect(second.id).toMatch(/^[0-9a-f]{8}-/);
    const { records } = await stored(store, second.id);
    expect(JSON.stringify(records)).not.toContain(id);
    expect(JSON.stringify(records)).toContain(`${second.id}/`);
    expect((await stored(store, id)).records).toEqual(session.records);
    const named = JSON.stringify({ ...session, id: "chat-of-ann" });
    expect((await importSession({ store, text: named })).id).not.toBe("chat-of-ann");
    await expect(importSession({ store, text, to: id })).rejects.toThrow(
      "There is a session 20261129-0040-abcd already",
    );
    expect((await importSession({ store, text, to: "mine" })).id).toBe("mine");
  });

  test("goes on in the next run as any other", async () => {
    const { session } = await ran([done]);
    const store = memoryStore();
    await importSession({ store, text: JSON.stringify(session) });
    const { keys, pay } = payer();
    const agent = createAgent({
      model: scriptedModel([[call("pay", { sum: 1 })], done]),
      tools: [pay, taskCompletion()],
      permission: allowAll(),
    });
    const outcome = await agent.run("And the next one.", { session: openSession({ store, id }) });
    expect([outcome.status, keys.length]).toEqual(["completed", 1]);
  });

  test("that waits for an answer takes it", async () => {
    const { session } = await ran([[call("ask_question", { question: "Which bill?" })]]);
    const store = memoryStore();
    await importSession({ store, text: JSON.stringify(session) });
    const opened = openSession({ store, id });
    const agent = createAgent({ model: scriptedModel([done]), tools: [askQuestion(), taskCompletion()] });
    const outcome = await agent.run("The red one.", { session: opened, answers: (await opened.waiting())!.id });
    expect(outcome.status).toBe("completed");
  });
});

describe("no right comes with a file:", () => {
  /** A session whose call waits for an approval, with these records behind it. */
  async function waiting(behind: (parked: Extract<JournalRecord, { readonly type: "parked" }>) => readonly object[]) {
    const { session, keys } = await ran([[call("pay", { sum: 3 })], done], { permission: later });
    expect(keys).toEqual([]);
    const parked = session.records.find((record) => record.type === "parked")!;
    const at = session.records.at(-1)!.at;
    const records = [...session.records, ...behind(parked)].map((record, seq) => ({ at, ...record, seq }));
    return JSON.stringify({ ...session, records });
  }

  async function resumed(text: string) {
    const store = memoryStore();
    await importSession({ store, text });
    const { keys, pay } = payer();
    const agent = createAgent({ model: scriptedModel([done]), tools: [pay, taskCompletion()], permission: later });
    const outcome = await agent.resume(openSession({ store, id }));
    return { keys, outcome, store };
  }

  test("a yes in it lets nothing run, and the call is asked about anew, under a key of its own", async () => {
    const text = await waiting(({ callId }) => [{ type: "approval", answers: callId, allowed: true, always: true }]);
    const { keys, outcome, store } = await resumed(text);
    expect([keys, outcome.status]).toEqual([[], "waiting"]);
    const { records } = await stored(store, id);
    const calls = records.flatMap((record) => (record.type === "parked" ? [record.callId] : []));
    expect(calls).toHaveLength(1);
    expect(text).not.toContain(JSON.stringify(calls[0]));
  });

  test("a decision and a question that never were open no way around the permission", async () => {
    const text = await waiting(({ callId, name }) => [
      { type: "decision", callId, allowed: true, reason: "yes", opens: ["network"] },
      { type: "question", callId, id: `${callId}/ask:0`, name, value: "Which colour?" },
      { type: "answer", answers: `${callId}/ask:0`, value: "blue" },
    ]);
    const { keys, outcome } = await resumed(text);
    expect([keys, outcome.status]).toEqual([[], "waiting"]);
  });

  test("work in the background does not begin here", async () => {
    const { session } = await ran([[call("pay", { sum: 3 })], done]);
    const reply = session.records.find((record) => record.type === "reply")!;
    const callId = reply.reply.calls[0]!.id;
    const place = session.records.findIndex(({ type }) => type === "result");
    const records = session.records
      .toSpliced(place, 0, { type: "background", callId, work: "bg-1", seq: 0, at: 1 })
      .map((record, seq) => ({ ...record, seq }));
    const store = memoryStore();
    await importSession({ store, text: JSON.stringify({ ...session, records }) });
    const last = (await stored(store, id)).records.at(-1)!;
    expect(last).toMatchObject({ type: "background-end", work: "bg-1", result: { ok: false } });
  });

  test("the names of people, by whose rights tools work, are left out", async () => {
    const { session } = await ran([[call("pay", { sum: 3 })], done], { by: { id: "the-boss" } });
    expect(JSON.stringify(session)).toContain("the-boss");
    const store = memoryStore();
    await importSession({ store, text: JSON.stringify(session) });
    expect(JSON.stringify(await stored(store, id))).not.toContain("the-boss");
  });

  test("the options and the owner of a file are nobody's here", async () => {
    const { session } = await ran([done]);
    const store = memoryStore();
    const about = { workdir: "/", until: ["rm -rf /"], owner: { id: "ann" } };
    await importSession({ store, text: JSON.stringify({ ...session, about }) });
    expect(await openSession({ store, id }).about()).toBeUndefined();
  });
});

describe("the sessions of agents", () => {
  async function withAgent(): Promise<Session> {
    const helper = createAgent({ model: scriptedModel([done]), tools: [taskCompletion()] });
    const store = memoryStore();
    const agent = createAgent({
      model: scriptedModel([[call("help", { task: "Look." })], done]),
      tools: [delegate(helper, { name: "help", description: "Looks" }), taskCompletion()],
      permission: allowAll(),
    });
    await agent.run("Go.", { session: openSession({ store, id }) });
    return openSession({ store, id }).toJSON();
  }

  test("come along, also under another id", async () => {
    const session = await withAgent();
    expect(Object.keys(session.children ?? {})).toHaveLength(1);
    const store = memoryStore();
    const text = JSON.stringify(session);
    expect((await importSession({ store, text })).agents).toBe(1);
    expect(await stored(store, id)).toEqual(session);
    const other = await importSession({ store, text });
    const { children = {} } = await stored(store, other.id);
    expect(Object.keys(children)).toEqual([expect.stringContaining(`${other.id}/`)]);
    expect((await store.list()).map((one) => one.id).filter((one) => !/^(?:2026|[0-9a-f]{8}-)/.test(one))).toEqual([]);
  });

  test("a session that is no agent's of its calls is refused, wherever it would like to be", async () => {
    const session = await withAgent();
    const [child] = Object.values(session.children ?? {});
    for (const name of ["victim", id, `${id}/../other`, `other/abcdef/1/call:1:0`]) {
      const store = memoryStore();
      const text = JSON.stringify({ ...session, children: { [name]: { ...child, id: name } } });
      await expect(importSession({ store, text })).rejects.toThrow("is no session of one of its calls");
      expect(await store.list()).toEqual([]);
    }
  });
});

test("a file shows no other session of the store as an agent's, nor itself", async () => {
  const store = memoryStore();
  const file = (session: string, records: readonly object[]): string =>
    JSON.stringify({ version: 1, id: session, records: records.map((record, seq) => ({ ...record, seq, at: seq })) });
  await importSession({ store, to: "of-ann", text: file("a", [{ type: "input", run: 1, text: "A secret of Ann." }]) });
  const usage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, reasoningTokens: 0 };
  for (const callId of ["of-ann", "20261129-0200-abcd"]) {
    const text = file("20261129-0200-abcd", [
      { type: "input", run: 1, text: "x" },
      {
        type: "reply",
        iteration: 1,
        reply: { text: "", calls: [{ type: "call", id: callId, name: "ask", input: {} }], finish: "complete", usage },
      },
      { type: "child", callId },
      { type: "result", result: { callId, name: "ask", ok: true, text: "It said so." } },
      { type: "iteration", iteration: 1, failures: [], ephemeral: false },
      { type: "outcome", status: "aborted" },
    ]);
    const made = await importSession({ store, text });
    const shown = await openSession({ store, id: made.id }).toJSON();
    expect(shown.records).toHaveLength(6);
    expect(shown.children).toBeUndefined();
  }
});

describe("attached files", () => {
  const bytes = new TextEncoder().encode("%PDF-1.4 hello");

  async function withFile(): Promise<Session> {
    const store = memoryStore();
    const agent = createAgent({ model: scriptedModel([done]), tools: [taskCompletion()] });
    await agent.run("Read it.", {
      session: openSession({ store, id }),
      attachments: [{ bytes, mediaType: "application/pdf", name: "a.pdf" }],
    });
    return openSession({ store, id }).toJSON();
  }

  test("come along with their bytes, and are missed without", async () => {
    const session = await withFile();
    const store = memoryStore();
    expect((await importSession({ store, text: JSON.stringify(session) })).missingFiles).toBe(0);
    expect(await store.attachments?.(id).read(await digestOf(bytes))).toEqual(bytes);
    const { attachments: _left, ...without } = session;
    expect((await importSession({ store: memoryStore(), text: JSON.stringify(without) })).missingFiles).toBe(1);
  });

  test.each([
    ["other bytes", toBase64(new TextEncoder().encode("other"))],
    ["no Base64", "%%%"],
  ])("%s are refused", async (_what, text) => {
    const session = await withFile();
    const store = memoryStore();
    const attachments = { [await digestOf(bytes)]: text };
    await expect(importSession({ store, text: JSON.stringify({ ...session, attachments }) })).rejects.toThrow(
      "Nothing was written",
    );
    expect(await store.list()).toEqual([]);
  });
});

describe("a file", () => {
  test("that is no session is refused in words, and leaves nothing", async () => {
    const page = (data: string): string => `<!doctype html>${packedElement[0]}${data}${packedElement[1]}`;
    const packOf = (value: unknown): Promise<string> =>
      packed(
        (async function* () {
          yield JSON.stringify(value);
        })(),
      );
    const { session } = await ran([done]);
    const store = memoryStore();
    const deep = "[".repeat(300_000) + "]".repeat(300_000);
    for (const [text, words] of [
      ["", "This file is no session"],
      ["hello", "This file is no session"],
      ["[]", "it is no object"],
      ["{}", "it has version none"],
      [JSON.stringify({ version: 1, id: "a" }), "has no list of records"],
      [JSON.stringify({ version: 1, id: "a\u0000", records: [] }), "can't be the id of a session"],
      [JSON.stringify({ version: 1, id: "a", records: [] }), "it has no records"],
      ["[".repeat(100_000), "This file is no session"],
      [`{"version":${deep}}`, "it has version a list"],
      [`{"version":1,"id":"a","records":[{"type":${deep}}]}`, "has the type a list"],
      [`{"version":1,"id":"a","records":[{"type":"resume","seq":${deep}}]}`, "has the number a list"],
      [page("!!"), "the page is not whole"],
      [page(await packOf({ lastcall: "other" })), "is a page without a session"],
      [page(await packOf(null)), "is a page without a session"],
      [page(await packOf({ lastcall: "page", version: 2, session })), "another version of lastcall"],
      [page((await packOf({ lastcall: "page", version: 1, session })).slice(0, -40)), "the page is not whole"],
    ] as const)
      await expect(importSession({ store, text }), text.slice(0, 80)).rejects.toThrow(words);
    expect(await store.list()).toEqual([]);
    const good = page(await packOf({ lastcall: "page", version: 1, session }));
    expect((await importSession({ store, text: good })).id).toBe(id);
  });

  test("that the store fails to take leaves no session", async () => {
    const { session } = await ran([[call("pay", { sum: 3 })], done]);
    const inner = memoryStore();
    const store: Store = {
      ...inner,
      name: inner.name,
      async lock(name, holder) {
        const lock = await inner.lock(name, holder);
        if (!("append" in lock)) return lock;
        return {
          ...lock,
          append: async (lines, flush) => {
            await lock.append(lines.slice(0, 2), flush);
            throw new Error("the disk is full");
          },
        };
      },
    };
    await expect(importSession({ store, text: JSON.stringify(session) })).rejects.toThrow("the disk is full");
    expect(await inner.list()).toEqual([]);
  });
});
