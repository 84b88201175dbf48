// Shown before: what somebody approved is what is done, or nothing is.

import { createHash } from "node:crypto";
import type { FileLook } from "./workspace-files.js";

/** What was shown for which input. */
export interface ShownBefore {
  /** True where something was shown for this very input. */
  has(input: object): boolean;
  /** Keeps the state that was shown. */
  keep(input: object, state: string): void;
  /** @throws Error where something was shown for this very input, and the state was another. */
  expect(input: object, state: string, path: string): void;
}

/** Remembers by the input object itself, for as long as there is one. */
export function shownBefore(): ShownBefore {
  const states = new WeakMap<object, string>();
  return {
    has: (input) => states.has(input),
    keep: (input, state) => void states.set(input, state),
    expect(input, state, path) {
      const before = states.get(input);
      if (before !== undefined && before !== state)
        throw new Error(`${path} has changed since it was shown to whoever approved, so nothing was done. Look again.`);
    },
  };
}

/** A text that differs where a place, or what is there, does. Without bytes, it is what the file system says of it. */
export function stateOf(real: string, look: FileLook | undefined, bytes?: Uint8Array): string {
  if (look === undefined) return `${real} nothing`;
  const content = bytes === undefined ? look.version : createHash("sha256").update(bytes).digest("hex");
  return `${real} ${look.kind} ${String(look.size)} ${String(look.mode)} ${content}`;
}
