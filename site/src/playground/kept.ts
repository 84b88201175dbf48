// The things that stay if the page is loaded again, in the storage of the tab.

import type { ShownOutcome } from "./outcome-view.js";

const place = "lastcall playground";

/** What a tab keeps. */
export interface Kept {
  /** The name of the tab in the ids of its sessions. */
  readonly tab: string;
  readonly example?: string | undefined;
  /** The code of the examples that the reader has changed. */
  readonly codes?: Readonly<Record<string, string>> | undefined;
  /** The number of the last run. */
  readonly number?: number | undefined;
  /** The session of the last run. */
  readonly session?: string | undefined;
  /** The outcome of the last run, if it waits for the reader. */
  readonly waiting?: ShownOutcome | undefined;
}

/** The things that this tab has kept. */
export function kept(): Kept {
  const text = sessionStorage.getItem(place);
  if (text !== null) return JSON.parse(text) as Kept;
  return keep({ tab: crypto.randomUUID().slice(0, 6) });
}

/** Keeps these things as well. */
export function keep(change: Partial<Kept>): Kept {
  const text = sessionStorage.getItem(place);
  const all = { ...(text === null ? {} : (JSON.parse(text) as Kept)), ...change } as Kept;
  sessionStorage.setItem(place, JSON.stringify(all));
  return all;
}
