// The loop: it states the order, nothing else. Everything that takes time yields what happens and returns what it made.

import { act } from "./act.js";
import { ask } from "./ask.js";
import { close } from "./close.js";
import type { Event } from "./event.js";
import { judge, type Verdict } from "./judge.js";
import type { Run } from "./run.js";
import { verify } from "./verify.js";

/** Iterates until an iteration gives a verdict. Unbounded on purpose. */
export async function* loop(run: Run): AsyncGenerator<Event, Verdict, void> {
  for (;;) {
    await run.parts.runtime.turn();
    run.signal.throwIfAborted();
    yield* iterate(run);
    const verdict = judge(run.state, run.parts);
    if (verdict !== undefined) return verdict;
  }
}

/** One reply of the model and everything that follows from it. */
async function* iterate(run: Run): AsyncGenerator<Event, void, void> {
  const iteration = run.state.iteration + 1;
  yield { type: "iteration-start", iteration };
  const reply = yield* ask(run, iteration);
  await run.append({ type: "reply", iteration, reply });
  const claim = yield* act(run, reply);
  if (claim !== undefined) yield* verify(run, claim);
  yield* close(run);
}
