// Where commands run: in a sandbox where there is one and it is wanted, else on this machine as it is.

import { findSandbox, hostShell, type Shell } from "../tools/index.js";
import type { Rights } from "./args.js";

/** The shell for a run, and what there is to say about it at the start. */
export interface FoundShell {
  readonly shell: Shell;
  readonly words: string;
}

/** Finds it. A sandbox that can't be had is said; nothing else changes. */
export async function findShell(root: string, { shell: wanted, tier }: Rights): Promise<FoundShell> {
  const host = hostShell();
  if (wanted === "host" || tier === "full-access")
    return { shell: host, words: "Commands run without a sandbox: one that is allowed can do whatever you can." };
  const network = wanted === "sandbox-with-network";
  const found = await findSandbox({ root, writable: tier === "workspace-write", network });
  if (found.ok) {
    const { description } = found.shell;
    return {
      shell: found.shell,
      words: `Commands run in ${description.charAt(0).toLowerCase()}${description.slice(1)}`,
    };
  }
  return {
    shell: host,
    words: `There is no sandbox (${found.reason}): a command that is allowed can do whatever you can.`,
  };
}
