// Tells the model something between two iterations, and tells watchers that it did.

import { definitionToRecord } from "./definition-to-record.js";
import type { Notice } from "../journal/record.js";
import type { Run } from "./run.js";
import { wait } from "../time/stage.js";
import type { Stage } from "../ports/event.js";

/** Records the notice and yields it as an event. The model reads the text in its next prompt. */
export function* notify(run: Run, notice: Notice, text: string): Stage {
  const changed = notice.about === "tools" ? definitionToRecord(run.state, run.parts.definition) : {};
  yield* wait(run.append({ type: "notice", ...notice, text, ...changed }));
  yield { type: "notice", ...notice, text };
}
