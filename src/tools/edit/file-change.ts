// The steps of a file change, shared by all tools that change files: resolve the paths, look at the files, compare, change.

import { inPathQueue } from "../workspace/path-queue.js";
import { shownBefore } from "../workspace/shown-before.js";
import type { WorkspacePath } from "../workspace/workplace.js";

/** The paths that a change touches. */
export type ChangedPaths = readonly [WorkspacePath, ...WorkspacePath[]];

/**
 * The steps of a change, in order. `Before` is the result of `look`. Its `state` is a text that identifies the state of the files, so
 * that a change since the preview is noticed.
 */
export interface ChangeSteps<Input, Paths extends ChangedPaths, Before extends { readonly state: string }> {
  /** Resolves the paths. */
  find(input: Input, signal: AbortSignal): Promise<Paths>;
  /**
   * Looks at the files. If `reads` is true, `state` depends on their content, so that it can be compared with the preview's `state`.
   * @throws Error for the model if the files can't be changed.
   */
  look(input: Input, paths: Paths, options: { readonly signal: AbortSignal; readonly reads: boolean }): Promise<Before>;
  /** Describes the change to the approver. */
  describe(input: Input, before: Before, signal: AbortSignal): string | Promise<string>;
  /** Makes the change, and returns the result for the model. */
  make(input: Input, before: Before, signal: AbortSignal): Promise<string>;
}

/** The two functions of a file-changing tool that `fileChange` makes. */
export interface FileChange<Input> {
  preview(input: Input, signal: AbortSignal): Promise<string>;
  run(input: Input, context: { readonly signal: AbortSignal; readonly approved: unknown }): Promise<string>;
}

/**
 * Makes `preview` and `run` from the steps of a change. Changes to the same path run one after another. If the preview of this call
 * was shown and a file has changed since, `run` rejects and changes nothing.
 */
export function fileChange<
  Input extends object,
  Paths extends ChangedPaths,
  Before extends { readonly state: string },
>({ find, look, describe, make }: ChangeSteps<Input, Paths, Before>): FileChange<Input> {
  const previews = shownBefore();
  return {
    async preview(input, signal) {
      const before = await look(input, await find(input, signal), { signal, reads: true });
      const description = await describe(input, before, signal);
      previews.keep(input, before.state);
      return description;
    },
    async run(input, { signal, approved }) {
      const paths = await find(input, signal);
      const checkAndChange = async (): Promise<string> => {
        signal.throwIfAborted();
        // Without a preview there is nothing to compare with, so the content need not be read.
        const before = await look(input, paths, { signal, reads: previews.has(approved) });
        previews.expect(approved, before.state, paths.map(({ shown }) => shown).join(" or "));
        return make(input, before, signal);
      };
      return inPathQueue(
        paths.map(({ real }) => real),
        checkAndChange,
      );
    },
  };
}
