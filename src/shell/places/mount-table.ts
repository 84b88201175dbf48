// The mounts of this system (Linux): other paths of the same file, and file systems that are not local.

import { lstatSync, readFileSync, type Stats } from "node:fs";

/** One mount. */
export interface MountedAt {
  readonly place: string;
  /** The number of its file system. */
  readonly device: string;
  /** The folder of the file system that is mounted. */
  readonly folder: string;
  readonly type: string;
}

/** The mounts that this process sees; empty without `/proc`. */
export function mountTable(): readonly MountedAt[] {
  try {
    return readMounts(readFileSync("/proc/self/mountinfo", "utf8"));
  } catch {
    return [];
  }
}

/** Reads the form of `/proc/self/mountinfo`. */
export function readMounts(text: string): readonly MountedAt[] {
  return text.split("\n").flatMap((line) => {
    const [, , device, folder, place, ...rest] = line.split(" ");
    const type = rest[rest.indexOf("-") + 1];
    if (device === undefined || folder === undefined || place === undefined || type === undefined) return [];
    return [{ device, folder: unescaped(folder), place: unescaped(place), type }];
  });
}

/** Other paths at which the file of a path is: its folder may be mounted twice. They need not be visible. `path` is a real path. */
export function otherPaths(path: string, mounts: readonly MountedAt[]): readonly string[] {
  const around = mounts.filter(({ place }) => isIn(place, path)).toSorted((a, b) => a.place.length - b.place.length);
  const mount = around.at(-1);
  if (mount === undefined) return [];
  const inside = join(mount.folder, path.slice(mount.place === "/" ? 0 : mount.place.length));
  const same = mounts.filter(({ device, folder }) => device === mount.device && isIn(folder, inside));
  const paths = same.map(({ place, folder }) => join(place, inside.slice(folder === "/" ? 0 : folder.length)));
  return [...new Set(paths)].filter((one) => one !== path);
}

/** The other paths at which the same file is to be seen. */
export function shownTwice(path: string, mounts: readonly MountedAt[]): readonly string[] {
  const stats = lookAt(path);
  if (stats === undefined) return [];
  return otherPaths(path, mounts).filter((other) => {
    const found = lookAt(other);
    return found?.ino === stats.ino && found.dev === stats.dev;
  });
}

function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    // This user can't look it up, and neither can a command.
    return undefined;
  }
}

/** True for file systems of other machines, and for file systems of programs: a look at them may take any time. */
export function isRemote({ type }: MountedAt): boolean {
  return /^(?:nfs|cifs|smb|fuse|autofs|afs|ceph|glusterfs|lustre|9p|virtiofs|vboxsf|sshfs|davfs|ncpfs|coda|gfs|ocfs|proc|sysfs|cgroup|devtmpfs|devpts|debugfs|tracefs|securityfs|bpf|pstore|configfs|mqueue|hugetlbfs|binfmt_misc)/.test(
    type,
  );
}

function isIn(folder: string, path: string): boolean {
  return folder === "/" || path === folder || path.startsWith(`${folder}/`);
}

function join(folder: string, rest: string): string {
  const path = `${folder === "/" ? "" : folder}${rest.startsWith("/") || rest === "" ? "" : "/"}${rest}`;
  return path === "" ? "/" : path;
}

/** The kernel writes blanks and the like as octal numbers. */
function unescaped(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(parseInt(digits, 8)));
}
