// Ids of sessions, and the names of the folders that keep them: any id gets a name that every file system accepts.

import { LastcallError } from "../../core/index.js";

/** The most characters of an id. */
const mostCharacters = 200;
/** The longest name of a folder, in characters. Most file systems accept 255. */
const longestName = 200;
/** The first character of a name that is not the id itself. No plain id contains it. */
const mark = "+";

/**
 * Returns the id unchanged.
 * @throws LastcallError `configuration` if it is no text of 1 to 200 characters, or has control characters or half a character in it.
 */
export function checkId(id: string): string {
  if (typeof (id as unknown) === "string" && isId(id)) return id;
  const shown = JSON.stringify(typeof (id as unknown) === "string" ? id.slice(0, 220) : id) as string | undefined;
  throw new LastcallError(
    "configuration",
    `${String(shown)} can't be the id of a session: use 1 to ${String(mostCharacters)} characters, none of them a control character.`,
  );
}

function isId(id: string): boolean {
  // A surrogate without its other half has no UTF-8, so two such ids would be stored as the same id.
  return id !== "" && id.length <= mostCharacters && !/[\p{Cc}\p{Cs}]/u.test(id);
}

/**
 * The name of the folder for an id. Plain ids (letters, digits, `_`, `-`, `.`, no dot first) are their own names. In the name of any
 * other id, each byte but `a-z`, `0-9`, `_`, `-` and `.` is `=` and two hexadecimal digits. So two ids never share a name, not even if
 * the file system ignores case or composes characters. A name that would be too long is a hash, and the folder keeps the id in a file.
 */
export function folderOf(id: string, platform: string = process.platform): string {
  if (isPlain(id, platform)) return id;
  const escaped = [...Buffer.from(checkId(id))]
    .map((byte) => escape(byte))
    .join("")
    .replace(/\.$/, escape(46, true));
  if (escaped.length < longestName) return `${mark}${escaped}`;
  return `${mark}${mark}${process.getBuiltinModule("node:crypto").hash("sha256", id, "hex")}`;
}

/** The id whose folder has this name. `hashed`: only the folder itself knows it. Undefined if the folder belongs to no session. */
export function idOf(name: string): { readonly id: string } | "hashed" | undefined {
  if (/^\+\+[0-9a-f]{64}$/.test(name)) return "hashed";
  if (!name.startsWith(mark)) return isPlain(name, "any") ? { id: name } : undefined;
  const bytes = name
    .slice(1)
    .replaceAll(/=([0-9a-f]{2})/g, (_all, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  const id = Buffer.from(bytes, "latin1").toString("utf8");
  return isId(id) && [process.platform, "win32"].some((platform) => folderOf(id, platform) === name)
    ? { id }
    : undefined;
}

/** True if the id can be a name as it is. Windows has no names that end in a dot, and keeps some for its devices. */
function isPlain(id: string, platform: string): boolean {
  if (!/^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(id) || id.length > mostCharacters) return false;
  return platform !== "win32" || !/\.$|^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(id);
}

function escape(byte: number, always = false): string {
  const character = String.fromCharCode(byte);
  if (!always && /[a-z0-9_.-]/.test(character)) return character;
  return `=${byte.toString(16).padStart(2, "0")}`;
}
