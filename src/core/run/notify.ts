// Notify: the harness tells the model something between two iterations, and watchers that it did.

import type { Event } from "../ports/event.js";
import type { Notice } from "../journal/record.js";
import type { Run } from "./run.js";

/** Records it; the model reads the text with its next prompt. */
export async function* notify(run: Run, notice: Notice, text: string): AsyncGenerator<Event, void, void> {
  await run.append({ type: "notice", ...notice, text });
  yield { type: "notice", ...notice, text };
}
