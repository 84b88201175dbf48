// Remember: a session's records while a run goes on, the prompt that follows from them, and the steps that keep it short.

import { LastcallError, type JournalRecord, type Memory, type Session } from "../../core/index.js";
import type { PromptRewrite } from "../../core/internal.js";
import { Prompt } from "./prompt.js";
import { Shortener, type ShortenerBounds } from "./shortener.js";

/** Opens a session's memory. The session given is not changed: appending goes to a copy of its records. */
export function remember(session: Session, bounds: ShortenerBounds): Memory {
  const records: JournalRecord[] = [];
  const prompt = new Prompt(records);
  const shortener = new Shortener(prompt, records, bounds);
  let rewritten: PromptRewrite["reason"] | undefined;
  /** How many of the messages a request has had: those before the last reply, and those that were recalled. */
  let shown = 0;

  function append(record: JournalRecord): void {
    records.push(record);
    if (record.type === "reply") {
      shown = prompt.messages.length;
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
      shown = prompt.messages.length;
      return prompt.messages;
    },
  };
}

/** What keeps whoever wraps a memory and swallows its records from an endless loop. */
function withoutEffect(step: string): LastcallError {
  const message = `The ${step} of the prompt was recorded and changed nothing: did its record come back through append?`;
  return new LastcallError("bug", message);
}
