// A place where a host works: a folder of sessions, its processes, and orders to whichever lives.

import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { expect } from "vitest";
import type { JournalRecord } from "../../src/index.js";
import type { Delivery, RunEnd } from "../../src/host/index.js";
import { fileStore, openSession, type Store } from "../../src/memory/index.js";
import { migrate, pgStore } from "../../src/postgres/index.js";
import { assertWellFormed } from "../../src/testing/index.js";
import { Balancer } from "../restate/balancer.js";
import "../dist.js";

/** How the processes of a host are made. */
export interface HostKind {
  readonly kind: string;
  readonly url?: string;
  /** The address of the same database for this process, if the processes of the host have a longer way to it. Default: `url`. */
  readonly near?: string;
  /** Where sessions are kept. Default: in files. */
  readonly stored?: "postgres";
  /** The server of Restate. */
  readonly restate?: { readonly ingress: string; readonly admin: string };
  readonly options?: object;
  /** Processes that work at a time. */
  readonly workers: number;
  /** Milliseconds of a reply and of a call. */
  readonly delay?: number;
}

/** A line of the log that all processes write. */
export interface Noted {
  readonly pid: number;
  readonly what: "up" | "request" | "begin" | "end" | "dies" | "event" | "closed" | "warning";
  readonly key?: string;
  readonly session?: string;
  readonly type?: string;
  readonly effect?: string;
  /** The digests of the files that a request has. */
  readonly files?: readonly string[];
  /** The words of a warning. */
  readonly text?: string;
}

/** A process of the host. */
interface Worker {
  readonly child: ChildProcess;
  readonly up: Promise<unknown>;
}

/** A place where a host works. A process that dies is followed by another, as a machine's supervisor does it. */
export class HostPlace implements AsyncDisposable {
  readonly folder: string;
  readonly store: Store;
  readonly #kind: HostKind;
  #workers: Worker[] = [];
  #isOver = false;
  /** True while no process follows one that dies. */
  #isHalted = false;
  /** Processes that ended by themselves with a fault. */
  #crashes = 0;
  #orders = 0;

  readonly #pool: pg.Pool | undefined;
  readonly #balancer: Balancer | undefined;

  private constructor(folder: string, kind: HostKind, balancer: Balancer | undefined) {
    this.#balancer = balancer;
    this.folder = folder;
    this.#kind = kind;
    this.#pool =
      kind.stored === "postgres" ? new pg.Pool({ connectionString: kind.near ?? kind.url, max: 5 }) : undefined;
    this.store = this.#pool === undefined ? fileStore(join(folder, "sessions")) : pgStore(this.#pool);
  }

  static async open(kind: HostKind): Promise<HostPlace> {
    const folder = await mkdtemp(join(tmpdir(), "lastcall-host-"));
    const balancer = kind.restate === undefined ? undefined : await Balancer.open(join(folder, "ports"));
    const place = new HostPlace(folder, kind, balancer);
    if (place.#pool !== undefined) await migrate(place.#pool);
    for (let count = 0; count < kind.workers; count += 1) place.#begin();
    await Promise.all(place.#workers.map(({ up }) => up));
    return place;
  }

  /** Begins one more process, and waits until it is there. */
  async begin(): Promise<void> {
    this.#isHalted = false;
    this.#begin();
    await this.#workers.at(-1)?.up;
  }

  #begin(): void {
    const { restate, options: given, ...kind } = this.#kind;
    const options = { ...restate, ...(this.#balancer !== undefined && { address: this.#balancer.url }), ...given };
    const argument = JSON.stringify({ ...kind, folder: this.folder, options });
    const child = fork(join(import.meta.dirname, "host-worker.mjs"), [argument], {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
      execArgv: ["--expose-gc"],
    });
    child.setMaxListeners(0);
    const worker = { child, up: once(child, "message") };
    worker.up.catch(() => undefined);
    this.#workers.push(worker);
    child.once("exit", (code) => {
      if (code !== null && code !== 0) this.#crashes += 1;
      this.#workers = this.#workers.filter((each) => each !== worker);
      if (!this.#isOver && !this.#isHalted && this.#crashes < 3) this.#begin();
    });
  }

  /** Gives an order to a process that lives, and to the next one if it dies. The result of a run is its end. */
  async ask(order: "give" | "memory" | "abort", argument?: unknown, extra?: unknown): Promise<unknown> {
    for (;;) {
      const worker = this.#workers[(this.#orders += 1) % this.#workers.length]!;
      const gone = once(worker.child, "exit").then(() => "gone" as const);
      if ((await Promise.race([worker.up, gone])) === "gone" || !worker.child.connected) continue;
      const id = crypto.randomUUID();
      const answer = new Promise<{ readonly result?: unknown; readonly error?: string }>((resolve) => {
        const read = (message: { readonly id?: string; readonly error?: string }): void => {
          if (message.id === id) resolve(message);
        };
        worker.child.on("message", read);
      });
      worker.child.send({ id, order, argument, extra }, () => undefined);
      const told = await Promise.race([answer, gone]);
      if (told === "gone") continue;
      // Its supervisor ends it: the caller turns to another.
      if (told.error?.startsWith("The host closes") === true || isSuspended(told.result)) {
        await gone;
        continue;
      }
      if (told.error !== undefined) throw new Error(told.error);
      return told.result;
    }
  }

  /** The end of the run that takes a delivery. */
  async run(delivery: Delivery): Promise<RunEnd> {
    return (await this.ask("give", delivery)) as RunEnd;
  }

  /** Ends all processes at once, and waits until others are there. */
  async killAll(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    const all = [...this.#workers];
    await Promise.all(
      all.map(async ({ child }) => {
        const gone = once(child, "exit");
        child.kill(signal);
        await gone;
      }),
    );
    await Promise.all(this.#workers.map(({ up }) => up));
  }

  /** Kills all processes, so that none is there until `begin`. */
  async halt(): Promise<void> {
    this.#isHalted = true;
    await this.#endAll();
  }

  /** Tells the first process to stop, and none follows it. */
  async retire(): Promise<void> {
    const [{ child }] = this.#workers as [Worker];
    const gone = once(child, "exit");
    this.#isHalted = true;
    child.kill("SIGTERM");
    await gone;
    this.#isHalted = false;
  }

  /** Tells the process that is there longest to stop, as a deploy does it, and waits until another is in its place. */
  async deploy(): Promise<void> {
    const [{ child, up }] = this.#workers as [Worker];
    await up;
    const gone = once(child, "exit");
    child.kill("SIGTERM");
    await gone;
    await this.#workers.at(-1)?.up;
  }

  /** Kills one of the processes that are there. */
  kill(random: () => number): void {
    const there = this.#workers.filter(({ child }) => child.connected);
    there[Math.floor(random() * there.length)]?.child.kill("SIGKILL");
  }

  /** Puts a file in the place of the folder of sessions for a while, so that the store fails. */
  async breakStore(during: number): Promise<void> {
    const [sessions, away] = [join(this.folder, "sessions"), join(this.folder, "away")];
    await rename(sessions, away);
    await writeFile(sessions, "no folder");
    await sleep(during);
    await rm(sessions);
    await rename(away, sessions);
  }

  /** Sends the first process a signal. */
  signal(signal: NodeJS.Signals): void {
    this.#workers[0]!.child.kill(signal);
  }

  noted(): readonly Noted[] {
    const log = join(this.folder, "log");
    if (!existsSync(log)) return [];
    const lines = readFileSync(log, "utf8").trim().split("\n");
    return lines.map((line) => JSON.parse(line) as Noted);
  }

  /** The id of the call of the first run of a session, before it is there. */
  async callIn(session: string, call: string): Promise<string> {
    await this.until(async () => (await this.records(session)).length > 0);
    const [input] = await this.records(session);
    return `${session}/${input?.type === "input" ? (input.life ?? "") : ""}/1/call:${call}`;
  }

  /** Waits until this holds. `pause` are the milliseconds between two looks: many for a look that costs much. */
  async until(holds: () => boolean | Promise<boolean>, pause = 20): Promise<void> {
    while (!(await holds())) await sleep(pause);
  }

  async records(id: string): Promise<readonly JournalRecord[]> {
    return (await openSession({ store: this.store, id }).toJSON()).records;
  }

  /** Holds all sessions against what must be true of them whatever happened. Returns the number of calls whose outcome is unknown. */
  async check(): Promise<number> {
    expect(this.#crashes, "a process could not start").toBe(0);
    const ends = this.noted().filter(({ what, effect }) => what === "end" && effect !== "read");
    expect(new Set(ends.map(({ key }) => key)).size, "an effect happened twice").toBe(ends.length);
    let unknown = 0;
    for (const { id } of await this.store.list()) {
      // A caller is told of an abort at once; the process that works ends the run a moment later.
      const asLong = Date.now() + 10_000;
      await this.until(async () => (await this.records(id)).at(-1)?.type === "outcome" || Date.now() > asLong);
      const records = await this.records(id);
      assertWellFormed(records);
      const told = records.filter(
        (record) => record.type === "result" && record.result.text.includes("Its outcome is unknown"),
      );
      const calls = told.map((record) => record.type === "result" && record.result.callId);
      expect(new Set(calls).size, `an unknown outcome of ${id} was told twice`).toBe(calls.length);
      unknown += calls.length;
    }
    return unknown;
  }

  async #endAll(): Promise<void> {
    await Promise.all(
      this.#workers.map(async ({ child }) => {
        const gone = once(child, "exit");
        child.kill("SIGKILL");
        await gone;
      }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    await this.#endAll();
    await this.#pool?.end();
    this.#balancer?.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

function isSuspended(result: unknown): boolean {
  return typeof result === "object" && result !== null && "suspended" in result;
}
