// Sessions at the command: which there are, what happened in one, and a copy of one up to a record.

import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { replay, LastcallError, type JournalRecord, type Session } from "../../core/index.js";
import { fileStore, forkSession, openSession, type Store, type StoredSessionHandle } from "../../memory/index.js";
import { choose } from "../person/choose.js";
import { visible } from "../words/visible.js";
import { transcriptLines } from "../show/session-lines.js";

/** The session of a run, and the words that the run starts with. */
export interface SessionStart {
  /** The stored session; undefined if none is stored. */
  readonly session: StoredSessionHandle | undefined;
  /** The task or an answer; undefined to go on where the session was left. */
  readonly input: string | undefined;
  /** The call that the input answers, if it answers one. */
  readonly answers: string | undefined;
}

/** Where sessions are kept: the folder that was named, or the one that systems have for such things. */
export function storeFolder(folder: string | undefined, env: Readonly<Record<string, string | undefined>>): string {
  const state = env["XDG_STATE_HOME"] ?? "";
  return resolve(folder ?? join(state === "" ? join(homedir(), ".local/state") : state, "lastcall"));
}

/** The store in that folder. */
export function storeFor(folder: string | undefined, env: Readonly<Record<string, string | undefined>>): Store {
  return fileStore(storeFolder(folder, env));
}

/** An id that tells when the session began, and is short enough to type. */
export function newId(now: Date = new Date(), random: () => number = Math.random): string {
  const [day = "", time = ""] = now.toISOString().split("T");
  const letters = "abcdefghijkmnpqrstuvwxyz23456789";
  const tail = Array.from({ length: 4 }, () => letters[Math.floor(random() * letters.length)]).join("");
  return `${day.replaceAll("-", "")}-${time.slice(0, 5).replace(":", "")}-${tail}`;
}

/**
 * The session with this id, or the only one whose id begins so.
 * @throws LastcallError `configuration` where there is none, or more than one.
 */
export async function findId(store: Store, given: string): Promise<string> {
  const ids = (await store.list()).map(({ id }) => id);
  const found = ids.includes(given) ? [given] : ids.filter((id) => id.startsWith(given));
  const [id] = found;
  if (id !== undefined && found.length === 1) return id;
  const what =
    found.length === 0 ? `There is no session ${given}` : `${String(found.length)} sessions begin with ${given}`;
  throw new LastcallError("configuration", `${what} in ${store.name}. See lastcall sessions.`);
}

/**
 * What the words given to a session are: the answer to a call, in full where they are the number of a suggestion, or new words. The
 * same answer as the last one is that answer once more.
 * @throws LastcallError `configuration` for words to a completed session, unless more of them are wanted.
 */
export function answered(
  { id, records }: Session,
  { answer, more }: { readonly answer: string | undefined; readonly more: boolean },
): Pick<SessionStart, "input" | "answers"> {
  const { claim, ended } = replay(records);
  const last = records.findLast((record) => record.type === "input");
  const asked = records.find((record) => record.type === "claim" && record.callId === last?.answers);
  if (asked?.type === "claim" && last?.text === choose(asked.value, answer)) {
    return { input: last?.text, answers: asked.callId };
  }
  if (ended === "completed" && answer !== undefined && !more) {
    const message = `The session ${id} is completed and waits for no answer. To go on with these words all the same, add --more.`;
    throw new LastcallError("configuration", message);
  }
  const isDue = ended === "waiting" && Date.now() < (claim?.expiresAt ?? Infinity);
  if (answer === undefined || claim === undefined || !isDue) return { input: answer, answers: undefined };
  return { input: choose(claim.value, answer), answers: claim.callId };
}

/** How a session stands, in a word. */
function standing(records: readonly JournalRecord[]): string {
  const last = records.findLast(({ type }) => type === "outcome" || type === "input");
  if (last?.type !== "outcome") return last === undefined ? "empty" : "unfinished";
  return last.reason === undefined ? last.status : `${last.status} (${last.reason})`;
}

/** A line for each session, the latest first. A damaged one is listed, and said to be damaged. */
export async function listSessions(store: Store): Promise<readonly string[]> {
  const sessions = [...(await store.list())].sort((a, b) => b.updated - a.updated);
  return Promise.all(
    sessions.map(async ({ id, updated }) => {
      const when = new Date(updated).toISOString().slice(0, 16).replace("T", " ");
      const { status, task } = await summary(store, id);
      return `${id}  ${when}  ${status}  ${visible(task.slice(0, 80))}`;
    }),
  );
}

async function summary(store: Store, id: string): Promise<{ readonly status: string; readonly task: string }> {
  try {
    const { records } = await openSession({ store, id }).toJSON();
    const first = records.find((record) => record.type === "input");
    return { status: standing(records), task: first?.type === "input" ? first.text : "" };
  } catch {
    return { status: "damaged", task: "" };
  }
}

/** What happened in a session, for people or, as JSON, for programs. */
export async function showSession(store: Store, id: string, json: boolean): Promise<string> {
  const session = await openSession({ store, id }).toJSON();
  return json ? JSON.stringify(session, null, 2) : transcriptLines(session.records).join("\n");
}

/** Copies a session up to a record; the id of the copy. */
export function fork(store: Store, id: string, at: number | undefined): Promise<string> {
  return forkSession({ store, id, to: newId(), at });
}
