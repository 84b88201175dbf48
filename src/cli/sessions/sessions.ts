// The stored sessions of the command: finding, listing, showing and copying them.

import { homedir } from "node:os";
import { join, resolve, sep } from "node:path";
import {
  replay,
  LastcallError,
  type ApprovalAnswer,
  type JournalRecord,
  type ParkedCall,
  type Session,
  type State,
} from "../../core/index.js";
import { cutTo, hasNoEnd, headOf, lastEnd, waitingIn } from "../../core/internal.js";
import {
  fileStore,
  forkSession,
  openSession,
  repairSession,
  rootOf,
  type Store,
  type StoredSessionHandle,
} from "../../memory/index.js";
import type { Settings } from "../args/args.js";
import type { GivenVerdict } from "../args/order.js";
import { choose } from "../person/choose.js";
import { approvalOf, approvalWords } from "../person/parked.js";
import { count, type Style } from "../display/quantities.js";
import { visible, visibleWords } from "../display/visible.js";
import { transcriptLines } from "../show/session-lines.js";

/** The session of a run, and the words that the run starts with. */
export interface SessionStart {
  /** The stored session; undefined if none is stored. */
  readonly session: StoredSessionHandle | undefined;
  /** The task or an answer; undefined to resume the last run. */
  readonly input: string | ApprovalAnswer | undefined;
  /** The call that the input answers, if it answers one. */
  readonly answers: string | undefined;
}

/** Words of the person, and the text that came with them. */
export interface GivenWords {
  readonly words: string;
  /** The text to append to the words; empty without material. */
  readonly material: string;
}

/** The folder of the sessions: the given folder, else `lastcall` in the state folder of the system. */
export function storeFolder(folder: string | undefined, env: Readonly<Record<string, string | undefined>>): string {
  const state = env["XDG_STATE_HOME"] ?? "";
  return resolve(folder ?? join(state === "" ? join(homedir(), ".local/state") : state, "lastcall"));
}

/** The address of the store in a database: the given address, else `LASTCALL_STORE`. Undefined if sessions are in files. */
export function storeAddress(
  { store, sessions }: Pick<Settings, "store" | "sessions">,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const fromEnv = env["LASTCALL_STORE"] ?? "";
  return store ?? (sessions === undefined && fromEnv !== "" ? fromEnv : undefined);
}

/** The folder in which a studio leaves its address; undefined if sessions are in a database, whose studio may be anywhere. */
export function linkFolder(
  settings: Pick<Settings, "store" | "sessions">,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  return storeAddress(settings, env) === undefined ? storeFolder(settings.sessions, env) : undefined;
}

/** The store that the settings name: a database, or a folder, which needs no disposal. */
export async function storeFor(
  settings: Pick<Settings, "store" | "sessions">,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Store & Partial<AsyncDisposable>> {
  const address = storeAddress(settings, env);
  if (address === undefined) return fileStore(storeFolder(settings.sessions, env));
  return (await import("./postgres-store.js")).postgresStore(address);
}

/** A new id. It begins with the time, and is short enough to type. */
export function newId(now: Date = new Date(), random: () => number = Math.random): string {
  const [day = "", time = ""] = now.toISOString().split("T");
  const letters = "abcdefghijkmnpqrstuvwxyz23456789";
  const tail = Array.from({ length: 4 }, () => letters[Math.floor(random() * letters.length)]).join("");
  return `${day.replaceAll("-", "")}-${time.slice(0, 5).replace(":", "")}-${tail}`;
}

/**
 * The id of the session with this id, or of the only session whose id begins with it.
 * @throws LastcallError `configuration` if there is no such session, or more than one.
 */
export async function findId(store: Store, given: string): Promise<string> {
  const all = await store.list();
  const alike = all.filter((session) => isRoot(session) && session.id.startsWith(given)).map(({ id }) => id);
  // The later tries at a task are meant only by their whole ids.
  const firsts = alike.filter((id) => triesOf(id) === id || !alike.includes(triesOf(id)));
  const found = all.some(({ id }) => id === given) ? [given] : firsts;
  const [id] = found;
  if (id !== undefined && found.length === 1) return id;
  const what =
    found.length === 0 ? `There is no session ${given}` : `${String(found.length)} sessions begin with ${given}`;
  throw new LastcallError("configuration", `${what} in ${store.name}. See lastcall sessions.`);
}

/** The id of the first of several tries at one task, for the id of a later one. Any other id itself. */
export function triesOf(id: string): string {
  return id.replace(/\.\d+$/, "");
}

/** The answer on the command line. */
export interface GivenAnswer {
  readonly words: GivenWords | undefined;
  /** True if a completed session takes words. */
  readonly more: boolean;
  /** The yes or no to the call that waits for an approval, with the words as its reason. Default: the words alone are the answer. */
  readonly approval?: GivenVerdict | undefined;
}

/**
 * The answer to the call that waits for an approval. The last answer, given again, answers the same call again.
 * @throws LastcallError `configuration` if no call waits for an approval, or if another call does.
 */
function approved(
  { id, records }: Pick<Session, "id" | "records">,
  { allowed, digest = "" }: GivenVerdict,
  words: GivenWords | undefined,
): Pick<SessionStart, "input" | "answers"> {
  const state = replay(records);
  const due = awaitedIn(records);
  const last = records.findLast((record) => record.type === "approval" || record.type === "input");
  const given = due === undefined && last?.type === "approval" && last.allowed === allowed ? last.answers : undefined;
  const answeredBefore = records.find((record) => record.type === "parked" && record.callId === given);
  const refuse = (why: string): LastcallError => new LastcallError("configuration", `The session ${id} ${why}`);
  const parked =
    answeredBefore?.type === "parked"
      ? { id: answeredBefore.callId, by: answeredBefore.name, approval: answeredBefore }
      : due;
  if (parked === undefined) throw refuse(`waits for no approval: ${waitsFor(state)}.`);
  if (due !== undefined && Date.now() >= (due.approval.expiresAt ?? Infinity))
    throw refuse(`waits for no approval any more: its time is over. To go on without it: lastcall resume ${id}`);
  if (!parked.approval.digest.startsWith(digest))
    throw refuse(
      `waits for an approval of another call, ${parked.by} with the digest ${parked.approval.digest}. Nothing was changed. Look at it: lastcall resume ${id}`,
    );
  // The answer is in the journal, and the run has not ended: it goes on.
  if (due === undefined && (state.ended === undefined || state.open)) return { input: undefined, answers: undefined };
  const reason = words && words.words + words.material;
  const input = { allowed, digest: parked.approval.digest, ...(reason !== undefined && { reason }) };
  return { input, answers: parked.id };
}

/** The call that waits for an approval, also a call whose time is over; undefined if no call waits. */
function awaitedIn(records: readonly JournalRecord[]): ParkedCall | undefined {
  const waiting = waitingIn(records, 0);
  return waiting && approvalOf(waiting);
}

/** The thing that a session waits for, in words that follow a colon. */
function waitsFor({ claim, ended, run }: State): string {
  if (ended === "waiting") return `it waits for an answer to ${claim?.by ?? "a question"}`;
  if (run === 0) return "it is empty";
  return ended === undefined ? "its run has not ended" : `its last run is ${ended}`;
}

/**
 * The input for a session, and the call that it answers, if the session waits for an answer. The number of a suggestion becomes its
 * text. The last answer, given again, answers the same call again.
 * @throws LastcallError `configuration` for words to a completed session without `--more`.
 */
export function answered(
  { id, records }: Session,
  { words, more, approval }: GivenAnswer,
): Pick<SessionStart, "input" | "answers"> {
  const state = replay(records);
  const { claim, ended } = state;
  if (approval !== undefined) return approved({ id, records }, approval, words);
  const chosenFor = (question: unknown): string | undefined => words && choose(question, words.words) + words.material;
  const last = records.findLast((record) => record.type === "input");
  const asked = records.find((record) => record.type === "claim" && record.callId === last?.answers);
  if (asked?.type === "claim" && last?.text === chosenFor(asked.value)) {
    return { input: last?.text, answers: asked.callId };
  }
  if (ended === "completed" && words !== undefined && !more) {
    const message = `The session ${id} is completed and waits for no answer. To go on with these words all the same, add --more.`;
    throw new LastcallError("configuration", message);
  }
  const isDue = ended === "waiting" && Date.now() < (claim?.expiresAt ?? Infinity);
  if (words === undefined || claim === undefined || !isDue)
    return { input: words && words.words + words.material, answers: undefined };
  return { input: chosenFor(claim.value), answers: claim.callId };
}

/** The status of a session in a word. */
function standing(records: readonly JournalRecord[]): string {
  const last = lastEnd(records);
  if (last === undefined) return hasNoEnd(records) ? "unfinished" : "empty";
  const parked = last.status === "completed" ? undefined : awaitedIn(records);
  if (parked !== undefined) return `waiting (${approvalWords(parked)})`;
  return last.reason === undefined ? last.status : `${last.status} (${last.reason})`;
}

/** False for the session of an agent that a call runs. */
function isRoot({ id }: { readonly id: string }): boolean {
  return rootOf(id) === id;
}

/**
 * A line for each session, the latest first: id, time, standing, the folder if it is another than `workdir`, and the beginning of the task.
 * The line of a damaged session says so. The lines of agents that calls run are left out.
 */
export async function listSessions(store: Store, workdir: string): Promise<readonly string[]> {
  const sessions = (await store.list()).filter(isRoot).sort((a, b) => b.updated - a.updated);
  return Promise.all(
    sessions.map(async ({ id, updated }) => {
      const when = new Date(updated).toISOString().slice(0, 16).replace("T", " ");
      const { status, task, folder } = await summary(store, id);
      const place = folder === undefined || folder === resolve(workdir) ? "" : `${visible(fromHome(folder))}  `;
      return `${id}  ${when}  ${status}  ${place}${titleOf(task)}`;
    }),
  );
}

/** Characters of a task that its line has. */
const titleLength = 80;

/** The beginning of the task, on one line. */
function titleOf(task: string): string {
  const line = visibleWords(
    headOf(task, 4 * titleLength)
      .replace(/\s+/g, " ")
      .trim(),
  );
  return cutTo(line, titleLength);
}

/** The path, with `~` for the home folder. */
function fromHome(path: string): string {
  const home = homedir();
  return path === home || path.startsWith(home + sep) ? `~${path.slice(home.length)}` : path;
}

/** The parts of a session's line. The folder is undefined for a session that the command did not begin. */
interface Summary {
  readonly status: string;
  readonly task: string;
  readonly folder: string | undefined;
}

async function summary(store: Store, id: string): Promise<Summary> {
  try {
    const session = openSession({ store, id });
    const { records } = await session.toJSON();
    const { workdir } = (await session.about()) ?? {};
    const first = records.find((record) => record.type === "input");
    const task = first?.type === "input" ? first.text : "";
    return { status: standing(records), task, folder: typeof workdir === "string" ? workdir : undefined };
  } catch {
    return { status: "damaged", task: "", folder: undefined };
  }
}

/** A session as text for people in this style, as JSON for programs, or as a trajectory in ATIF. */
export async function showSession(store: Store, id: string, form: Style | "json" | "atif"): Promise<string> {
  const session = await openSession({ store, id }).toJSON();
  if (form === "atif") {
    const [{ trajectoryOf }, { ownVersion }] = await Promise.all([
      import("../show/trajectory.js"),
      import("../../packages/index.js"),
    ]);
    return JSON.stringify(trajectoryOf(session, ownVersion()), null, 2);
  }
  return form === "json" ? JSON.stringify(session, null, 2) : transcriptLines(session.records, form).join("\n");
}

/** Repairs a session, or says what a repair would do, in lines for people. */
export async function repair(store: Store, id: string, write: boolean): Promise<readonly string[]> {
  const { problem, kept, dropped, copy } = await repairSession({ store, id, write });
  if (problem === undefined)
    return [`The session ${id} is whole: ${count(kept, "record")}. There is nothing to repair.`];
  const types = [...new Set(dropped.flatMap(({ type }) => type ?? []))];
  const length = dropped.reduce((sum, { characters }) => sum + characters, 0);
  const of = types.length === 0 ? "" : `, records of the type ${types.join(", ")} among them`;
  const rest = `${count(dropped.length, "line")} (${count(length, "character")})${of}`;
  return [
    `The session ${id} is damaged: ${problem}.`,
    `A repair keeps ${count(kept, "record")} and drops ${rest}.`,
    "What a dropped call did is done, but the session does not know of it any more: look before you go on.",
    copy === undefined
      ? `Nothing is changed yet. To repair it: lastcall repair ${id} --write`
      : `It is repaired. The damaged one is kept: ${copy}`,
  ];
}

/** Copies a session up to a record. Returns the id of the copy. */
export function fork(store: Store, id: string, at: number | undefined): Promise<string> {
  return forkSession({ store, id, to: newId(), at });
}
