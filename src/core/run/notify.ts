// Tells the model something between two iterations, and tells watchers that it did.

import type { Event } from "../ports/event.js";
import type { Notice } from "../journal/record.js";
import type { Run } from "./run.js";

/** Records the notice and yields it as an event. The model reads the text in its next prompt. */
export async function* notify(run: Run, notice: Notice, text: string): AsyncGenerator<Event, void, void> {
  await run.append({ type: "notice", ...notice, text });
  yield { type: "notice", ...notice, text };
}
