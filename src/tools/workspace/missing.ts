// Makes the error for a missing path, with the names that the model may have meant.

import { join, parse, relative, sep } from "node:path";
import { distance } from "fastest-levenshtein";
import { shown } from "../../files/index.js";
import { slashed, type Workplace } from "./workplace.js";

/** The error for `real`, a path inside the root where nothing exists. */
export async function missing(workplace: Workplace, real: string, signal: AbortSignal): Promise<Error> {
  const likely = await nearby(workplace, real, signal);
  const advice = likely.length === 0 ? "Call list_files to see what there is." : `Names like it: ${likely.join(", ")}.`;
  return new Error(`There is nothing at ${shown(workplace.root, real)}. ${advice}`);
}

/** Paths with a name like the first missing part of `real`. */
async function nearby(workplace: Workplace, real: string, signal: AbortSignal): Promise<readonly string[]> {
  const { root } = workplace;
  let folder = root;
  for (const part of relative(root, real).split(sep)) {
    const names = await namesIn(workplace, folder, signal);
    if (!names.includes(part)) return similar(part, names).map((name) => shown(root, join(folder, name)));
    folder = join(folder, part);
  }
  return [];
}

/** The names in the folder that are not hidden. */
async function namesIn(workplace: Workplace, folder: string, signal: AbortSignal): Promise<readonly string[]> {
  const { root, files } = workplace;
  const visibility = workplace.visibility(signal);
  const names: string[] = [];
  for (const { name, kind } of await files.list(folder).catch(() => [])) {
    if (!(await visibility.isHidden(slashed(root, join(folder, name)), kind === "folder"))) names.push(name);
  }
  return names;
}

/** Up to three names, nearest first, that differ from `wanted` by a slip, the order of letters or the ending. */
function similar(wanted: string, names: readonly string[]): readonly string[] {
  const slips = Math.min(2, Math.floor(wanted.length / 3));
  return names
    .map((name) => ({ name, away: distance(wanted.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, away }) => away <= slips || letters(name) === letters(wanted) || stem(name) === stem(wanted))
    .sort((a, b) => a.away - b.away || (a.name < b.name ? -1 : 1))
    .slice(0, 3)
    .map(({ name }) => name);
}

function stem(name: string): string {
  return parse(name).name.toLowerCase();
}

function letters(name: string): string {
  return Array.from(name.toLowerCase()).sort().join("");
}
