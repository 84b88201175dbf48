// Reads the messages of a sandbox about a command that it starts.

import type { Readable } from "node:stream";
import { finished } from "node:stream/promises";

/** The sandbox was not made, so nothing was run. */
export class SandboxNotMade extends Error {}

/** A file or folder of the sandbox was somewhere else when it was looked at again, so nothing was run. */
export class MovedMeanwhile extends SandboxNotMade {
  constructor(path: string) {
    super(`The sandbox could not be made (in ${path} something was moved or replaced meanwhile), so nothing was run.`);
  }
}

/** The messages of a sandbox, apart from the output of the command. */
export interface SandboxReport {
  /**
   * The id, seen from outside, of the first process of the sandbox, which leads the command's group; undefined without
   * one.
   */
  readonly leader: Promise<number | undefined>;
  /** @throws SandboxNotMade with the sandbox's own words if the command was not run. To be called once it has exited. */
  expectStarted(): Promise<void>;
  close(): void;
}

/** Characters kept of each stream: more than a sandbox ever writes. */
const maxCharacters = 8192;

/** The line with which the programs without a status say that nothing was run. They may warn in other lines. */
const failure = /^sandbox[^:\n]*: (.+)$/m;

/**
 * Reads the error stream of a sandbox, which the command does not share, and the status of bubblewrap: JSON with `child-pid`, and
 * `exit-code` at the end.
 */
export function readReport(errors: Readable, status?: Readable): SandboxReport {
  let errorText = "";
  let statusText = "";
  let resolveLeader: (leader: number | undefined) => void = () => undefined;
  const leader = new Promise<number | undefined>((resolve) => (resolveLeader = resolve));
  errors.on("data", (chunk: Buffer) => (errorText = (errorText + chunk.toString()).slice(0, maxCharacters)));
  status?.on("data", (chunk: Buffer) => {
    statusText = (statusText + chunk.toString()).slice(0, maxCharacters);
    const id = /"child-pid": (\d+)/.exec(statusText)?.[1];
    if (id !== undefined) resolveLeader(Number(id));
  });
  const streams = status === undefined ? [errors] : [errors, status];
  const ends = streams.map((stream) => finished(stream, { writable: false }).catch(() => undefined));
  if (status === undefined) resolveLeader(undefined);
  else
    void ends[1]?.then(() => {
      resolveLeader(undefined);
    });
  return {
    leader,
    async expectStarted() {
      await Promise.all(ends);
      if (statusText.includes('"exit-code"')) return;
      const said = failure.exec(errorText)?.[1];
      if (status === undefined && said === undefined) return;
      const why = said ?? (errorText.trim() || "bubblewrap does not say why");
      throw new SandboxNotMade(`The sandbox could not be made (${why}), so nothing was run.`);
    },
    close() {
      errors.destroy();
      status?.destroy();
    },
  };
}
