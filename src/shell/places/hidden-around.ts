// What a sandbox hides outside of the workspace, besides the home folder and the usual places of keys.

import { contains } from "../../files/index.js";
import { secretsBelow } from "./secrets-below.js";
import { recently } from "./recently.js";
import { mountTable, shownTwice } from "./mount-table.js";
import { boundSockets, socketsNow } from "./sockets.js";
import { lookAtSystem, type Found } from "./system-look.js";

/** The places of one sandbox. Real paths. */
export interface ShownPlaces {
  readonly root: string;
  /** The repository around the workspace, or the workspace itself. */
  readonly project: string;
  /** Toolchains, and what else the sandbox shows although it is in a hidden folder. */
  readonly shown: readonly string[];
  /** Folders that the sandbox does not show in any case. */
  readonly hidden: readonly string[];
}

/** The most entries that are looked at: in one toolchain, and in all toolchains. */
const maxInTool = 2000;
const maxInTools = 30_000;

/** The secrets in toolchains, their caches and settings, as they were some seconds ago at most: real paths. */
export const secretsOfTools: (places: Omit<ShownPlaces, "hidden">) => Promise<readonly string[]> = recently(
  async ({ root, project, shown }) => {
    const places = shown.filter((place) => !contains(place, root) && place !== project);
    const entries = Math.min(maxInTool, Math.floor(maxInTools / Math.max(1, places.length)));
    const found: string[] = [];
    for (const place of places)
      found.push(...(await secretsBelow(place, { except: [root, project], entries, depth: 4 })));
    return found;
  },
);

/** Files that only root could read, and the sockets of other programs, outside of the workspace. */
export async function closedInSystem({ root, project, shown, hidden }: ShownPlaces): Promise<Found> {
  const { closed, sockets } = await lookAtSystem({ kept: [root, project, ...shown], hidden, bound: socketsNow() });
  const all = [...new Set([...boundSockets(), ...sockets])];
  return {
    closed,
    sockets: all.filter((path) => !contains(root, path) && !hidden.some((place) => contains(place, path))),
  };
}

/** Other paths at which the same files and folders are: their folder is mounted a second time. Real paths. */
export function otherPlaces(paths: readonly string[]): readonly string[] {
  const mounts = mountTable();
  return paths.flatMap((path) => shownTwice(path, mounts));
}
