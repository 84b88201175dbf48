// Rights: makes the permission gate of a run, and finds the shell for its commands.

import { isAbsolute, relative, sep } from "node:path";
import type { AnyApproval, AnyPermission, Approver, FrozenCall, Wall } from "../../core/index.js";
import { gate, type KeptRule } from "../../permission/index.js";
import { findSandbox, hostShell, type Shell } from "../../tools/index.js";
import { escaped, type Place } from "../code/program-files.js";
import type { Rights } from "./args.js";

/** The walls that a command needs around it to run without a question. */
const harmless: readonly Wall[] = ["files", "protected", "network", "home", "secrets"];

/** The shell for a run. */
export interface FoundShell {
  readonly shell: Shell;
  /** A sentence for the person: how commands run. */
  readonly notice: string;
}

/**
 * Finds the shell. In a sandbox, `guarded` is hidden and `modules` can't be changed. Without a sandbox, commands run on the host, and the
 * notice says why.
 */
export async function findShell(
  { root, guarded, modules }: Pick<GateNeeds, "root" | "guarded" | "modules">,
  { shell: wanted, tier }: Rights,
): Promise<FoundShell> {
  const host = hostShell();
  if (wanted === "host" || tier === "full-access")
    return { shell: host, notice: "Commands run without a sandbox: one that is allowed can do whatever you can." };
  const network = wanted === "sandbox-with-network";
  const walls = { root, writable: tier === "workspace-write", network, hidden: guarded };
  const readOnly = modules.map((path) => relative(root, path)).filter(isInside);
  const keeping = readOnly.length === 0 ? undefined : await findSandbox({ ...walls, readOnly });
  // Landlock can't keep single files of the workspace. A sandbox without that is better than none: commands are asked about in it.
  const found = keeping?.ok === true ? keeping : await findSandbox(walls);
  if (found.ok) {
    const { description, walls } = found.shell;
    const isWhole = harmless.every((wall) => walls.includes(wall));
    const rest = isWhole ? "" : " These are not all walls, so commands are asked about all the same.";
    return {
      shell: found.shell,
      notice: `Commands run in ${description.charAt(0).toLowerCase()}${description.slice(1)}${rest}`,
    };
  }
  return {
    shell: host,
    notice: `There is no sandbox, so a command that is allowed can do whatever you can. The reason: ${found.reason}`,
  };
}

/** Needs of the gate besides the rights. */
interface GateNeeds {
  /** The working directory. */
  readonly root: string;
  /** Files and folders that no tool may write and no command may read, inside or outside of the root. */
  readonly guarded: readonly string[];
  /** Files of modules and servers, which run outside of any sandbox: no tool may write them. */
  readonly modules: readonly string[];
  /** Places of which files take part in them. A write there is asked about. */
  readonly asked: readonly Place[];
  readonly approver: Approver<FrozenCall, AnyApproval>;
  /** The rules that a person chose for this folder before. Default: none. */
  readonly kept?: readonly KeptRule[] | undefined;
}

/** True if the relative path leads to a file below its base. On Windows, a path to another drive stays absolute. */
function isInside(path: string): boolean {
  return path !== "" && path !== ".." && !path.startsWith(`..${sep}`) && !isAbsolute(path);
}

/** Makes the gate. */
export function permissionFor(rights: Rights, needs: GateNeeds): AnyPermission {
  const { root, guarded, modules, asked, approver, kept } = needs;
  const { tier, mode, allow, deny } = rights;
  const inside = [...guarded, ...modules].map((path) => relative(root, path)).filter(isInside);
  const places = asked.map(({ folder, pattern }) => ({ folder: relative(root, folder), pattern }));
  return gate({
    root,
    tier,
    mode,
    allow,
    deny,
    protect: inside.map((path) => inRoot(path, "")),
    askAbout: places
      .filter(({ folder }) => folder === "" || isInside(folder))
      .map(({ folder, pattern }) => inRoot(folder, pattern)),
    approver,
    kept,
    approvalTimeout: Infinity,
  });
}

/** The pattern of a place at the top of the workspace. */
function inRoot(folder: string, pattern: string): string {
  const parts = folder === "" ? [] : folder.split(sep).map(escaped);
  return ["."].concat(parts, pattern === "" ? [] : [pattern]).join("/");
}
