// The lives of one session in real processes: each begins, goes on or answers, and ends by itself or by kill -9 at a place.

import { spawn } from "node:child_process";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import { openSession } from "../../src/memory/index.js";
import type { Call, Session, Usage } from "../../src/index.js";
import { scriptedProvider, type ProviderRequest, type ScriptedProvider } from "../../src/testing/index.js";
import { temporaryFolder } from "../memory/store-places.js";
import { storeOf, type StoreKind } from "./store-of.mjs";
import { storyFor, type Story } from "./story.js";

/** What a victim says: where it stopped, how a run ended, that a call was allowed. */
export interface Told {
  readonly at?: string;
  readonly allowed?: string;
  readonly status?: string;
  readonly usage?: Usage;
  readonly iterations?: number;
  readonly run?: number;
  readonly fault?: string;
  readonly joined?: boolean;
}

/** One line that a tool wrote outside of the session. */
export interface Effect {
  readonly what: string;
  readonly callId: string;
  readonly pid: number;
}

/** One life, over. */
export interface Life {
  readonly told: readonly Told[];
  readonly stderr: string;
  readonly code: number | null;
  /** True where it was killed at the place it was to be killed at, or in time. */
  readonly isKilled: boolean;
  /** The calls that were about to change something and had no result when it was over. */
  readonly left: readonly Call[];
}

/** How a life is to be lived. */
export interface LifeOptions {
  /** Where it is killed: `P7:2` is the second time that P7 is met. */
  readonly at?: string;
  /** True if the place may come by fewer times than that: a loop over all its times ends so. Default false: then it must come. */
  readonly mayMiss?: boolean;
  /** After how many milliseconds it is killed, wherever it is. */
  readonly after?: number;
  /** Instead of being killed at its place it sleeps, SIGSTOP, until this settles. */
  readonly sleep?: () => Promise<unknown>;
  /** Instead of being killed it is put to sleep after its place, while it waits for what comes next, until this settles. */
  readonly doze?: () => Promise<unknown>;
  /** Instead of being killed at its place it runs out of memory. */
  readonly grows?: boolean;
  /** The answer to a parked call that it gives in place of a yes to the one that waits. It then ends. */
  readonly answer?: { readonly id: string; readonly allowed: boolean };
  /** True where it ends with its run, so that another process answers what it asked. Default false. */
  readonly apart?: boolean;
}

/** A session, the provider of its model, and the file that its tools write. */
export interface Stage extends AsyncDisposable {
  readonly provider: ScriptedProvider;
  live(options?: LifeOptions): Promise<Life>;
  session(): Promise<Session>;
  /** Takes the right to write, and gives it back. */
  lease(): Promise<void>;
  effects(): Promise<readonly Effect[]>;
  /** All files and folders of the store with their modes, `journal.jsonl 600`. */
  files(): Promise<readonly string[]>;
}

/** Where and how the lives are lived. */
export interface StageOptions {
  readonly story: Story;
  readonly kind?: StoreKind;
  /** The address of Postgres, with the schema. */
  readonly address?: string;
  /** Milliseconds that the model, the tools and the person take at most. Default 0. */
  readonly wait?: number;
  /** Milliseconds between two pieces of a reply. Default: some, where there is a `wait`. */
  readonly pause?: number;
  /** Milliseconds without a byte after which a reply counts as broken. Default: as the model has it. */
  readonly idle?: number;
  /** How much faster the clock of the store runs. Default 1. */
  readonly speed?: number;
}

/** Milliseconds after which a process hangs. */
const patience = 60_000;

export async function stageFor({
  story,
  kind = "files",
  address,
  wait: most = 0,
  pause,
  idle,
  speed = 1,
}: StageOptions): Promise<Stage> {
  const folder = await temporaryFolder();
  const path = address ?? join(folder.path, kind === "files" ? "sessions" : "sessions.sqlite");
  const outside = join(folder.path, "effects");
  const requests: ProviderRequest[] = [];
  let isAsked = (): void => undefined;
  let delay = 0;
  const provider = await scriptedProvider(() => {
    isAsked();
    const { body } = provider.requests.at(-1)!;
    requests.push(provider.requests.at(-1)!);
    return {
      ...storyFor(story, body),
      delay: delay + Math.random() * most,
      pause: pause ?? Math.random() * (most / 10),
    };
  });
  const store = await storeOf(kind, path, Date.now);
  const words = { kind, path, url: provider.url, outside, story, wait: most, idle, begin: Date.now(), speed };
  const session = (): Promise<Session> => openSession({ store, id: "s" }).toJSON();
  return {
    provider,
    async live(options = {}) {
      const [point, time = "1"] = (options.at ?? "").split(":");
      const isAtRequest = point === "P2";
      let left = Number(time);
      delay = 0;
      const { answer, apart = false } = options;
      const life = await liveIn({ ...words, apart, answer }, options, (kill) => {
        isAsked = () => {
          left -= 1;
          // The request has come whole, and nothing is answered for as long as the process lives.
          if (!isAtRequest || left !== 0) return;
          delay = 1000;
          kill();
        };
      });
      const isMet = life.isKilled || life.told.some(({ at }) => at !== undefined);
      if (options.at !== undefined && options.mayMiss !== true && !isMet)
        throw new Error(`${options.at} was not met. The process said: ${JSON.stringify(life.told)} ${life.stderr}`);
      if (address !== undefined) await othersGone(address);
      return { ...life, left: leftIn(await session()) };
    },
    session,
    async lease() {
      const lease = await openSession({ store, id: "s" }).lease();
      if (lease === undefined) throw new Error("The session is not free.");
      await lease.release();
    },
    effects: async () => effectsIn(await readFile(outside, "utf8").catch(() => "")),
    files: () => filesIn(path, ""),
    async [Symbol.asyncDispose]() {
      await provider.close();
      await store[Symbol.asyncDispose]?.();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Waits until Postgres has ended the connections of other processes: it carries out what a dead process had sent. */
async function othersGone(address: string): Promise<void> {
  const [connectionString, schema = ""] = address.split("?schema=");
  const client = new pg.Client({ connectionString });
  await client.connect();
  const own = `${schema} of ${String(process.pid)}`;
  const others = "select 1 from pg_stat_activity where starts_with(application_name, $1) and application_name <> $2";
  const end = Date.now() + patience;
  while ((await client.query(others, [`${schema} of `, own])).rows.length > 0) {
    if (Date.now() > end) throw new Error("The connections of a dead process do not end.");
    await wait(5);
  }
  await client.end();
}

async function liveIn(
  words: object,
  { at, after, sleep, doze, grows = false }: LifeOptions,
  onStart: (kill: () => void) => void,
): Promise<Omit<Life, "left">> {
  const victim = join(import.meta.dirname, "victim.mjs");
  const how = sleep !== undefined ? "sleep" : doze !== undefined ? "doze" : grows ? "grow" : "wait";
  const flags = ["--unhandled-rejections=strict", ...(grows ? ["--max-old-space-size=64"] : [])];
  const child = spawn(process.execPath, [...flags, victim, JSON.stringify(words)], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...(at !== undefined && { CHAOS_AT: at, CHAOS_HOW: how }) },
  });
  let isKilled = false;
  const kill = (): void => {
    isKilled ||= child.kill("SIGKILL");
  };
  onStart(kill);
  const told: Told[] = [];
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  createInterface({ input: child.stdout }).on("line", (line) => {
    const said = JSON.parse(line) as Told;
    told.push(said);
    if (said.at === undefined || grows) return;
    const rest = sleep ?? doze;
    if (rest === undefined) {
      kill();
      return;
    }
    const asleep = doze === undefined ? Promise.resolve() : wait(30).then(() => child.kill("SIGSTOP"));
    void asleep.then(rest).finally(() => child.kill("SIGCONT"));
  });
  let isHanging = false;
  const timers = [
    setTimeout(() => {
      isHanging = true;
      child.kill("SIGKILL");
    }, patience),
    ...(after === undefined ? [] : [setTimeout(kill, after)]),
  ];
  const code = await new Promise<number | null>((settle) => child.on("close", settle));
  timers.forEach(clearTimeout);
  if (isHanging) throw new Error(`A process hung. It said: ${JSON.stringify(told)} ${stderr}`);
  const errors = stderr.replaceAll(/^.*(ExperimentalWarning|--trace-warnings).*\n/gm, "");
  return { told, stderr: errors, code, isKilled };
}

function leftIn({ records }: Session): readonly Call[] {
  const reply = records.findLast((record) => record.type === "reply");
  return (reply?.reply.calls ?? []).filter(({ id }) => {
    const own = records.filter((record) => "callId" in record && record.callId === id).map(({ type }) => type);
    const isAnswered = records.some((record) => record.type === "result" && record.result.callId === id);
    return own.includes("intent") && !own.includes("claim") && !isAnswered;
  });
}

function effectsIn(text: string): readonly Effect[] {
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Effect);
}

async function filesIn(root: string, below: string): Promise<readonly string[]> {
  const names = await readdir(join(root, below), { withFileTypes: true });
  const found = await Promise.all(
    names.map(async (name) => {
      const place = join(below, name.name);
      const mode = ((await stat(join(root, place))).mode & 0o777).toString(8);
      return [`${place} ${mode}`, ...(name.isDirectory() ? await filesIn(root, place) : [])];
    }),
  );
  return found.flat().sort();
}
