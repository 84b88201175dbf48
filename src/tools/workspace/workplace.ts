// The workplace: what the workspace tools share, from the path that a model gave to the place that may be touched.

import { basename, relative, resolve, sep } from "node:path";
import { contains, expand, locate, locateItself, matcher, openRoot, shown } from "../../files/index.js";
import { disk } from "./disk.js";
import type { RootOptions } from "./root.js";
import { hidingName, openVisibility, type Visibility } from "./visibility.js";
import type { WorkspaceFiles } from "./workspace-files.js";

/** A place in the workspace. */
export interface Place {
  readonly real: string;
  /** As the model should read and repeat it. */
  readonly shown: string;
}

/** What one call is made of. */
export interface Finding {
  readonly signal: AbortSignal;
  /** True where the place may be changed. */
  readonly writes?: boolean;
  /** True where a symbolic link is meant and not where it leads. */
  readonly itself?: boolean;
}

/** The folder of the tools. */
export interface Workplace {
  readonly root: string;
  readonly files: WorkspaceFiles;
  /** What may be seen, for one call. */
  visibility(signal: AbortSignal): Visibility;
  /** Where a path leads. @throws Error for the model, where it leads outside or to what is hidden. */
  find(path: string, finding: Finding): Promise<Place>;
}

/** @throws LastcallError `configuration` where the root can't be used, or a pattern makes no sense. */
export function openWorkplace(options: RootOptions): Workplace {
  const root = openRoot(options.root);
  const files = options.files ?? disk();
  const hides = matcher(options.hide ?? []);
  const visibility = (signal: AbortSignal): Visibility => openVisibility({ root, files, hides, signal });

  async function refuseHidden(path: string, real: string, { signal, writes = false }: Finding): Promise<void> {
    const seen = visibility(signal);
    // A folder or not: that of what is hidden is not even told.
    const isFolder = (await files.look(real).catch(() => undefined))?.kind === "folder";
    const wanted = resolve(root, expand(path));
    for (const way of contains(root, wanted) && wanted !== real ? [real, wanted] : [real]) {
      if (await seen.isHidden(slashed(root, way), isFolder))
        throw new Error(`The path ${JSON.stringify(path)} is hidden in this workspace. Do without what is there.`);
      if (writes && basename(way).toLowerCase() === hidingName)
        throw new Error(`${hidingName} says what is hidden, so only the user may change it. Leave it as it is.`);
    }
  }

  return {
    root,
    files,
    visibility,
    async find(path, finding) {
      const real = await (finding.itself === true ? locateItself : locate)(root, path, files);
      await refuseHidden(path, real, finding);
      return { real, shown: shown(root, real) };
    },
  };
}

/** A path from the root, with slashes; `""` for the root. */
export function slashed(root: string, real: string): string {
  return relative(root, real).split(sep).join("/");
}
