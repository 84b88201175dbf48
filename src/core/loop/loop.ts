// The loop: it states the order, nothing else. Everything that takes time yields what happens and returns what it made.

import { act } from "./act.js";
import { ask } from "./ask.js";
import { baseline } from "./baseline.js";
import { boundary } from "./boundary.js";
import { close } from "./close.js";
import type { Event } from "../ports/event.js";
import { inTime } from "./in-time.js";
import type { Conclusion } from "../ports/conclusion.js";
import { recheck } from "./recheck.js";
import type { Run } from "../run/run.js";
import { verify } from "./verify.js";

/** Iterates until an iteration gives a verdict. Unbounded on purpose. */
export async function* loop(run: Run): AsyncGenerator<Event, Conclusion, void> {
  yield* inTime(run, baseline);
  if (run.state.open) yield* inTime(run, finish);
  for (;;) {
    const verdict = yield* boundary(run);
    if (verdict !== undefined) return verdict;
    await run.turn();
    yield* inTime(run, iterate);
  }
}

/** One reply of the model and everything that follows from it. */
async function* iterate(run: Run): AsyncGenerator<Event, void, void> {
  yield* ask(run);
  if (run.state.open) yield* finish(run);
}

/** What follows from the last reply: all of it, or what a process left of it. */
async function* finish(run: Run): AsyncGenerator<Event, void, void> {
  const claim = yield* act(run);
  if (claim !== undefined) yield* verify(run, claim);
  yield* recheck(run);
  yield* close(run);
}
