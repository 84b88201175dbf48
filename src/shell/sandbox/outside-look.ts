// The look outside of the workspace: the places there that a sandbox shows and hides. A command takes it once, whatever its sandbox takes.

import { delimiter, dirname, isAbsolute } from "node:path";
import type { OpenableWall } from "../../core/index.js";
import { contains } from "../../files/index.js";
import { closedInSystem, otherPlaces, secretsOfTools } from "../places/hidden-around.js";
import { existing, hiddenHome, type HiddenHome, type Places } from "./home-folder.js";
import { keyPlaces, privateFolders, systemSecrets } from "./key-places.js";

/** The places of a command, what it opens, and what its sandbox shows in hidden folders besides: real paths. */
export interface OutsideOf extends Places {
  readonly opens: readonly OpenableWall[];
  readonly readable: readonly string[];
}

/** The places that were found outside of the workspace: real paths. */
export interface Outside {
  /** The home folders and what is shown in them; nothing if the wall `home` is open. */
  readonly home: HiddenHome;
  /** Keys, sockets, and files that only root could read. */
  readonly secret: readonly string[];
}

/** Looks for the places that are shown and hidden. No command changes them, so they stay true while a sandbox is tried again and again. */
export async function lookOutside(places: OutsideOf): Promise<Outside> {
  const { found, home, keys } = await lookAtHome(places);
  return { home, secret: [...keys, ...(await hiddenElsewhere(places, { found, home }))] };
}

/** The same look without toolchains and the system, which takes long: for a command that is known to read nothing there. */
export async function lookAround(places: OutsideOf): Promise<Outside> {
  const { home, keys } = await lookAtHome(places);
  return { home, secret: keys };
}

async function lookAtHome(
  places: OutsideOf,
): Promise<{ readonly found: HiddenHome; readonly home: HiddenHome; readonly keys: readonly string[] }> {
  const { root, opens } = places;
  const found = await hiddenHome(places);
  const home = opens.includes("home") ? nothingHidden : withOtherPlaces(found, root);
  const keys = await existing([...(await keyPlaces()), ...systemSecrets]);
  return { found, home, keys: [...keys, ...otherPlaces(keys)] };
}

const nothingHidden: HiddenHome = { homes: [], empty: [], shown: [] };

/** The home folders and the empty folders, with the other paths at which they are. */
function withOtherPlaces({ homes, empty, shown }: HiddenHome, root: string): HiddenHome {
  const other = otherPlaces([...homes, ...empty]).filter((path) => !contains(root, path) && path !== "/");
  return { homes, empty: [...new Set([...empty, ...other])].filter((path) => !homes.includes(path)), shown };
}

/**
 * The places that are hidden in toolchains and in the system. A read-only file system does not prevent connections to sockets, and some
 * programs behind sockets run commands for any caller.
 */
async function hiddenElsewhere(
  { root, readable, opens, project, path }: OutsideOf,
  { found, home }: { readonly found: HiddenHome; readonly home: HiddenHome },
): Promise<readonly string[]> {
  const isOpen = opens.includes("secrets") || opens.includes("home");
  const tools = isOpen ? [] : await secretsOfTools({ root, project, shown: home.shown });
  const hidden = [...(await existing(privateFolders)), ...found.homes, ...found.empty];
  const programs = await existing([...path.split(delimiter).filter(isAbsolute), dirname(process.execPath)]);
  const shown = [...found.shown, ...programs, ...readable];
  const { closed, sockets } = await closedInSystem({ root, project, shown, hidden });
  return await existing([...tools, ...closed, ...sockets]);
}
