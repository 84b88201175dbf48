// The change of a file that the arguments of a call state, as the lines of a diff.

import { changedLines } from "./unified-diff.js";

/**
 * The changed lines of a call of `edit_file` or `write_file`, as its arguments state them; undefined for other tools and other arguments.
 * The lines of a file that `write_file` replaces are not among them: the call does not have them.
 */
export function statedChange(tool: string, input: unknown): readonly string[] | undefined {
  const { edits, content } = fieldsOf(input);
  if (tool === "write_file" && typeof content === "string") return changedLines("", content);
  if (tool !== "edit_file" || !Array.isArray(edits)) return undefined;
  const places = edits.map((edit): readonly string[] | undefined => {
    const { search, replace } = fieldsOf(edit);
    return typeof search === "string" && typeof replace === "string" ? changedLines(search, replace) : undefined;
  });
  if (!places.every((place) => place !== undefined)) return undefined;
  return places.flatMap((place, index) => (index === 0 ? place : ["⋮", ...place]));
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
