// Finds out which files of a workspace are likely to hold secrets, before a search shows them.

import { join } from "node:path";
import { bytesToLookAt, holdsSecret, isSecretFile, otherNames, suspicionOf } from "../../files/index.js";
import type { Workplace } from "./workplace.js";

/** The bytes that are read of a file whose name tells nothing: it may begin with a key. */
const usualBytes = 512;

/** Makes a function that says whether a file, by its path from the root, is likely to hold secrets: by its names, then by its content. */
export async function secretsIn(
  { root, files }: Pick<Workplace, "root" | "files">,
  signal: AbortSignal,
): Promise<(path: string) => Promise<boolean>> {
  const others = files.isDisk ? await otherNames(root) : undefined;
  return async (path) => {
    const place = join(root, path);
    if (others?.of(place).some((name) => isSecretFile(name.slice(root.length + 1))) === true) return true;
    if (suspicionOf(path) === "secret") return true;
    const most = Math.max(bytesToLookAt(path), usualBytes);
    const pieces: Uint8Array[] = [];
    let length = 0;
    try {
      for await (const piece of files.read(place, signal)) {
        pieces.push(piece);
        length += piece.length;
        if (length > most) break;
      }
    } catch {
      signal.throwIfAborted();
      return isSecretFile(path);
    }
    return holdsSecret(path, { bytes: Buffer.concat(pieces).subarray(0, most), isWhole: length <= most });
  };
}
