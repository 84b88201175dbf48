// The places that a command may read behind rules that only ever add: whatever is hidden is left out.

import { accessSync, constants } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { contains } from "../../files/index.js";
import { existing, hiddenHome, type Places } from "./home-folder.js";
import { keyPlaces, privateFolders, systemSecrets } from "./key-places.js";
import { closedInSystem, secretsOfTools } from "../places/hidden-around.js";
import type { MountSettings } from "./mounts.js";

/** Devices hold disks and memory, so they are named one by one. */
const closed: readonly string[] = [...privateFolders, "/dev", "/lost+found"];

/**
 * Real paths that together are the file system without what is hidden: the home folder but its toolchains (unless it is open), keys,
 * `/tmp`, `/run`, devices, and what the settings hide. A folder around a hidden place is not among them, only its other entries are; so
 * it can't be listed.
 */
export async function readablePlaces(
  { readable, hidden }: MountSettings,
  place: Places,
  isHomeOpen: boolean,
): Promise<readonly string[]> {
  const { homes, empty, shown } = isHomeOpen ? { homes: [], empty: [], shown: [] } : await hiddenHome(place);
  const folders = await existing([...closed, ...homes, ...empty]);
  const { root, project } = place;
  const around = { root, project, shown, hidden: folders };
  const keys = await existing([
    ...[...(await keyPlaces()), ...systemSecrets.filter(canRead), ...hidden],
    ...(isHomeOpen ? [] : await secretsOfTools(around)),
    ...(await closedInSystem(around)).closed,
  ]);
  // The settings of name servers are often in `/run`.
  const names = await existing(["/etc/resolv.conf"]);
  return [
    ...(await without([...folders, ...keys], "/")),
    ...(await Promise.all(shown.map(async (path) => await without(keys, path)))).flat(),
    ...names,
    ...(await existing(readable)).filter((path) => readable.includes(path)),
  ];
}

/** The path itself, or what is below it, without these places. */
async function without(hidden: readonly string[], path: string): Promise<readonly string[]> {
  if (hidden.some((place) => contains(place, path))) return [];
  const below = hidden.filter((place) => contains(path, place));
  if (below.length === 0) return [path];
  // A folder that this user can't list has nothing to name one by one.
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  const kept = entries.filter((entry) => !entry.isSymbolicLink()).map((entry) => join(path, entry.name));
  return (await Promise.all(kept.map(async (entry) => await without(below, entry)))).flat();
}

function canRead(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
