// Signs of a wall in the output of a failed command, so that the model learns why it failed and for what it can ask.

import type { Wall } from "../../core/index.js";

/** The words of a program that may not write. Landlock and macOS say it without a word about the file system. */
const notWritten =
  /read-only file system|\bEROFS\b|(?:cannot|can't|could not|unable to|failed to) (?:create|make|touch|write|remove|move|rename|truncate|set)\b[^\n]*(?:permission denied|not permitted)|\bE(?:ACCES|PERM)\b[^\n]*\b(?:open|mkdir|unlink|rmdir|rename|symlink|link|truncate)\b|(?:touch|mkdir|rm|mv|cp|ln): [^\n]*(?:permission denied|not permitted)/i;

/** For each wall: the words of programs that ran into it, and the words for the model. */
const signs: readonly { readonly wall: Wall; readonly sign: RegExp; readonly words: string }[] = [
  {
    wall: "network",
    sign: /could not resolve|name or service not known|name resolution|network is unreachable|nodename nor servname|no address associated|\b(?:EAI_AGAIN|ENOTFOUND|ENETUNREACH|ECONNREFUSED)\b|getaddrinfo|failed to connect|connection refused|connect (?:EPERM|EACCES)|dial tcp|unable to access '\w+:|fetch failed/i,
    words: "the sandbox has no network",
  },
  {
    wall: "protected",
    sign: /\.git\b[^\n]*read-only file system|read-only file system[^\n]*\.git\b|EROFS[^\n]*\.git\b|\.git\/[^\n]*(?:operation not permitted|EPERM)|could not lock config file|cannot lock ref|unable to create '[^\n]*\.git\/[^\n]*lock/i,
    words: "the data of git can't be changed in the sandbox",
  },
  {
    wall: "secrets",
    sign: /(?:^|[\s/'"`])\.env\b|environment variable|(?:missing|undefined|required|not set|is empty|no)\b[^\n]{0,60}\b\w*(?:_KEY|_TOKEN|_SECRET|_URL|PASSWORD)\b|\w*(?:_KEY|_TOKEN|_SECRET|_URL|PASSWORD)\b[^\n]{0,60}\b(?:missing|undefined|required|not set|is empty)|no PEM|PEM routines/i,
    words: "files such as .env, and keys, are empty in the sandbox",
  },
  {
    wall: "home",
    sign: /(?:~|\/(?:home|Users)\/\w+|\/root)\/[^\n]*(?:no such file|not found|ENOENT|permission denied|EACCES|not permitted|EPERM)|(?:no such file|not found|ENOENT|permission denied|EACCES|not permitted|EPERM)[^\n]*(?:~|\/(?:home|Users)\/\w+|\/root)\//i,
    words: "the home folder is closed in the sandbox but for toolchains",
  },
  {
    wall: "workspace",
    sign: notWritten,
    words: "nothing but the folder for temporary files can be changed in the sandbox",
  },
  {
    wall: "files",
    sign: notWritten,
    words: "nothing outside of the workspace, and no protected file in it, can be changed in the sandbox",
  },
];

/** The walls that keep a command from writing. */
const limitsWriting: ReadonlySet<Wall> = new Set(["protected", "workspace", "files"]);

/** The most characters of an output in which signs are looked for, at each end. */
const most = 8 * 1024;

/** A wall that a failed command seems to have run into, and words for the model. */
interface WallMet {
  readonly wall: Wall;
  readonly words: string;
}

/** The walls that a failed command seems to have run into, among the walls that were closed for it. */
export function wallsMet(output: string, closed: readonly Wall[]): readonly WallMet[] {
  const text = output.length <= 2 * most ? output : `${output.slice(0, most)}\n${output.slice(-most)}`;
  const met = signs.filter(({ wall, sign }) => closed.includes(wall) && sign.test(text));
  // One failure to write has one reason: the most specific wall comes first.
  const writing = met.find(({ wall }) => limitsWriting.has(wall));
  return met.filter(({ wall }) => wall === writing?.wall || !limitsWriting.has(wall));
}
