// Tells the model something between two iterations, and tells watchers that it did.

import { definitionToRecord } from "./definition-to-record.js";
import type { Event } from "../ports/event.js";
import type { Notice } from "../journal/record.js";
import type { Run } from "./run.js";

/** Records the notice and yields it as an event. The model reads the text in its next prompt. */
export async function* notify(run: Run, notice: Notice, text: string): AsyncGenerator<Event, void, void> {
  const changed = notice.about === "tools" ? definitionToRecord(run.state, run.parts.definition) : {};
  await run.append({ type: "notice", ...notice, text, ...changed });
  yield { type: "notice", ...notice, text };
}
