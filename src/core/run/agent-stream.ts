// The stream of a run, as its reader sees it.

import type { Event } from "../ports/event.js";
import type { Decision, Later } from "../data/decision.js";
import type { Outcome } from "../ports/outcome.js";
import type { Tool } from "../ports/tool.js";

/**
 * The events of one run. Leaving the stream early (a `break` in `for await`) aborts the run and waits until its tools have stopped and its
 * journal is complete.
 */
export interface AgentStream<
  Tools extends readonly Tool[] = readonly Tool[],
  Answer extends Decision | Later = Decision,
> extends AsyncIterableIterator<Event<Tools, Answer>, Outcome<Tools, Answer>, undefined> {
  /** Resolves when the stream has been read to its end or left; never rejects. The run goes on only while the stream is read. */
  readonly outcome: Promise<Outcome<Tools, Answer>>;
  return(): Promise<IteratorReturnResult<Outcome<Tools, Answer>>>;
}
