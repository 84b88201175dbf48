// Rights: what a run may do, made into its gate, and the place where its commands run.

import { relative, sep } from "node:path";
import type { Permission } from "../../core/index.js";
import { gate, type Approver } from "../../permission/index.js";
import { findSandbox, hostShell, type Shell } from "../../tools/index.js";
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

/** What a gate needs besides the rights. */
interface Around {
  /** The folder that is worked in. */
  readonly root: string;
  /** Files and folders that no tool may write, in it or outside. */
  readonly guarded: readonly string[];
  readonly approver: Approver;
}

/** What rules forbid to read is as if it were not there, for lists and searches as well. */
export function hiddenBy(deny: readonly string[]): readonly string[] {
  return deny.flatMap((rule) => /^\s*read(?:_file)?\(\s*([^~/!].*?)\/*\s*\)\s*$/s.exec(rule)?.[1] ?? []);
}

/** What the run may do, and who is asked about the rest. In a dry run nobody has to be: nothing is done. */
export function permissionFor(rights: Rights, { root, guarded, approver }: Around): Permission {
  const { tier, allow, deny, dryRun } = rights;
  const mode = dryRun ? "allow-all" : rights.mode;
  const inside = guarded.map((path) => relative(root, path)).filter((path) => path !== "" && !/^\.\.|^\//.test(path));
  return gate({
    root,
    tier,
    mode,
    allow,
    deny,
    protect: inside.map(
      (path) =>
        `./${path
          .split(sep)
          .join("/")
          .replace(/[*?[\]{}()!+@\\]/g, "\\$&")}`,
    ),
    approver,
    approvalTimeout: Infinity,
  });
}
