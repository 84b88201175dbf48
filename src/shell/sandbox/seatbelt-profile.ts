// The profile of one command for macOS `sandbox-exec`. A later rule wins over an earlier rule.

import { dirname } from "node:path";
import type { OpenableWall } from "../../core/index.js";
import { askedFor, contains, neverWritten, secretNames } from "../../files/index.js";
import type { HiddenHome } from "./home-folder.js";
import { below, named, only, rule, ruleIfKnown } from "./seatbelt-words.js";

/** The places of one command. All paths are real. */
export interface SeatbeltPlaces {
  readonly root: string;
  readonly writable: boolean;
  /** The command's own temporary folder. */
  readonly temporary: string;
  readonly home: HiddenHome;
  /** Folders with files of other programs and users. */
  readonly shared: readonly string[];
  /** Places that are hidden whatever is opened: keys, and files that rules forbid to read. */
  readonly hidden: readonly string[];
  /** Places that are shown although they would be hidden. */
  readonly readable: readonly string[];
  /** Places in the workspace that are not changed, whatever is opened. */
  readonly readOnly: readonly string[];
  /** Files of the workspace that are secret or protected now: the folders around them are not moved away. */
  readonly watched: readonly string[];
  readonly opens: readonly OpenableWall[];
}

/** Operations that make other programs act outside of the sandbox, or that change the rules. */
const escapes: readonly string[] = [
  ...["appleevent-send", "lsopen", "job-creation", "user-preference-write", "distributed-notification-post"],
  ...["authorization-right-obtain", "file-mount", "file-mount-update", "file-unmount", "file-chroot", "file-revoke"],
  ...["mach-priv-host-port", "mach-priv-task-port", "mach-task-read", "mach-task-inspect", "mach-task-name"],
  ...["mach-register", "nvram*", "sysctl-write", "iokit-set-properties", "system-kext-load"],
];

/** Services that programs need and that run nothing for them: users and groups, time zones, logs, trust in certificates, file events. */
const services: readonly string[] = [
  ...["com.apple.system.opendirectoryd.libinfo", "com.apple.system.opendirectoryd.membership"],
  ...["com.apple.system.notification_center", "com.apple.system.logger", "com.apple.logd", "com.apple.bsd.dirhelper"],
  ...["com.apple.trustd", "com.apple.trustd.agent", "com.apple.FSEvents", "com.apple.SystemConfiguration.configd"],
  "com.apple.PowerManagement.control",
];

const networkServices: readonly string[] = [
  ...["com.apple.dnssd.service", "com.apple.mDNSResponder", "com.apple.SystemConfiguration.DNSConfiguration"],
  ...["com.apple.networkd", "com.apple.ocspd"],
];

/** Devices that programs write to, and that keep nothing. */
const devices: readonly string[] = [
  "/dev/null",
  "/dev/zero",
  "/dev/random",
  "/dev/urandom",
  "/dev/dtracehelper",
  "/dev/tty",
];

/** The parts of git's data that git runs or obeys. They are kept also while the wall `protected` is open. */
const trustedByGit: readonly string[] = ["hooks", "config", "config.worktree", "modules"].map((name) => `.git/${name}`);

const samples = ["example", "sample", "template", "dist", "default", "defaults", "schema"].map((end) => `*.${end}`);

/** The text of the profile. */
export function seatbeltProfile(places: SeatbeltPlaces): string {
  const isOpen = (wall: OpenableWall): boolean => places.opens.includes(wall);
  const { hidden, readable } = places;
  const shownInHidden = readable.filter((path) => hidden.some((place) => contains(place, path)));
  return [
    "(version 1)",
    "(allow default)",
    ...outside(isOpen("network")),
    ...(isOpen("network") ? [] : ["(deny network*)"]),
    ...writing(places),
    ...(isOpen("home") ? [] : home(places)),
    ...(isOpen("secrets") ? [] : secrets(places)),
    ...(places.writable ? kept(places, isOpen("protected")) : []),
    ...rule("deny", "file-read* file-write*", hidden.map(below)),
    ...ruleIfKnown("deny", hidden.length === 0 ? [] : copying, hidden.map(below)),
    ...rule("allow", "file-read*", shownInHidden.map(below)),
    "",
  ].join("\n");
}

/** Ways to have a file under another name: the rules are about names. */
const copying: readonly string[] = ["file-link", "file-clone"];

/** Closes other processes, and services that act outside. */
function outside(isNetworkOpen: boolean): readonly string[] {
  const allowed = [...services, ...(isNetworkOpen ? networkServices : [])];
  return [
    ...ruleIfKnown("deny", escapes),
    "(deny signal)",
    "(allow signal (target same-sandbox))",
    "(deny process-info*)",
    "(allow process-info* (target same-sandbox))",
    '(deny sysctl-read (sysctl-name-prefix "kern.procargs"))',
    "(deny mach-lookup)",
    ...rule(
      "allow",
      "mach-lookup",
      allowed.map((name) => `(global-name "${name}")`),
    ),
    '(deny file-read* file-write* (regex "^/dev/(r?disk|bpf)"))',
  ];
}

function writing({ root, writable, temporary }: SeatbeltPlaces): readonly string[] {
  const places = [...(writable ? [root] : []), temporary];
  return [
    "(deny file-write*)",
    ...rule("allow", "file-write*", places.map(below)),
    ...rule("allow", "file-write-data", [...devices.map(only), below("/dev/fd")]),
    ...rule("deny", "file-write-unlink", places.map(only)),
    ...ruleIfKnown("deny", ["file-link"]),
    ...ruleIfKnown("allow", ["file-link"], places.map(below)),
  ];
}

function home({ root, temporary, home: { homes, empty, shown }, shared, readable }: SeatbeltPlaces): readonly string[] {
  const closed = [...homes, ...empty, ...shared];
  const open = [root, temporary, ...shown, ...readable];
  const above = open.flatMap(foldersAbove).filter((path) => closed.some((place) => contains(place, path)));
  return [
    ...rule("deny", "file-read*", closed.map(below)),
    ...rule("allow", "file-read-metadata", above.map(only)),
    ...rule("allow", "file-read*", open.map(below)),
  ];
}

function secrets({ root, writable }: SeatbeltPlaces): readonly string[] {
  const found = named(root, secretNames);
  const sample = named(root, samples, "$");
  return [
    ...rule("deny", "file-read* file-write*", found),
    ...ruleIfKnown("deny", copying, found),
    ...rule("allow", writable ? "file-read* file-write*" : "file-read*", sample),
  ];
}

/** Protected files by their names, existing or not, and the folders around the files that exist. */
function kept({ root, readOnly, watched, hidden }: SeatbeltPlaces, isOpen: boolean): readonly string[] {
  const names = isOpen ? trustedByGit : [...neverWritten, ...askedFor];
  const files = [...named(root, names), ...readOnly.map(below)];
  const inRoot = [...readOnly, ...watched, ...hidden].filter((path) => contains(root, path));
  const above = inRoot.flatMap(foldersAbove).filter((path) => path !== root && contains(root, path));
  return [
    ...rule("deny", "file-write*", files),
    ...ruleIfKnown("deny", ["file-link"], files),
    ...rule("deny", "file-write-unlink", above.map(only)),
  ];
}

function foldersAbove(path: string): readonly string[] {
  const folder = dirname(path);
  return folder === path ? [] : [folder, ...foldersAbove(folder)];
}
