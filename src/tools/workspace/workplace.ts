// The workplace: shared by the workspace tools. It resolves the paths that a model gives.

import { basename, join, relative, resolve, sep } from "node:path";
import type { AnyPermission } from "../../core/index.js";
import { contains, expand, locate, locateItself, matcher, shown } from "../../files/index.js";
import { disk } from "./disk.js";
import { rootOf, type RootOptions } from "./root.js";
import { hidingName, openVisibility, type Visibility } from "./visibility.js";
import type { WorkspaceFiles } from "./workspace-files.js";

/** A path of the workspace that a tool may use. */
export interface WorkspacePath {
  readonly real: string;
  /** The path for the model to read and repeat. */
  readonly shown: string;
}

/** Options for resolving a path, for one call. */
export interface FindOptions {
  readonly signal: AbortSignal;
  /** True if the file is to be changed. Default false. */
  readonly writes?: boolean;
  /** True if a symbolic link itself is meant, not its target. Default false. */
  readonly itself?: boolean;
}

/** The folder that the tools share. */
export interface Workplace {
  readonly root: string;
  readonly files: WorkspaceFiles;
  /** The same workplace, in which files that the permission forbids to read are hidden as well. */
  seenWith(permission: AnyPermission): Workplace;
  /** The visibility of paths, for one call. */
  visibility(signal: AbortSignal): Visibility;
  /**
   * Resolves a path.
   * @throws Error for the model if it leads outside or is hidden.
   */
  find(path: string, options: FindOptions): Promise<WorkspacePath>;
}

/** @throws LastcallError `configuration` if the root can't be used, or a pattern is invalid. */
export function openWorkplace(options: RootOptions): Workplace {
  const root = rootOf(options);
  const files = options.files ?? disk();
  return openAt(root, files, matcher(options.hide ?? []));
}

function openAt(root: string, files: WorkspaceFiles, hides: (path: string) => boolean): Workplace {
  const openFor = (signal: AbortSignal): Visibility => openVisibility({ root, files, hides, signal });

  async function refuseHidden(path: string, real: string, { signal, writes = false }: FindOptions): Promise<void> {
    const visibility = openFor(signal);
    // If the path is hidden, the model is not even told whether it is a folder.
    const isFolder = (await files.look(real).catch(() => undefined))?.kind === "folder";
    const wanted = resolve(root, expand(path));
    for (const candidate of contains(root, wanted) && wanted !== real ? [real, wanted] : [real]) {
      if (await visibility.isHidden(slashed(root, candidate), isFolder))
        throw new Error(`The path ${JSON.stringify(path)} is hidden in this workspace. Do without what is there.`);
      if (writes && basename(candidate).toLowerCase() === hidingName)
        throw new Error(`${hidingName} says what is hidden, so only the user may change it. Leave it as it is.`);
    }
  }

  const workplace: Workplace = {
    root,
    files,
    seenWith: (permission) =>
      permission.forbids === undefined
        ? workplace
        : openAt(root, files, (path) => hides(path) || permission.forbids?.("read", join(root, path)) === true),
    visibility: openFor,
    async find(path, options) {
      const real = await (options.itself === true ? locateItself : locate)(root, path, files);
      await refuseHidden(path, real, options);
      return { real, shown: shown(root, real) };
    },
  };
  return workplace;
}

/** A path from the root, with slashes; `""` for the root. */
export function slashed(root: string, real: string): string {
  return relative(root, real).split(sep).join("/");
}
