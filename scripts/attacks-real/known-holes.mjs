// Holes that are known and not closed yet. A command that falls into one is counted, and does not fail the run.

/** Each with the way to tell it from the difference. `isRare`: a run of average length may not meet it. */
export const knownHoles = [
  {
    name: "a search that prints no lines, such as rg -l, reads secret files that nobody named",
    isRare: true,
    has: ({ kind, program }) => kind === "secret" && /\/(?:grep|rg)$/.test(program),
  },
  {
    name: "a redirection to /dev/null is believed after a blank that no shell takes for one",
    has: ({ kind, what }) =>
      /^(?:change|outside)$/.test(kind) &&
      (/"(?:\\[rvf]|\\\d{3})+(?:\/dev\/null|[012])"/.test(what) || /other\/blank$/.test(what)),
  },
  {
    name: "tac copies the input that comes from a pipe to a file in the temporary folder",
    isRare: true,
    has: ({ kind, program, what }) =>
      kind === "change" && program.endsWith("/tac") && /^(?:openat|unlink)\(.*\/tac\w{6}"/.test(what),
  },
];

/** The name of the known hole that a difference belongs to; undefined if it is new. */
export function holeOf(difference) {
  return knownHoles.find(({ has }) => has(difference))?.name;
}
