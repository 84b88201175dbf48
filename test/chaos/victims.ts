// Victims of the chaos tests that work until they are done or killed, and the traces they leave: effects, stored sessions, unknown outcomes.

import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import type { JournalRecord, JournalResult } from "../../src/index.js";
import { fileStore, openSession, sqliteStore } from "../../src/memory/index.js";
import { scriptedProvider, type ScriptedProvider, type Step } from "../../src/testing/index.js";
import { temporaryFolder } from "../memory/store-places.js";
import { randomFrom } from "./scale.js";

/** The kind of store that a victim has. */
export type Kind = "files" | "sqlite";

/** The body of a request for a reply. */
export interface Body {
  readonly model: string;
  readonly messages: readonly {
    readonly role: string;
    readonly content: unknown;
    readonly tool_calls?: readonly { readonly function: { readonly name: string } }[];
  }[];
}

/** The traces of all lives. */
export interface Traces {
  readonly provider: ScriptedProvider;
  readonly kills: number;
  /** The call of each effect outside the sessions, in the order of the effects. */
  readonly effects: readonly string[];
  /** The records of every session, by its id. */
  readonly sessions: ReadonlyMap<string, readonly JournalRecord[]>;
}

/** Lives that are killed at random times. */
export interface Lives {
  /** The file of the victim in this folder. */
  readonly victim: string;
  readonly kind: Kind;
  readonly seed: number;
  /** Makes the reply to a request. */
  readonly reply: (body: Body) => Step;
  /** Milliseconds that a life lasts before it is killed: the least, and how much more at most. */
  readonly lasts: readonly [least: number, more: number];
}

/** Has victims work on one task, one to four of them killed, until one completes it. Checks that no call had its effect twice. */
export async function liveUntilDone({ victim, kind, seed, reply, lasts: [least, more] }: Lives): Promise<Traces> {
  const random = randomFrom(seed);
  await using folder = await temporaryFolder();
  const path = join(folder.path, kind === "files" ? "sessions" : "sessions.sqlite");
  const outside = join(folder.path, "effects");
  await using provider = await scriptedProvider(() => ({
    ...asReply(reply(provider.requests.at(-1)!.body as unknown as Body)),
    delay: random() * 15,
  }));
  const words = { kind, path, url: provider.url, outside };
  let kills = 0;
  let said: string | undefined;
  for (const most = 1 + Math.floor(random() * 4); said === undefined; kills += said === undefined ? 1 : 0)
    said = await live(victim, words, kills < most ? least + random() * more : 60_000);
  expect(JSON.parse(said)).toEqual({ status: "completed" });
  const text = await readFile(outside, "utf8").catch(() => "");
  const effects = text
    .split("\n")
    .filter(Boolean)
    .map((line) => (JSON.parse(line) as { readonly callId: string }).callId);
  expect(new Set(effects).size, "a call that ran twice").toBe(effects.length);
  return { provider, kills, effects, sessions: await sessionsAt(kind, path) };
}

/** The records of every session in the store, by its id. */
export async function sessionsAt(kind: Kind, path: string): Promise<Traces["sessions"]> {
  const store = kind === "files" ? fileStore(path) : sqliteStore(path);
  const sessions = new Map<string, readonly JournalRecord[]>();
  for (const { id } of await store.list()) sessions.set(id, (await openSession({ store, id }).toJSON()).records);
  await (store as Partial<AsyncDisposable>)[Symbol.asyncDispose]?.();
  return sessions;
}

/** Lives one life, killed after these milliseconds. Returns what it said; undefined if it was killed. */
export async function live(victim: string, words: object, after: number): Promise<string | undefined> {
  const file = join(import.meta.dirname, victim);
  const child = spawn(process.execPath, [file, JSON.stringify(words)], { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
  const timer = setTimeout(() => child.kill("SIGKILL"), after);
  await new Promise((settle) => child.on("close", settle));
  clearTimeout(timer);
  return said === "" ? undefined : said;
}

/** The reply as the provider takes it. */
export function asReply(step: Step): object {
  return Array.isArray(step) ? { calls: step } : (step as object);
}

/** The calls whose outcome nobody knows, as the model was told. */
export function unknownIn(records: readonly JournalRecord[]): readonly string[] {
  return endsIn(records).flatMap(({ callId, failure }) => (failure?.kind === "interrupted" ? [callId] : []));
}

/** The calls of this tool that succeeded. */
export function succeededIn(records: readonly JournalRecord[], name: string): readonly string[] {
  return endsIn(records).flatMap((result) => (result.name === name && result.ok ? [result.callId] : []));
}

/** The result of each call; of a call in the background the one that it ended with, since its first only says that it goes on. */
function endsIn(records: readonly JournalRecord[]): readonly JournalResult[] {
  const behind = new Set(records.flatMap((record) => (record.type === "background" ? [record.callId] : [])));
  return records.flatMap((record) => {
    if (record.type === "background-end") return [record.result];
    return record.type === "result" && !behind.has(record.result.callId) ? [record.result] : [];
  });
}
