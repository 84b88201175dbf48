// The orders about stored sessions, and the session of a run.

import { resolve } from "node:path";
import { LastcallError, type JsonObject, type Session } from "../../core/index.js";
import { openSession, pruneSessions, type StoredSessionHandle } from "../../memory/index.js";
import type { Settings } from "../args/args.js";
import type { Order } from "../args/order.js";
import { pickKept, type KeptOptions } from "../args/options.js";
import { expectSameModules, modulesToKeep } from "./kept-modules.js";
import { count } from "../display/quantities.js";
import { styleFor } from "../display/colours.js";
import { sayer, type Surroundings } from "../person/surface.js";
import {
  answered,
  findId,
  fork,
  listSessions,
  newId,
  repair,
  showSession,
  storeAddress,
  storeFor,
  type GivenWords,
  type SessionStart,
} from "./sessions.js";

/** Obeys an order that lists, shows, imports, copies, repairs or deletes sessions. Returns the exit code. */
export async function tellOf(
  order: Extract<Order, { readonly do: "list" | "show" | "import" | "fork" | "prune" | "repair" }>,
  settings: Settings,
  around: Surroundings,
): Promise<number> {
  const print = (line: string): boolean => around.stdout.write(`${line}\n`);
  const say = settings.quiet ? (): void => undefined : await sayer(around);
  const store = await storeFor(settings, around.env);
  switch (order.do) {
    case "list": {
      const lines = await listSessions(store, settings.workdir);
      const { isTTY, columns } = around.stdout;
      // A list that goes elsewhere is whole, and needs no package that measures text.
      const shown = isTTY ? (await import("../display/width.js")).clipped : (line: string): string => line;
      for (const line of lines) print(shown(line, columns));
      if (lines.length === 0) say(`There are no sessions in ${store.name}.`);
      return 0;
    }
    case "show": {
      if (settings.html !== undefined) {
        const { writePage } = await import("./session-file.js");
        const id = await findId(store, order.id);
        print(await writePage(store, id, { file: settings.html, env: around.env }));
        say(
          `The page has the whole session ${id}; only secrets are left out. Whoever has it can read all else: look at it first.`,
        );
        return 0;
      }
      const form = settings.atif ? "atif" : settings.json ? "json" : styleFor(around.stdout, around.env);
      print(await showSession(store, await findId(store, order.id), form));
      return 0;
    }
    case "import": {
      const { id, agents, missingFiles } = await (await import("./session-file.js")).readSessionFile(store, order.file);
      print(id);
      if (agents > 0) say(`With it came ${count(agents, "session")} of agents.`);
      if (missingFiles > 0) say(`Without the bytes of ${count(missingFiles, "attached file")}: the model is told so.`);
      say(`It has no rights and no options of its own. To go on with it here: lastcall resume ${id}`);
      return 0;
    }
    case "prune": {
      const gone = await pruneSessions({ store, olderThan: order.age });
      (await import("./session-changes.js")).forget(gone, settings, around);
      gone.forEach(print);
      say(`${gone.length === 1 ? "1 session is" : `${String(gone.length)} sessions are`} deleted from ${store.name}.`);
      return 0;
    }
    case "repair": {
      const lines = await repair(store, await findId(store, order.id), order.write);
      lines.forEach(print);
      return 0;
    }
    case "fork": {
      const to = await fork(store, await findId(store, order.id), order.at);
      print(to);
      say(`To go on from there: lastcall resume ${to}`);
      return 0;
    }
  }
}

/**
 * Makes the tables of the store in a database. Returns the exit code.
 * @throws LastcallError `configuration` without an address.
 */
export async function migrateTables(settings: Settings, around: Surroundings): Promise<number> {
  const address = storeAddress(settings, around.env);
  if (address === undefined)
    throw new LastcallError(
      "configuration",
      "lastcall store migrate needs to know where: give --store postgres://user@host/database, or set LASTCALL_STORE or the setting store.",
    );
  around.stdout.write(`${await (await import("./postgres-store.js")).migrateStore(address)}\n`);
  return 0;
}

/**
 * The options that are kept with the session.
 * @throws LastcallError `configuration` if one of its modules is gone, or has changed and nobody accepted it.
 */
export async function keptFor(given: Settings, id: string, around: Surroundings): Promise<KeptOptions> {
  const store = await storeFor(given, around.env);
  const about = (await openSession({ store, id: await findId(store, id) }).about()) ?? {};
  // A host keeps the name of its agent with a session, and no options.
  const kept = typeof about["workdir"] === "string" ? pickKept(about) : {};
  await expectSameModules({ kept, digests: about["digests"] }, given, around);
  return kept;
}

/** The options to keep with a new session. Paths are absolute, so that they do not depend on the working directory. */
export async function aboutFor(settings: Settings, around: Pick<Surroundings, "env" | "files">): Promise<JsonObject> {
  const { kept, workdir, instructions, prices, notes, prText, artifacts } = settings;
  return {
    ...kept,
    workdir: resolve(workdir),
    ...(instructions.length > 0 && { instructions: instructions.map((path) => resolve(path)) }),
    ...(prices !== undefined && { prices: resolve(prices) }),
    ...(prText !== undefined && { "pr-text": resolve(prText) }),
    ...(artifacts !== undefined && { artifacts: resolve(artifacts) }),
    ...(notes && { notes }),
    ...(await modulesToKeep(settings, around)),
  };
}

/** The stored session whose notes a new session begins with; undefined without `--notes-from`. */
export async function notesFrom(settings: Settings, { env }: Surroundings): Promise<Session | undefined> {
  const { notesFrom: given } = settings;
  if (given === undefined) return undefined;
  const store = await storeFor(settings, env);
  return openSession({ store, id: await findId(store, given) }).toJSON();
}

/** The order of a run, and its words; undefined without words. */
interface RunOrder {
  readonly order: Extract<Order, { readonly do: "run" | "resume" }>;
  readonly words: GivenWords | undefined;
}

/** The session of a run, and the input that it starts with. With `--no-save` there is no session. */
export async function sessionFor(
  settings: Settings,
  around: Surroundings,
  { order, words }: RunOrder,
): Promise<SessionStart> {
  const input = words && words.words + words.material;
  if (order.do === "run" && settings.noSave) return { session: undefined, input, answers: undefined };
  const session = await open(settings, around, order.do === "run" ? undefined : order.id);
  if (order.do === "run") return { session, input, answers: undefined };
  return { session, ...answered(await session.toJSON(), { words, more: order.more, approval: order.approval }) };
}

/** Opens the session with this id or prefix of an id; without one, a new session. */
export async function open(
  settings: Settings,
  around: Surroundings,
  given: string | undefined,
): Promise<StoredSessionHandle> {
  const store = await storeFor(settings, around.env);
  const say = await sayer(around);
  const id = given === undefined ? newId() : await findId(store, given);
  const onTorn = (_characters: number, message: string): void => {
    say(message);
  };
  return openSession({ store, id, about: await aboutFor(settings, around), onTorn });
}
