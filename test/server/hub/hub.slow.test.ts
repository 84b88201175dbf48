// A server over a host whose processes are others: its clients see words while they are written, also over the death of a process.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { afterAll, describe, expect, test } from "vitest";
import { createAgent } from "../../../src/index.js";
import { hostOnDbos } from "../../../src/dbos/index.js";
import type { Host } from "../../../src/host/index.js";
import { pgStore } from "../../../src/postgres/index.js";
import { watchSession, type Frame } from "../../../src/server/index.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { taskCompletion } from "../../../src/tools/index.js";
import { Databases } from "../../host/databases.js";
import { HostPlace } from "../../host/host-place.js";
import { noPostgres } from "../../postgres/server.js";

const databases = new Databases();
afterAll(() => databases.stop(), 30_000);

const agents = { worker: createAgent({ model: scriptedModel([]), tools: [taskCompletion()] }) };

/** A host in this process that only gives, and the processes that run its agents. */
class Front implements AsyncDisposable {
  readonly place: HostPlace;
  readonly host: Host;
  readonly #close: () => Promise<void>;

  private constructor(place: HostPlace, host: Host, close: () => Promise<void>) {
    this.place = place;
    this.host = host;
    this.#close = close;
  }

  static async open(workers: number): Promise<Front> {
    const url = await databases.make();
    const place = await HostPlace.open({ kind: "dbos", url, stored: "postgres", workers, delay: 50 });
    const pool = new pg.Pool({ connectionString: url, max: 10 });
    const store = pgStore(pool);
    const host = await hostOnDbos({ agents, store, pool, work: false, poll: 50 });
    return new Front(place, host, async () => {
      await host.close();
      await store[Symbol.asyncDispose]();
      await pool.end();
    });
  }

  /** The frames of a session up to the end of a run. The process that speaks goes on in the middle once its first words are seen. */
  async untilEnd(session: string): Promise<readonly Frame[]> {
    const stop = new AbortController();
    const seen: Frame[] = [];
    let told = "seen";
    for await (const frame of watchSession({ host: this.host, id: session, signal: stop.signal })) {
      seen.push(frame);
      if ("record" in frame && frame.record.type === "resume") told = "seen-again";
      if ("event" in frame && frame.event.type === "text-delta")
        writeFileSync(join(this.place.folder, `${told}-${session}`), "");
      if ("record" in frame && frame.record.type === "outcome") break;
    }
    stop.abort();
    return seen;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
    await this.place[Symbol.asyncDispose]();
  }
}

/** The words of a reply, as its record has them. */
const words = (turn: number): string =>
  Array.from({ length: 20 }, (_none, number) => `word ${String(turn)}.${String(number)} `).join("");

/** The words that frames show before a record tells them. */
const spoken = (frames: readonly Frame[]): string =>
  frames.map((frame) => ("event" in frame && frame.event.type === "text-delta" ? frame.event.text : "")).join("");

describe.skipIf(noPostgres !== "")(`a server over a host on DBOS${noPostgres}`, () => {
  test("shows words while another process has them written, and takes the answer to the question behind them", async () => {
    await using front = await Front.open(2);
    const { host, place } = front;
    const reading = front.untilEnd("speaks-1");
    const run = await host.give({ session: "speaks-1", input: "go" });
    const frames = await reading;
    const asked = await run.ended();
    expect(asked).toMatchObject({ status: "waiting", waiting: { by: "ask_question" } });
    // Its process waited in the middle until its first words were seen here. A record may overtake the last words.
    expect(spoken(frames)).not.toBe("");
    expect(`${words(0)}Go on?`.startsWith(spoken(frames))).toBe(true);
    const answered = await host.give({ session: "speaks-1", answers: asked.waiting!.id, input: "yes" });
    expect(await answered.ended()).toMatchObject({ status: "completed" });
    expect(await place.check()).toBe(0);
  });

  test("shows the words of the process that goes on, after one was killed in the middle of them", async () => {
    await using front = await Front.open(2);
    const { host, place } = front;
    const reading = front.untilEnd("speaks-die-words-1");
    const run = await host.give({ session: "speaks-die-words-1", input: "go" });
    const frames = await reading;
    expect(await run.ended()).toMatchObject({ status: "waiting" });
    expect(place.noted().filter(({ what }) => what === "dies")).toHaveLength(1);
    const records = frames.flatMap((frame) => ("record" in frame ? [frame.record] : []));
    expect(records).toEqual(await place.records("speaks-die-words-1"));
    expect(records.map(({ type }) => type)).toContain("resume");
    const resumed = frames.findIndex((frame) => "record" in frame && frame.record.type === "resume");
    // The first process had not said all of it, and the other one says it from the start.
    for (const part of [frames.slice(0, resumed), frames.slice(resumed)]) {
      expect(spoken(part)).not.toBe("");
      expect(`${words(0)}Go on?`.startsWith(spoken(part))).toBe(true);
    }
    expect(words(0).startsWith(`${spoken(frames.slice(0, resumed))}word`)).toBe(true);
    expect(await place.check()).toBe(0);
  });

  test("aborts a run of another process, and goes on with it without words", async () => {
    await using front = await Front.open(1);
    const { host, place } = front;
    const run = await host.give({ session: "slow-1", input: "go" });
    await place.until(() => place.noted().some(({ what }) => what === "request"));
    expect(await host.abort("slow-1", "nobody needs it")).toBe(true);
    expect(await run.ended()).toMatchObject({ status: "aborted" });
    // The host knows of the abort before its process has written the reason.
    const isWritten = async (): Promise<boolean> => (await place.records("slow-1")).at(-1)?.type === "outcome";
    await place.until(isWritten);
    expect((await place.records("slow-1")).at(-1)).toMatchObject({
      status: "aborted",
      message: expect.stringContaining("nobody needs it"),
    });
    const before = place.noted().filter(({ what }) => what === "request").length;
    const again = await host.give({ session: "slow-1" });
    await place.until(() => place.noted().filter(({ what }) => what === "request").length > before);
    expect(await host.abort("slow-1", "still nobody")).toBe(true);
    expect(await again.ended()).toMatchObject({ status: "aborted" });
    await place.until(isWritten);
    expect(await host.abort("nothing")).toBe(false);
    expect(await place.check()).toBe(0);
  });
});
