// Changes of a log, as hints to read it again: from the file system, from a list of listeners, or by the clock.

import { watch, type FSWatcher } from "node:fs";
import { basename } from "node:path";
import { onAbort } from "../../core/internal.js";

/** Milliseconds between two looks at a log that nothing tells about. */
const unwatched = 250;
/** Milliseconds between two looks at a folder that the system watches. It may miss a change, on a network for example. */
const watched = 2000;

/** Hints at the changes of one log. Yields at once, and from then on after each change, once for several in a row. Ends with the signal. */
export type Changes = AsyncGenerator<undefined, void, void>;

/** Yields at regular times, since nothing tells about changes. */
export async function* polled(signal: AbortSignal): Changes {
  const bell = new Bell(signal);
  while (!signal.aborted) {
    yield;
    await bell.wait(unwatched);
  }
}

/** Yields after each change in a folder, which need not exist yet. */
export async function* changesIn(folder: string, signal: AbortSignal): Changes {
  const bell = new Bell(signal);
  let watcher: FSWatcher | undefined;
  const lose = (): void => {
    watcher?.close();
    watcher = undefined;
  };
  try {
    while (!signal.aborted) {
      watcher ??= watchFolder(folder, bell, lose);
      yield;
      await bell.wait(watcher === undefined ? unwatched : watched);
    }
  } finally {
    lose();
  }
}

/** Undefined if the folder is missing, or if the system has no watch left: then the clock has to do. */
function watchFolder(folder: string, bell: Bell, lose: () => void): FSWatcher | undefined {
  try {
    // A folder that was moved or deleted is watched no more, and another folder may have its place.
    const watcher = watch(folder, (event, name) => {
      if (event === "rename" && (name === null || name === basename(folder))) lose();
      bell.ring();
    });
    watcher.on("error", () => {
      lose();
      bell.ring();
    });
    return watcher;
  } catch {
    return undefined;
  }
}

/**
 * Yields after each call of the function that `listen` gets, and every so many milliseconds besides, if calls may be missed. `listen`
 * returns the function that ends the calls.
 */
export async function* changesHeard(
  listen: (ring: () => void) => () => void,
  signal: AbortSignal,
  every?: number,
): Changes {
  const bell = new Bell(signal);
  const unlisten = listen(() => {
    bell.ring();
  });
  try {
    while (!signal.aborted) {
      yield;
      await bell.wait(every);
    }
  } finally {
    unlisten();
  }
}

/** A bell that somebody waits for. A ring before the wait counts. The signal rings it too. */
class Bell {
  readonly #signal: AbortSignal;
  #hasRung = false;
  #wake: () => void = () => undefined;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  ring(): void {
    this.#hasRung = true;
    this.#wake();
  }

  /** Waits for a ring, so many milliseconds at most. */
  async wait(ms?: number): Promise<void> {
    const leave = onAbort(this.#signal, () => {
      this.#wake();
    });
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      if (ms !== undefined) timer = setTimeout(resolve, ms);
      if (this.#hasRung || this.#signal.aborted) resolve();
    });
    clearTimeout(timer);
    leave();
    this.#hasRung = false;
  }
}
