// The walkers through a workspace: this thread, and threads of their own once the workspace has shown to be large.

import { once } from "node:events";
import * as files from "node:fs";
import { availableParallelism } from "node:os";
import { setImmediate as turn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { walkFolders, type Folder, type Found, type Place, type Stamps } from "./walk-folders.js";
import type { Stamp } from "./workspace-entry.js";

/** Milliseconds of work between two turns of the event loop. */
const slice = 10;

/** The most threads. A walk waits for the system, and more threads would wait for each other. */
const mostThreads = 4;

/** The most threads of this process: a server may have many workspaces at work, and a thread takes megabytes. */
const mostInProcess = 2 * mostThreads;

/** The threads of this process. */
let running = 0;

/** The code of a thread. */
const script = `
const { parentPort, workerData } = require("node:worker_threads");
const files = require("node:fs");
const walk = ${walkFolders.toString()};
parentPort.on("message", (folders) => {
  parentPort.postMessage(walk(files, workerData.place, workerData.stamps, folders));
});`;

/** A thread failed, or was ended. */
export class ThreadEnded extends Error {}

/** Walks through folders. */
export interface Walker {
  walk(folders: readonly Folder[]): Promise<readonly Found[]>;
  stop(): void;
}

/** A walker in this thread. Other work has its turn in between. */
export function walkHere(place: Place, known: ReadonlyMap<string, Stamp>): Walker {
  const stamps: Stamps = stampsOf(known, 1)[0] ?? new Map<string, never>();
  return {
    walk: async (folders) => {
      const found: Found[] = [];
      let since = performance.now();
      for (const folder of folders) {
        found.push(walkFolders(files, place, stamps, [folder]));
        if (performance.now() - since <= slice) continue;
        await turn();
        since = performance.now();
      }
      return found;
    },
    stop: () => undefined,
  };
}

/** A walker in threads of its own, which share the folders; undefined if no thread can be started here, or too many run. */
export function walkInThreads(place: Place, known: ReadonlyMap<string, Stamp>): Walker | undefined {
  const count = Math.min(availableParallelism(), mostThreads);
  if (running + count > mostInProcess) return undefined;
  const threads: Worker[] = [];
  const stop = (): void => {
    for (const thread of threads) void thread.terminate();
  };
  try {
    for (const stamps of stampsOf(known, count)) {
      const thread = new Worker(script, { eval: true, env: {}, execArgv: [], workerData: { place, stamps } });
      threads.push(thread);
      running += 1;
      thread.once("exit", () => (running -= 1));
    }
  } catch {
    // Node's permissions may forbid threads.
    stop();
    return undefined;
  }
  // The process ends as if there were no threads.
  for (const thread of threads) thread.on("error", () => undefined).unref();
  return {
    walk: (folders) =>
      Promise.all(
        threads.flatMap((thread, index) => {
          const own = folders.filter(({ path }) => ownerOf(path, threads.length) === index);
          return own.length > 0 ? [answerOf(thread, own)] : [];
        }),
      ),
    stop,
  };
}

/**
 * The findings of the thread in these folders.
 * @throws ThreadEnded if it can't tell.
 */
async function answerOf(thread: Worker, folders: readonly Folder[]): Promise<Found> {
  const over = new AbortController();
  const end = (): void => {
    over.abort();
  };
  thread.ref();
  thread.once("exit", end);
  try {
    // A thread that has ended has no number.
    if (thread.threadId === -1) end();
    thread.postMessage(folders);
    const [found] = (await once(thread, "message", { signal: over.signal })) as [Found];
    return found;
  } catch (cause) {
    throw new ThreadEnded("the thread can't tell what it found", { cause });
  } finally {
    thread.off("exit", end);
    thread.unref();
  }
}

/** The stamps of the entries, for each of so many owners of folders. */
function stampsOf(known: ReadonlyMap<string, Stamp>, owners: number): readonly Stamps[] {
  const made = Array.from({ length: owners }, (): Stamps => new Map());
  for (const [path, { ino, size, ctimeMs }] of known) {
    const end = path.lastIndexOf("/");
    const folder = end < 0 ? "" : path.slice(0, end);
    const own = made[ownerOf(folder, owners)];
    const names = own?.get(folder) ?? new Map<string, Stamp>();
    own?.set(folder, names.set(path.slice(end + 1), { ino, size, ctimeMs }));
  }
  return made;
}

/** The owner of a folder, which has the stamps of its entries. */
function ownerOf(folder: string, owners: number): number {
  let sum = 0;
  for (let index = 0; index < folder.length; index += 1) sum = (31 * sum + folder.charCodeAt(index)) >>> 0;
  return sum % owners;
}
