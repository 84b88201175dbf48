// A store in the browser: logs and inboxes in IndexedDB, locks of the browser, which a worker that is killed gives back.

import type { Store, StoredMessage } from "lastcall/memory";

const name = "lastcall playground";
const logs = "logs";
const inboxes = "inboxes";

/** Opens the database of the playground. */
export async function openDatabase(): Promise<IDBDatabase> {
  const opening = indexedDB.open(name, 1);
  opening.onupgradeneeded = () => {
    opening.result.createObjectStore(logs);
    opening.result.createObjectStore(inboxes, { autoIncrement: true });
  };
  return done(opening);
}

function done<Value>(request: IDBRequest<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => {
      resolve(request.result);
    };
    request.onerror = () => {
      reject(request.error ?? new Error("IndexedDB failed, and does not say why."));
    };
  });
}

/** Resolves once everything in the transaction is stored. */
function stored(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => {
      resolve();
    };
    transaction.onabort = () => {
      reject(transaction.error ?? new Error("IndexedDB gave the transaction up, and does not say why."));
    };
  });
}

/** The keys of the lines of a log: its session, and the number of the line. */
const linesOf = (id: string, from = 0): IDBKeyRange => IDBKeyRange.bound([id, from], [id, Infinity]);

/** The lines of a log. None if there is no such session. */
export function readLines(database: IDBDatabase, id: string, from = 0): Promise<string[]> {
  return done(database.transaction(logs).objectStore(logs).getAll(linesOf(id, from)) as IDBRequest<string[]>);
}

/** The ids of the stored sessions. */
async function sessionsIn(database: IDBDatabase): Promise<readonly string[]> {
  const keys = (await done(database.transaction(logs).objectStore(logs).getAllKeys())) as unknown as [string, number][];
  return [...new Set(keys.map(([id]) => id))];
}

/** The lines of a session and of the sessions below it, by session. */
export async function readTree(database: IDBDatabase, id: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = (await sessionsIn(database)).filter((one) => one === id || one.startsWith(`${id}/`));
  const lines = await Promise.all(found.map((one) => readLines(database, one)));
  return new Map(found.map((one, index) => [one, lines[index] ?? []]));
}

/** Deletes a session with the sessions below it. */
export async function deleteTree(database: IDBDatabase, id: string): Promise<void> {
  const found = (await sessionsIn(database)).filter((one) => one === id || one.startsWith(`${id}/`));
  const transaction = database.transaction(logs, "readwrite");
  for (const one of found) transaction.objectStore(logs).delete(linesOf(one));
  await stored(transaction);
}

/** The store. `onStored` hears each append once it is stored. */
export function indexedStore(database: IDBDatabase, onStored: (id: string, lines: readonly string[]) => void): Store {
  const write = async (
    change: (store: IDBObjectStore) => void,
    { at = logs, flush = false }: { readonly at?: string; readonly flush?: boolean } = {},
  ): Promise<void> => {
    const transaction = database.transaction(at, "readwrite", { durability: flush ? "strict" : "relaxed" });
    const whole = stored(transaction);
    change(transaction.objectStore(at));
    await whole;
  };
  const sent = async (id: string): Promise<readonly (readonly [IDBValidKey, StoredMessage])[]> => {
    const store = database.transaction(inboxes).objectStore(inboxes);
    const [keys, values] = await Promise.all([done(store.getAllKeys()), done(store.getAll())]);
    const all = values as readonly { readonly session: string; readonly message: StoredMessage }[];
    return all.flatMap(({ session, message }, index) => (session === id ? [[keys[index] ?? 0, message] as const] : []));
  };
  return {
    name: "IndexedDB of this page",
    list: async () => (await sessionsIn(database)).map((id) => ({ id, updated: 0 })),
    async read(id, from) {
      const lines = await readLines(database, id, from);
      return lines.length > 0 || (from ?? 0) > 0 ? lines : undefined;
    },
    async lock(id) {
      const release = await takeLock(`${name}: ${id}`);
      // The browser does not tell who holds a lock.
      if (release === undefined) return { id: "another worker", host: "this browser", pid: 0 };
      let count = (await readLines(database, id)).length;
      return {
        async append(lines, flush) {
          const from = count;
          count += lines.length;
          const put = (store: IDBObjectStore): void => {
            for (const [index, line] of lines.entries()) store.put(line, [id, from + index]);
          };
          await write(put, { flush });
          onStored(id, lines);
        },
        async cut(lines) {
          count = lines;
          await write((store) => store.delete(linesOf(id, lines)));
        },
        renew: async () => true,
        release: async () => {
          release();
        },
      };
    },
    async send(id, message) {
      if ((await sent(id)).some(([, other]) => other.id === message.id)) return;
      await write((store) => store.add({ session: id, message }), { at: inboxes });
    },
    messages: async (id) => (await sent(id)).map(([, message]) => message),
    async drop(id, messages) {
      const gone = (await sent(id)).filter(([, message]) => messages.includes(message.id));
      await write(
        (store) => {
          for (const [key] of gone) store.delete(key);
        },
        { at: inboxes },
      );
    },
    delete: (id) => write((store) => store.delete(linesOf(id))),
  };
}

/** Takes a lock of the browser. Returns the function that gives it back; undefined if another worker holds it. */
function takeLock(key: string): Promise<(() => void) | undefined> {
  return new Promise((resolve, reject) => {
    navigator.locks
      .request(key, { ifAvailable: true }, (lock) => {
        if (lock === null) {
          resolve(undefined);
          return undefined;
        }
        return new Promise<void>((release) => {
          resolve(release);
        });
      })
      .catch(reject);
  });
}
