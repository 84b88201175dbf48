// A conversation whose person leaves at a bad moment, or whose store fails at one: the words are told to the model once, in this process or
// the next one.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { readSettings } from "../../../src/cli/args/args.js";
import { parseOptions } from "../../../src/cli/args/options.js";
import { plainLook } from "../../../src/cli/chat/style/look.js";
import { chat } from "../../../src/cli/chat/terminal-chat.js";
import { loadModules } from "../../../src/cli/modules/modules.js";
import { workplaceFor } from "../../../src/cli/task/workplace-for.js";
import { createAgent, type Model } from "../../../src/index.js";
import { memoryStore, openSession, type Store } from "../../../src/memory/index.js";
import { call, scriptedModel, type Script } from "../../../src/testing/index.js";
import { converse } from "../../../src/tools/index.js";
import { temporary } from "../command.js";

const says = (message: string): readonly [ReturnType<typeof call>] => [call("converse", { message })];
/** Waits until the expectations hold. */
const until = (holds: () => void | Promise<void>): Promise<void> => vi.waitFor(holds, { timeout: 8000, interval: 10 });

const leave = "\u0004";

/** Something that happens once, and can be waited for. */
function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

interface Stage extends AsyncDisposable {
  readonly folder: string;
  /** Types words and Enter. */
  say(words: string): Promise<void>;
  type(keys: string): Promise<void>;
  readonly ended: Promise<number>;
  readonly shown: () => string;
  /** The texts of the person that the journal has, oldest first. */
  journal(): Promise<readonly string[]>;
  inbox(): Promise<readonly string[]>;
  /** Goes on with the session in another process, and returns these of the words one, two and three that the model reads, each as often as it reads it. */
  read(words: string): Promise<readonly string[]>;
}

/** A conversation in this process. Before its reply with this number, counted from 1, the model waits. */
async function chatOn(
  script: Script,
  {
    store = memoryStore(),
    before = {},
    tierWaits,
    signal = new AbortController().signal,
  }: { store?: Store; before?: Record<number, Promise<void>>; tierWaits?: Promise<void>; signal?: AbortSignal },
): Promise<Stage> {
  const folder = await temporary();
  const settings = readSettings(parseOptions(["x", "--no-sandbox", "--workdir", folder.path]));
  const scripted = scriptedModel(script);
  const model: Model = {
    ...scripted,
    async *respond(request, signal) {
      await before[scripted.requests.length + 1];
      return yield* scripted.respond(request, signal);
    },
  };
  const session = openSession({ store, id: "s" });
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
  let shown = "";
  const output = Object.assign(new PassThrough(), { columns: 80, rows: 24 });
  output.on("data", (text: Buffer) => (shown += text.toString()));
  const place = { root: folder.path, guarded: [], modules: await loadModules(settings) };
  const ended = chat({
    settings,
    workdir: folder.path,
    model,
    ...{ guidance: "", limits: {}, window: undefined, secrets: [], guarded: [], modules: [] },
    workplaceFor: async (rights) => {
      if (rights.tier === "read-only") await tierWaits;
      return workplaceFor({ ...settings, rights }, place);
    },
    modelNamed: () => model,
    newSession: async () => openSession({ store, id: "another" }),
    ...{ log: "normal", events: undefined, store, session, look: plainLook, signal },
    terminal: { input: input, output: output as never },
  });
  await until(() => {
    expect(shown).toContain("Conversation s.");
  });
  /** A person types no two things at once: text after a line end of the same chunk would be a paste. */
  const type = async (keys: string): Promise<void> => {
    input.write(keys);
    await sleep(20);
  };
  const textsOf = async (): Promise<readonly string[]> =>
    (await openSession({ store, id: "s" }).toJSON()).records.flatMap((record) =>
      record.type === "input" || record.type === "steer" ? [record.text] : [],
    );
  return {
    say: (words) => type(`${words}\r`),
    type,
    folder: folder.path,
    ended,
    shown: () => shown,
    journal: textsOf,
    inbox: async () => (await store.messages("s")).map(({ text }) => (JSON.parse(text) as { text: string }).text),
    async read(words) {
      const next = scriptedModel([says("Read.")]);
      const agent = createAgent({ model: next, tools: [converse()] });
      await agent.run(words, { session: openSession({ store, id: "s" }) });
      const read = JSON.stringify(next.requests[0]?.messages);
      return ["one", "two", "three"].flatMap((word) => read.match(new RegExp(`\\b${word}\\b`, "g")) ?? []);
    },
    async [Symbol.asyncDispose]() {
      input.write(leave);
      await ended;
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** A store with another `drop`, and the messages that it dropped before the journal had them. */
function droppingBy(drop: (work: () => Promise<void>) => Promise<void>): Store & { readonly early: readonly string[] } {
  const store = memoryStore();
  const early: string[] = [];
  return {
    ...store,
    early,
    async drop(id, messages) {
      const log = (await store.read(id))?.join("\n") ?? "";
      early.push(...messages.filter((message) => !log.includes(message)));
      await drop(() => store.drop(id, messages));
    },
  };
}

test("words sent at the end of a turn were lost if the person left before their own turn", async () => {
  const [reply, dropping, left] = [gate(), gate(), gate()];
  const store = droppingBy(async (work) => {
    dropping.open();
    await left.opened;
    await work();
  });
  await using stage = await chatOn([says("First."), says("Second.")], { store, before: { 1: reply.opened } });
  await stage.say("one");
  await until(async () => {
    expect(await stage.journal()).toEqual(["one"]);
  });
  await stage.say("two");
  await until(async () => {
    expect(await stage.inbox()).toEqual(["two"]);
  });
  reply.open();
  await dropping.opened;
  await stage.type(leave);
  left.open();
  await stage.ended;
  expect(await stage.read("three")).toEqual(["one", "two", "three"]);
  expect(store.early).toEqual([]);
});

test("words that a turn had read were sent once more if the store then failed to drop them", async () => {
  const reply = gate();
  let drops = 0;
  const store = droppingBy((work) => ((drops += 1) === 1 ? Promise.reject(new Error("The disk is full.")) : work()));
  const script = [[call("list_files", {})], says("Second."), says("Third.")];
  await using stage = await chatOn(script, { store, before: { 1: reply.opened } });
  await stage.say("one");
  await until(async () => {
    expect(await stage.journal()).toEqual(["one"]);
  });
  await stage.say("two");
  await until(async () => {
    expect(await stage.inbox()).toEqual(["two"]);
  });
  reply.open();
  await until(() => {
    expect(stage.shown()).toContain("press Enter to go on");
  });
  await stage.say("three");
  await until(() => {
    expect(stage.shown()).toContain("Second.");
  });
  expect(await stage.journal()).toEqual(["one", "two", "three"]);
  expect(await stage.inbox()).toEqual([]);
});

test("several words that no turn had read are told to the next turn in their order, and shown once", async () => {
  const reply = gate();
  const store = droppingBy((work) => work());
  await using stage = await chatOn([says("First."), says("Second.")], { store, before: { 1: reply.opened } });
  await stage.say("one");
  await until(async () => {
    expect(await stage.journal()).toEqual(["one"]);
  });
  await writeFile(join(stage.folder, "paper.pdf"), "%PDF-1.4\n%%EOF\n");
  await stage.say(`/attach ${join(stage.folder, "paper.pdf")}`);
  for (const [index, words] of ["two", "three", "four"].entries()) {
    await stage.say(words);
    await until(async () => {
      expect(await stage.inbox()).toHaveLength(index + 1);
    });
  }
  reply.open();
  await until(() => {
    expect(stage.shown()).toContain("Second.");
  });
  expect(await stage.journal()).toEqual(["one", "two", "three", "four"]);
  expect(stage.shown().match(/> two\s*\n/g)).toHaveLength(1);
  expect(stage.shown().match(/you: three\s*\n/g)).toHaveLength(1);
  expect([await stage.inbox(), store.early]).toEqual([[], []]);
  const { records } = await openSession({ store, id: "s" }).toJSON();
  const files = records.flatMap((record) => ("attachments" in record ? (record.attachments ?? []) : []));
  expect(files).toMatchObject([{ name: "paper.pdf" }]);
});

test("typed words were lost if the person left before a command ahead of them was obeyed", async () => {
  const tier = gate();
  const store = memoryStore();
  await using stage = await chatOn([says("First.")], { store, tierWaits: tier.opened });
  await stage.say("one");
  await until(() => {
    expect(stage.shown()).toContain("First.");
  });
  await stage.say("/tier read-only");
  await stage.say("two");
  await stage.type(leave);
  tier.open();
  await stage.ended;
  expect(await stage.read("three")).toEqual(["one", "two", "three"]);
});

test("typed words were lost if their turn could not begin and the person had left", async () => {
  const [locking, left] = [gate(), gate()];
  const inner = memoryStore();
  let locks = 0;
  const store: Store = {
    ...inner,
    async lock(id, holder) {
      if ((locks += 1) === 2) {
        locking.open();
        await left.opened;
        throw new Error("The disk is full.");
      }
      return inner.lock(id, holder);
    },
  };
  await using stage = await chatOn([says("First.")], { store });
  await stage.say("one");
  await until(() => {
    expect(stage.shown()).toContain("First.");
  });
  await stage.say("two");
  await locking.opened;
  await stage.type(leave);
  left.open();
  await stage.ended;
  expect(await stage.read("three")).toEqual(["one", "two", "three"]);
});

test("a conversation whose signal had aborted before it began went on with the last turn", async () => {
  const store = memoryStore();
  const session = openSession({ store, id: "s" });
  const model = scriptedModel([says("Never.")]);
  const suspend = AbortSignal.abort();
  await createAgent({ model, tools: [converse()] }).run("one", { session, suspend });
  await using stage = await chatOn([says("Late.")], { store, signal: AbortSignal.abort() });
  expect(await stage.ended).toBe(130);
  expect(stage.shown()).not.toContain("Late.");
  expect((await session.toJSON()).records.map(({ type }) => type)).toEqual(["input"]);
});
