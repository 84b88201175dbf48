// The text of an abort: its reason and its giver, as engines keep and pass it.

import type { Principal } from "../../core/index.js";
import { abortBy, readPrincipal } from "../../core/internal.js";

/** Parts the reason of an abort from its giver. A reason has none. */
const mark = "\u001f";

/** The reason of an abort and its giver as one text, which every engine keeps. An engine that shortens it loses the giver alone. */
export function stopText(reason: string, by: Principal | undefined): string {
  const words = reason.replaceAll(mark, " ");
  return by === undefined ? words : `${words}${mark}${JSON.stringify(by)}`;
}

/** The reason with which the signal of a run aborts, from such a text. */
export function stopReason(text: string): Error {
  const [words = "", giver = ""] = text.split(mark, 2);
  try {
    return abortBy(words, giver === "" ? undefined : readPrincipal(JSON.parse(giver), "by"));
  } catch {
    // The text was shortened.
    return abortBy(words, undefined);
  }
}
