// A replay in lines for people.

import type { Departure } from "./difference-words.js";
import type { Replayed } from "./replay.js";

/** The lines about a replay: each departure with its differences, what follows from it, and the end. */
export function replayLines({ departures, end, unsaid, remarks }: Replayed): readonly string[] {
  const lines = departures.flatMap((departure, index) => departureLines(departure, index === 0));
  const ends =
    end.was === end.is ? `ends as it did: ${short(end.was)}` : `ended: ${short(end.was)}; ends: ${short(end.is)}`;
  return [
    ...(departures.length === 0 ? ["It goes the same way."] : lines),
    ends,
    ...(unsaid === 0 ? [] : [`not asked for: ${String(unsaid)} of the recorded replies`]),
    ...remarks,
  ];
}

/** The lines about one departure. */
function departureLines({ at, kind, differences, follows }: Departure, isFirst: boolean): readonly string[] {
  const shown = follows.slice(0, 5).join(", ");
  const more = follows.length > 5 ? ` and ${String(follows.length - 5)} more` : "";
  return [
    `${isFirst ? "departs at" : "and at"} ${at} (${kind})`,
    ...differences.map(({ words }) => `  ${words}`),
    ...(follows.length === 0 ? [] : [`  follows: ${shown}${more}`]),
  ];
}

function short(text: string): string {
  return text.length > 100 ? `${text.slice(0, 99)}…` : text;
}
