// Remember: the shared core of the memories. It keeps the records of a session, its prompt, and shortens the prompt if needed.

import { LastcallError, type JournalRecord, type Memory, type Session } from "../../core/index.js";
import type { PromptRewrite } from "../../core/internal.js";
import { Prompt } from "./prompt.js";
import { Shortener, type ShortenerBounds } from "./shortener.js";

/** Opens the memory of a session. The session itself is not changed: new records are appended to a copy. */
export function remember(session: Session, bounds: ShortenerBounds): Memory {
  const records: JournalRecord[] = [];
  const prompt = new Prompt(records);
  const shortener = new Shortener(prompt, records, bounds);
  let rewritten: PromptRewrite["reason"] | undefined;
  /** The number of messages that a request already contained: the messages before the last reply, or the messages last recalled. */
  let shown = 0;

  function append(record: JournalRecord): void {
    records.push(record);
    if (record.type === "reply") {
      shown = prompt.length;
      rewritten = undefined;
    }
    rewritten = prompt.show(record, shown) ?? rewritten;
    shortener.see(record);
  }

  function* declare(): Generator<PromptRewrite, void, void> {
    if (rewritten !== undefined) yield { type: "prompt-rewrite", reason: rewritten };
    rewritten = undefined;
  }

  session.records.forEach(append);
  return {
    records,
    append,
    async *recall(recalling) {
      yield* declare();
      shortener.begin(recalling);
      for (;;) {
        const step = await shortener.next(recalling);
        if (step === undefined) break;
        const before = prompt.characters;
        await recalling.append(step);
        if (prompt.characters >= before) throw withoutEffect(step.type);
        yield* declare();
      }
      shown = prompt.length;
      return prompt.messages;
    },
  };
}

/** The fault for a memory wrapper that swallows records. Without it, `recall` would loop forever. */
function withoutEffect(step: string): LastcallError {
  const message = `The ${step} of the prompt was recorded and changed nothing: did its record come back through append?`;
  return new LastcallError("bug", message);
}
