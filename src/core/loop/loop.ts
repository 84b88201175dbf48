// The loop: it states the order of the stages, nothing else. Each stage yields events and returns its result.

import { act } from "./act.js";
import { ask } from "./ask.js";
import { baseline } from "./baseline.js";
import { boundary } from "./boundary.js";
import { close } from "./close.js";
import type { Stage } from "../ports/event.js";
import { inTime } from "./in-time.js";
import type { Conclusion } from "../ports/outcome.js";
import { recheck } from "./recheck.js";
import type { Run } from "../run/run.js";
import { verify } from "./verify.js";

/** Iterates until `boundary` returns a conclusion. Unbounded on purpose: limits end the run there. */
export function* loop(run: Run): Stage<Conclusion> {
  yield* inTime(run, baseline);
  if (run.state.open) yield* inTime(run, finish);
  for (;;) {
    const conclusion = yield* boundary(run);
    if (conclusion !== undefined) return conclusion;
    yield* run.turn();
    yield* inTime(run, iterate);
  }
}

/** Asks for one reply, then runs the stages that follow it. */
function* iterate(run: Run): Stage {
  yield* ask(run);
  if (run.state.open) yield* finish(run);
}

/** Runs the stages after a reply, or the stages that a process left undone. */
function* finish(run: Run): Stage {
  const claim = yield* act(run);
  if (claim !== undefined) yield* verify(run, claim);
  yield* recheck(run);
  yield* close(run);
}
