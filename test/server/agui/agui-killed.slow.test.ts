// Calls that wait for a page and kill -9: the process is killed before the page's answer, in the midst of it or behind it, and another one
// goes on.

import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, describe, expect, test } from "vitest";
import type { JournalRecord } from "../../../src/index.js";
import { fileStore, openSession, type Store } from "../../../src/memory/index.js";
import { migrate, pgStore } from "../../../src/postgres/index.js";
import { assertWellFormed } from "../../../src/testing/index.js";
import { Databases } from "../../host/databases.js";
import { temporaryFolder } from "../../memory/store-places.js";
import { noPostgres } from "../../postgres/server.js";
import { Page, showMap } from "./agui-page.js";
import "../../dist.js";

const databases = new Databases();
afterAll(() => databases.stop(), 30_000);

interface Running {
  readonly url: string;
  readonly kill: () => Promise<void>;
}

/** A place where the processes of a server work, one after the other. */
class Place implements AsyncDisposable {
  readonly store: Store;
  readonly folder: string;
  readonly #argument: string;
  readonly #children: ChildProcess[] = [];
  readonly #end: () => Promise<void>;

  private constructor(store: Store, folder: string, argument: string, end: () => Promise<void>) {
    this.store = store;
    this.folder = folder;
    this.#argument = argument;
    this.#end = end;
  }

  static async open(kind: string): Promise<Place> {
    const folder = await temporaryFolder();
    const url = kind === "files" ? undefined : await databases.make();
    const pool = url === undefined ? undefined : new pg.Pool({ connectionString: url, max: 3 });
    if (pool !== undefined) await migrate(pool);
    const store = pool === undefined ? fileStore(join(folder.path, "sessions")) : pgStore(pool);
    return new Place(store, folder.path, JSON.stringify({ kind, folder: folder.path, url }), async () => {
      await pool?.end();
      await folder[Symbol.asyncDispose]();
    });
  }

  async start(): Promise<Running> {
    const child = fork(join(import.meta.dirname, "agui-victim.mjs"), [this.#argument]);
    this.#children.push(child);
    const [url] = (await once(child, "message")) as [string];
    const kill = async (): Promise<void> => {
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      expect(await gone).toEqual([null, "SIGKILL"]);
    };
    return { url, kill };
  }

  /** A page that has the messages of another one, as after a reload. */
  page({ url }: Running, before?: Page): Page {
    const page = new Page({ url, store: this.store });
    if (before !== undefined) page.agent.setMessages([...before.messages]);
    return page;
  }

  /** Every reply of the model but the first waits until `goOn`. */
  hold(): void {
    writeFileSync(join(this.folder, "hold"), "");
  }

  goOn(): void {
    rmSync(join(this.folder, "hold"));
  }

  async records(id = "t"): Promise<readonly JournalRecord[]> {
    return (await openSession({ store: this.store, id }).toJSON()).records;
  }

  async until(type: JournalRecord["type"], id?: string): Promise<void> {
    while (!(await this.records(id)).some((record) => record.type === type)) await sleep(10);
  }

  /** The journal is whole, and each call has one result. Returns the results by tool. */
  async results(id?: string): Promise<Readonly<Record<string, string>>> {
    const records = await this.records(id);
    assertWellFormed(records);
    expect(records.at(-1)).toMatchObject({ type: "outcome", status: "completed" });
    const results = records.flatMap((record) => (record.type === "result" ? [record.result] : []));
    expect(new Set(results.map(({ callId }) => callId)).size).toBe(results.length);
    return Object.fromEntries(results.map(({ name, text }) => [name, text]));
  }

  /** A process that is at work writes to its place, so it ends first. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)) {
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
    }
    await this.#end();
  }
}

/** Posts what the page has to say, and leaves the answer alone: its server is killed. */
function posted(page: Page, { url }: Running, resume: object = {}): Promise<unknown> {
  const { messages, tools } = page;
  const body = JSON.stringify({ threadId: "t", runId: "r2", state: {}, context: [], messages, tools, ...resume });
  const headers = { "content-type": "application/json" };
  const answered = fetch(new URL("/agui", url), { method: "POST", headers, body }).then((one) => one.text());
  return answered.catch(() => undefined);
}

const completed = { result: { by: "task_completion" } };

for (const [kind, left] of [["files", ""], ...["postgres", "dbos"].map((kind) => [kind, noPostgres])] as [
  string,
  string,
][])
  describe.skipIf(left !== "")(`over ${kind}, kill -9 of a server that waits for its page${left}`, () => {
    test("before the result of the page's tool: the next process goes on with it", async () => {
      await using place = await Place.open(kind);
      const first = await place.start();
      const page = await place.page(first).say("u1", "where?");
      expect(page.open()).toHaveLength(1);
      await first.kill();
      const later = place.page(await place.start(), page);
      await later.carryOut().run();
      expect(later.end).toMatchObject(completed);
      await later.expectReplay();
      expect(await place.results()).toEqual({ show_map: "show_map is done" });
    });

    test("behind the result: posted again it counts once", async () => {
      await using place = await Place.open(kind);
      place.hold();
      const first = await place.start();
      const page = await place.page(first).say("u1", "where?");
      const answered = posted(page.carryOut(), first);
      await place.until("result");
      await first.kill();
      await answered;
      place.goOn();
      const later = place.page(await place.start(), page);
      await later.run();
      expect(later.end).toMatchObject(completed);
      await later.expectReplay();
      expect(await place.results()).toEqual({ show_map: "show_map is done" });
      expect((await place.records()).filter(({ type }) => type === "outcome")).toHaveLength(2);
    });

    test.each([0, 10, 40])(
      "%i ms behind the post of the result: it counts once, whether it was taken or not",
      async (pause) => {
        await using place = await Place.open(kind);
        const first = await place.start();
        const page = await place.page(first).say("u1", "where?");
        const answered = posted(page.carryOut(), first);
        await sleep(pause);
        await first.kill();
        await answered;
        const later = place.page(await place.start(), page);
        await later.run();
        expect(later.end).toMatchObject(completed);
        await later.expectReplay();
        expect(await place.results()).toEqual({ show_map: "show_map is done" });
      },
    );

    test.each(["build, then show", "show, then build"])(
      "in a command beside the page's tool (%s): the page's result counts once, and the command's outcome is unknown",
      async (words) => {
        await using place = await Place.open(kind);
        const first = await place.start();
        const page = place.page(first);
        let cut = posted(page.hears("u1", words), first);
        if (words.startsWith("show")) {
          await cut;
          await page.run();
          cut = posted(page.carryOut(), first);
        }
        while (!existsSync(join(place.folder, "begun"))) await sleep(10);
        await first.kill();
        await cut;
        const later = place.page(await place.start(), page);
        await later.run();
        if (later.open().length > 0) await later.carryOut().run();
        expect(later.carriedOut.length + page.carriedOut.length).toBe(1);
        expect(later.end).toMatchObject(completed);
        await later.expectReplay();
        expect(await place.results()).toEqual({
          show_map: "show_map is done",
          run_command: expect.stringContaining("Its outcome is unknown"),
        });
        expect(readFileSync(join(place.folder, "begun"), "utf8")).toBe("begun\n");
      },
    );

    test.each(["before", "behind"])("%s the approval of a call: it runs once", async (when) => {
      await using place = await Place.open(kind);
      place.hold();
      const first = await place.start();
      const page = await place.page(first).say("u1", "pay!");
      const { interrupts } = page.end["outcome"] as { readonly interrupts: readonly { readonly id: string }[] };
      const answer = { resume: [{ interruptId: interrupts[0]!.id, status: "resolved", payload: { approved: true } }] };
      if (when === "behind") {
        const answered = posted(page, first, answer);
        await place.until("result");
        await first.kill();
        await answered;
      } else await first.kill();
      place.goOn();
      const later = place.page(await place.start(), page);
      await later.run(answer as never);
      expect(later.end).toMatchObject(completed);
      await later.expectReplay();
      expect(await place.results()).toEqual({ pay: "paid" });
      expect(readFileSync(join(place.folder, "paid"), "utf8")).toBe("paid\n");
    });

    test.each(["before", "behind"])("%s the answer to a question: it is taken once", async (when) => {
      await using place = await Place.open(kind);
      place.hold();
      const first = await place.start();
      const page = await place.page(first).say("u1", "which?");
      const { interrupts } = page.end["outcome"] as { readonly interrupts: readonly { readonly id: string }[] };
      const answer = { resume: [{ interruptId: interrupts[0]!.id, status: "resolved", payload: "this" }] };
      if (when === "behind") {
        const answered = posted(page, first, answer);
        while ((await place.records()).filter(({ type }) => type === "input").length < 2) await sleep(10);
        await first.kill();
        await answered;
      } else await first.kill();
      place.goOn();
      const later = place.page(await place.start(), page);
      await later.run(answer as never);
      expect(later.end).toMatchObject(completed);
      await later.expectReplay();
      await place.results();
      const inputs = (await place.records()).flatMap((record) => (record.type === "input" ? [record.text] : []));
      expect(inputs).toEqual(["which?", "this"]);
    });

    test.each([
      ["a question", "which?", "this"],
      ["a tool of the page", "where?", { shown: true }],
    ])("over useChat, before the output of %s: the next process goes on with it", async (_what, words, output) => {
      await using place = await Place.open(kind);
      const send = async ({ url }: Running, message: object): Promise<string> => {
        const headers = { "content-type": "application/json" };
        const { name, ...described } = showMap;
        const body = JSON.stringify({ id: "c", messages: [message], tools: { [name]: described } });
        return (await fetch(new URL("/chat", url), { method: "POST", headers, body })).text();
      };
      const first = await place.start();
      await send(first, { id: "m1", role: "user", parts: [{ type: "text", text: words }] });
      await first.kill();
      const second = await place.start();
      const { messages } = (await (await fetch(new URL("/chat/c/messages", second.url))).json()) as {
        readonly messages: readonly { readonly parts: readonly { readonly type: string }[] }[];
      };
      const asked = messages.at(-1)!;
      const part = asked.parts.findLast(({ type }) => type === "dynamic-tool")!;
      const answer = { ...asked, parts: [{ ...part, state: "output-available", output }] };
      expect(await send(second, answer)).toContain('"status":"completed"');
      expect(await send(second, answer)).not.toContain('"errorText"');
      await place.results("c");
      expect((await place.records("c")).filter(({ type }) => type === "outcome")).toHaveLength(2);
    });
  });
