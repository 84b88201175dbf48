// The place where the input of a run is kept, as the events of the run tell it.

import type { Event } from "../core/index.js";

/**
 * The place where the input is kept once this event happens: the journal, or the inbox while another run has the session. Undefined if the
 * event does not tell. A run records its input before any event but its start; a run that ends at once has its end in its outcome.
 */
export function placeOfInput({ type }: Event): "journal" | "inbox" | undefined {
  if (type === "lease-wait") return "inbox";
  return type === "run-start" || type === "run-end" ? undefined : "journal";
}
