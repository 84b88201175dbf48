// Reads the names of the files in the index of a repository.

/** The parts of an index that matter. */
export interface GitIndex {
  readonly names: readonly string[];
  readonly hasSubmodules: boolean;
}

const headerLength = 12;
/** The length of an entry up to its flags, with a SHA-1; with a SHA-256 it is longer. */
const fixedLength = 62;
const ofSubmodule = 0o160000;

/**
 * Reads an index of version 2, 3 or 4 with SHA-1.
 * @throws Error if it is anything else.
 */
export function readGitIndex(content: Buffer | undefined): GitIndex {
  if (content === undefined) throw new Error("the index is missing or too large");
  const version = content.readUInt32BE(4);
  if (content.toString("latin1", 0, 4) !== "DIRC" || version < 2 || version > 4) throw new Error("it is no index");
  const count = content.readUInt32BE(8);
  const names: string[] = [];
  let hasSubmodules = false;
  let at = headerLength;
  let before = "";
  for (let entry = 0; entry < count; entry += 1) {
    hasSubmodules ||= (content.readUInt32BE(at + 24) & 0o170000) === ofSubmodule;
    const isExtended = (content.readUInt16BE(at + 60) & 0x4000) !== 0;
    const start = at + fixedLength + (isExtended ? 2 : 0);
    const { name, end } = version === 4 ? readShared(content, start, before) : readWhole(content, start, at);
    names.push(name);
    before = name;
    at = end;
  }
  return { names, hasSubmodules };
}

interface NameRead {
  readonly name: string;
  readonly end: number;
}

/** A whole name, padded with NULs to a multiple of eight bytes from the start of the entry. */
function readWhole(content: Buffer, start: number, entry: number): NameRead {
  const end = nul(content, start);
  return { name: content.toString("latin1", start, end), end: entry + Math.ceil((end - entry + 1) / 8) * 8 };
}

/** A name that shares its beginning with the name before it: a number of characters to cut off, and the rest. */
function readShared(content: Buffer, start: number, before: string): NameRead {
  let at = start;
  let byte = content.readUInt8(at++);
  let cut = byte & 127;
  while ((byte & 128) !== 0) {
    byte = content.readUInt8(at++);
    cut = ((cut + 1) << 7) | (byte & 127);
  }
  const end = nul(content, at);
  return { name: before.slice(0, before.length - cut) + content.toString("latin1", at, end), end: end + 1 };
}

function nul(content: Buffer, from: number): number {
  const end = content.indexOf(0, from);
  if (end < 0) throw new Error("a name does not end");
  return end;
}
