// Remembers the file states that previews showed, so that a call makes exactly the approved change, or none.

import { createHash } from "node:crypto";
import type { FileLook } from "./workspace-files.js";

/** The states that previews showed, by call input. */
export interface ShownBefore {
  /** True if a preview was shown for this very input object. */
  has(input: unknown): boolean;
  /** Stores the state that a preview showed. */
  keep(input: object, state: string): void;
  /** @throws Error if a preview was shown for this very input object, and the state was another. */
  expect(input: unknown, state: string, path: string): void;
}

/** The keys are the input objects themselves, held weakly. */
export function shownBefore(): ShownBefore {
  const states = new WeakMap<object, string>();
  return {
    has: (input) => states.has(input as object),
    keep: (input, state) => void states.set(input, state),
    expect(input, state, path) {
      const before = states.get(input as object);
      if (before !== undefined && before !== state)
        throw new Error(`${path} has changed since it was shown to whoever approved, so nothing was done. Look again.`);
    },
  };
}

/**
 * A text that differs if the path, or the entry there, differs. Without bytes, the version of the file system stands
 * for the content.
 */
export function stateOf(real: string, look: FileLook | undefined, bytes?: Uint8Array): string {
  if (look === undefined) return `${real} nothing`;
  const content = bytes === undefined ? look.version : createHash("sha256").update(bytes).digest("hex");
  return `${real} ${look.kind} ${String(look.size)} ${String(look.mode)} ${content}`;
}
