// The sockets of other programs, by the names under which they were bound.

import { readFileSync, realpathSync } from "node:fs";
import { mountTable, shownTwice } from "./mount-table.js";

/**
 * The paths of sockets that programs of this system listen on, also the paths at which the same folder is mounted a second time. A name
 * that was bound from another folder, or that was renamed since, does not tell its path: `lookAtSystem` finds such a socket.
 */
export function boundSockets(): readonly string[] {
  const mounts = mountTable();
  return namesIn(readUnix()).flatMap((name) => {
    try {
      const path = realpathSync.native(name);
      return [path, ...shownTwice(path, mounts)];
    } catch {
      return [];
    }
  });
}

/** The number and the name of each socket that has a name in the file system. It changes if one is made or removed. */
export function socketsNow(): string {
  const lines = readUnix().split("\n");
  return lines.flatMap((line) => / (\d+) ((?!@)\S.*)$/.exec(line)?.slice(1).join(" ") ?? []).join("\n");
}

/** The absolute names in the form of `/proc/net/unix`. */
function namesIn(text: string): readonly string[] {
  return [...new Set([...text.matchAll(/^\S+: .*? (\/.+)$/gm)].flatMap(([, path]) => path ?? []))];
}

function readUnix(): string {
  try {
    return readFileSync("/proc/net/unix", "utf8");
  } catch {
    return "";
  }
}
