// Act: every call of the reply gets its result, in the reply's order, reads side by side; a claim is left standing for `verify`.

import type { Call, Reply } from "../data/call.js";
import type { Event } from "../ports/event.js";
import { withHint } from "../words/hint.js";
import type { Execution } from "../ports/hook.js";
import { leftAtWork, perform, settle } from "../call/perform.js";
import { conflictingCalls, cutReply, noToolCall } from "../words/mistakes.js";
import { closingCall, refusedReply } from "../words/refusals.js";
import { resolve, type ResolvedCall, type UnresolvedCall } from "../call/resolve.js";
import type { Run } from "../run/run.js";
import { sideBySide } from "../time/side-by-side.js";

/** Calls that only read run so many at a time. */
const most = 4;

/** Runs what is to be run. Returns the claim, where exactly one call of the reply makes one. */
export async function* act(run: Run): AsyncGenerator<Event, ResolvedCall | undefined, void> {
  const { reply } = run;
  yield* blame(run);
  const resolved = refuseConflicts(await resolveAll(run, reply));
  const claim = resolved.find(isClaim);
  const open = resolved.filter((ready) => ready !== claim && !isAnswered(run, ready.call));
  for (const group of groups(open)) {
    run.signal.throwIfAborted();
    const [first, ...others] = group;
    if (others.length > 0) yield* together(run, group);
    else if (first !== undefined) yield* settle(run, first.call, yield* started(run, first));
  }
  return claim !== undefined && isAnswered(run, claim.call) ? undefined : claim;
}

type Ready = ResolvedCall | UnresolvedCall;

/** What may run side by side, and in which order: reads that follow each other, and everything else alone. */
function groups(calls: readonly Ready[]): readonly (readonly Ready[])[] {
  const found: Ready[][] = [];
  for (const ready of calls) {
    const last = found.at(-1);
    if (last?.every(onlyReads) === true && onlyReads(ready)) last.push(ready);
    else found.push([ready]);
  }
  return found;
}

/** A call that fails before it runs does nothing either. */
function onlyReads(ready: Ready): boolean {
  return !("tool" in ready) || ready.frozen.effect === "read";
}

/** Runs them at a time, and records their results in order. Where one comes to a fault, the others are stopped. */
async function* together(run: Run, calls: readonly Ready[]): AsyncGenerator<Event, void, void> {
  const stop = new AbortController();
  const before = run.signal;
  const forward = (): void => {
    stop.abort(before.reason);
  };
  if (before.aborted) forward();
  else before.addEventListener("abort", forward, { once: true });
  run.signal = stop.signal;
  try {
    yield* sideBySide(calls, {
      most,
      start: (ready) => started(run, ready),
      settle: ({ call }, execution) => settle(run, call, execution),
      stop: () => {
        stop.abort(new DOMException("Another call came to a fault.", "AbortError"));
      },
    });
  } finally {
    run.signal = before;
    before.removeEventListener("abort", forward);
  }
}

/** A call that can't be resolved fails; so does one that a process left at work, unless it may be done again. */
async function* started(run: Run, ready: Ready): AsyncGenerator<Event, Execution, void> {
  yield { type: "call-start", call: ready.call };
  if (!("tool" in ready)) return { ok: false, failure: ready.failure };
  const unknown = leftAtWork(run, ready);
  return unknown === undefined ? yield* perform(run, ready) : { ok: false, failure: unknown };
}

/** A reply that was cut or refused runs nothing; in the last iteration, nothing runs but what ends the run. */
async function resolveAll(run: Run, reply: Reply): Promise<readonly Ready[]> {
  const resolved = await resolveEach(run, reply);
  if (run.state.closing === undefined) return resolved;
  return resolved.map((ready) =>
    "tool" in ready && !breaks(ready) ? { call: ready.call, failure: closingCall(ready.tool.name) } : ready,
  );
}

function resolveEach(run: Run, { calls, finish }: Reply): Promise<readonly Ready[]> {
  const { tools } = run.parts;
  if (finish === "refused") return Promise.resolve(calls.map((call) => ({ call, failure: refusedReply(call.name) })));
  return Promise.all(
    calls.map(async (call) => (finish === "cut" ? { call, failure: cutReply(call.name) } : resolve(tools, call))),
  );
}

/** A reply may end the loop once: of two claims, none stands. */
function refuseConflicts(resolved: readonly Ready[]): typeof resolved {
  const names = resolved.filter(isClaim).map(({ tool }) => tool.name);
  if (names.length < 2) return resolved;
  return resolved.map((ready) =>
    isClaim(ready) ? { call: ready.call, failure: conflictingCalls(ready.tool.name, names) } : ready,
  );
}

/** True where a process that left the run had come so far. */
function isAnswered({ state }: Run, { id }: Call): boolean {
  return !state.unanswered.some(({ callId }) => callId === id);
}

function isClaim(ready: Ready): ready is ResolvedCall {
  return "tool" in ready && breaks(ready);
}

function breaks({ tool, frozen }: ResolvedCall): boolean {
  return tool.breaks(frozen.input);
}

/** Says what is wrong with a reply that has no call to answer, unless that was said: it is refused, or a process that left came so far. */
export async function* blame(run: Run): AsyncGenerator<Event, void, void> {
  const { reply, state, parts } = run;
  if (reply.calls.length > 0 || reply.finish === "refused" || state.failures.length > 0) return;
  const why = reply.finish === "cut" ? cutReply() : noToolCall(reply.text, parts.tools);
  const failure = withHint(why, state, parts.tools, parts.circuit);
  await run.append({ type: "error-context", failure });
  // With `onText` words are an answer, and were shown as one.
  if (parts.onText !== undefined && reply.text.trim() !== "")
    yield { type: "reply-retracted", reason: "The reply was cut, so its words are no answer." };
  yield { type: "reply-failure", failure };
}
