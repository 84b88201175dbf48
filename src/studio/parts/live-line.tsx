// The present moment of a run, below its timeline.

import type { JSX } from "preact";
import { tailOf } from "../../core/internal.js";
import { nothing, type Live } from "../data/live.js";
import { visible } from "../data/shown-words.js";

/** Characters of the words that are shown while they come. */
const shown = 400;

/** The words that the model writes, the calls that it makes, and what happens besides. Nothing if nothing happens. */
export function LiveLine({ live }: { readonly live: Live }): JSX.Element | null {
  if (live === nothing) return null;
  const words = live.text === "" ? live.reasoning : live.text;
  return (
    <div class="live" aria-live="off">
      <span class="pulse" />
      <span class="live-note">{visible([...live.calls, live.note].filter(Boolean).join(" · "))}</span>
      <span class={live.text === "" ? "live-text dim" : "live-text"}>{visible(tailOf(words, shown))}</span>
    </div>
  );
}
