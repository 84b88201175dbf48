// The table of failures of statements: which may succeed a moment later, and whether the statement may have been carried out.

/**
 * The way to go on after a statement failed. `again`: it was surely not carried out, and may succeed a moment later. `unclear`: it may have
 * been carried out. So it goes again once it is known that it was not, or if that makes no difference. `told`: time changes nothing. A code
 * in doubt is not `told`: to try in vain costs seconds, and not to try costs a run.
 */
export type AfterFailure = "again" | "unclear" | "told";

/** The codes of Postgres. A class is decided as a whole by its code with three zeros, for codes of later versions and of poolers. */
const ofPostgres: Readonly<Record<string, AfterFailure>> = {
  // The connection.
  "08000": "unclear",
  "08001": "again", // it could not be made
  "08003": "unclear",
  "08004": "again", // the server refused it
  "08006": "unclear",
  "08007": "unclear",
  "08P01": "unclear", // also the words of poolers for anything
  // The transaction: it was ended by the server, it may not write, or the statement does not belong into it.
  "25000": "told",
  "25001": "told",
  "25002": "told",
  "25003": "told",
  "25004": "told",
  "25005": "told",
  "25006": "again", // read-only: a standby that is about to take over, or a server that was one before
  "25007": "told",
  "25008": "told",
  "25P01": "told",
  "25P02": "told",
  "25P03": "again", // idle in the transaction for too long
  "25P04": "again", // the transaction took too long
  // The transaction was rolled back.
  "40000": "again",
  "40001": "again", // serialization
  "40002": "told", // a constraint: the same failure the next time
  "40003": "unclear",
  "40P01": "again", // deadlock
  // Something is used up: room on a disk, memory, connections, a limit.
  "53000": "again",
  "53100": "again",
  "53200": "again",
  "53300": "again",
  "53400": "again",
  // The object is not in the right state. Other sessions have it in use or locked for a while.
  "55000": "told",
  "55006": "again",
  "55P02": "told",
  "55P03": "again",
  "55P04": "told",
  // An operator, or a timeout in his name.
  "57000": "unclear",
  "57014": "again", // canceled, also by statement_timeout. A wait for a standby after the commit is ended with a warning alone
  "57P01": "unclear", // it may come after the commit, while that waits for a standby
  "57P02": "unclear",
  "57P03": "again", // the server starts or ends
  "57P04": "told", // the database was dropped
  "57P05": "again", // idle for too long, so the statement did not reach it
};

/** The codes of the system, also of its names and sockets. */
const ofSystem: Readonly<Record<string, AfterFailure>> = {
  // No connection was made: no address, nobody there, no port or no file left, no socket while the server starts.
  EAI_AGAIN: "again",
  EAI_FAIL: "again",
  ENOTFOUND: "again",
  ECONNREFUSED: "again",
  EADDRNOTAVAIL: "again",
  EMFILE: "again",
  ENFILE: "again",
  ENOBUFS: "again",
  ENOENT: "again",
  // These end a connection, too.
  ECONNRESET: "unclear",
  ECONNABORTED: "unclear",
  EPIPE: "unclear",
  ETIMEDOUT: "unclear",
  ENETDOWN: "unclear",
  ENETRESET: "unclear",
  ENETUNREACH: "unclear",
  EHOSTDOWN: "unclear",
  EHOSTUNREACH: "unclear",
  ERR_STREAM_DESTROYED: "unclear",
  ERR_STREAM_PREMATURE_CLOSE: "unclear",
  ERR_STREAM_WRITE_AFTER_END: "unclear",
};

/** The words of the package `pg` about its connections: these errors have no code. The first that fits counts. */
const ofDriver: readonly (readonly [words: string, AfterFailure])[] = [
  ["Connection terminated due to connection timeout", "again"],
  ["Connection terminated", "unclear"],
  ["timeout exceeded when trying to connect", "again"],
  ["timeout expired", "again"],
  ["Query read timeout", "unclear"],
  // The statement was not sent.
  ["Client has encountered a connection error", "again"],
  ["Client was closed and is not queryable", "again"],
];

/** The way to go on after this was thrown by a statement. `code` decides, and the words do if there is no code. */
export function afterFailure(thrown: unknown): AfterFailure {
  const { code, message } = (thrown ?? {}) as { readonly code?: unknown; readonly message?: unknown };
  if (typeof code === "string") return own(ofPostgres, code) ?? own(ofSystem, code) ?? classOf(code) ?? "told";
  const words = typeof message === "string" ? message : "";
  return ofDriver.find(([start]) => words.startsWith(start))?.[1] ?? "told";
}

function classOf(code: string): AfterFailure | undefined {
  return /^[0-9A-Z]{5}$/.test(code) ? own(ofPostgres, `${code.slice(0, 2)}000`) : undefined;
}

/** A code of a stranger may be the name of a property that every object has. */
function own(table: Readonly<Record<string, AfterFailure>>, code: string): AfterFailure | undefined {
  return Object.hasOwn(table, code) ? table[code] : undefined;
}
