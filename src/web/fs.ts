// The part of node:fs that is left without files: a look that finds nothing.

function nothing(): never {
  throw new Error("There are no files here.");
}

export const readFileSync: () => never = nothing;
export const readlinkSync: () => never = nothing;
export const watch: () => never = nothing;
