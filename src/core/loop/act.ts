// Act: runs the calls of one reply, reads in parallel, the rest in order, and records one result for each. Leaves the claim to `verify`.

import type { Call, Reply } from "../data/call.js";
import { withHint } from "../words/hint.js";
import type { Execution } from "../ports/hook.js";
import { failedExecution, leftAtWork, perform, recordResult, waits } from "../call/perform.js";
import { conflictingCalls, cutReply, noToolCall, tooManyCalls } from "../words/mistakes.js";
import { closingCall, refusedReply } from "../words/refusals.js";
import { resolve, type ResolvedCall, type UnresolvedCall } from "../call/resolve.js";
import type { Run } from "../run/run.js";
import { isWaiting } from "../journal/state.js";
import { follow } from "../time/abort.js";
import { sideBySide } from "../time/side-by-side.js";
import { wait } from "../time/stage.js";
import type { Stage } from "../ports/event.js";

/** At most this many calls of one reply run. The other calls get an answer that says so. */
const maxCalls = 128;

/**
 * Runs the calls of the last reply that have no result yet, up to the first that waits for an approval. Returns the claim, if no call
 * waits, exactly one call is a claim, and it has no result yet.
 */
export function* act(run: Run): Stage<ResolvedCall | undefined> {
  try {
    return yield* actOn(run, run.reply);
  } finally {
    run.early.discard();
  }
}

function* actOn(run: Run, reply: Reply): Stage<ResolvedCall | undefined> {
  yield* failReply(run);
  const resolved = refuseConflicts(yield* wait(resolveAll(run, reply)));
  const claim = resolved.find(isClaim);
  const unanswered = new Set(run.state.unanswered.map(({ callId }) => callId));
  const open = resolved.filter((ready) => ready !== claim && unanswered.has(ready.call.id));
  for (const group of groupReads(open)) {
    run.throwIfStopped();
    const waiting = waitingIn(run, group);
    const [first, ...others] = waiting.size === 0 ? group : group.filter((ready) => !waiting.has(ready));
    if (first !== undefined && others.length > 0) yield* runInParallel(run, [first, ...others]);
    else if (first !== undefined) yield* recordResult(run, first.call, yield* start(run, first));
    run.throwIfLeft();
    if (waitingIn(run, group).size > 0) return undefined;
  }
  return claim !== undefined && (isAnswered(run, claim.call) || waits(run, claim.call)) ? undefined : claim;
}

type Ready = ResolvedCall | UnresolvedCall;

/** The calls of the group that wait for an approval or an answer. A group may have thousands of calls, so each is not looked for. */
function waitingIn(run: Run, group: readonly Ready[]): ReadonlySet<Ready> {
  if (group.length === 1) return new Set(group.filter(({ call }) => waits(run, call)));
  const ids = new Set(run.state.unanswered.filter(isWaiting).map(({ callId }) => callId));
  return new Set(ids.size === 0 ? [] : group.filter(({ call }) => ids.has(call.id)));
}

/** Groups the calls in order: successive reads form one group, any other call is alone. */
function groupReads(calls: readonly Ready[]): readonly (readonly Ready[])[] {
  const groups: Ready[][] = [];
  for (const ready of calls) {
    const last = groups.at(-1);
    if (last?.[0] !== undefined && onlyReads(last[0]) && onlyReads(ready)) last.push(ready);
    else groups.push([ready]);
  }
  return groups;
}

/** True for a read, and for an unresolved call, which has no effect. */
function onlyReads(ready: Ready): boolean {
  return !("tool" in ready) || ready.frozen.effect === "read";
}

/** Runs the calls in parallel and records their results in order. If one call throws a fault, the other calls are stopped. */
function* runInParallel(run: Run, calls: readonly Ready[]): Stage {
  const stop = new AbortController();
  const unfollow = follow(stop, run.signal);
  const group = run.within(stop.signal);
  try {
    yield* sideBySide(calls, {
      most: run.parts.maxParallelReads,
      start: (ready) => start(group, ready),
      settle: ({ call }, execution) => recordResult(run, call, execution),
      stop: () => {
        stop.abort(new DOMException("Another call came to a fault.", "AbortError"));
      },
    });
  } finally {
    unfollow();
  }
}

/** Performs one call. An unresolved call fails. So does a call that a process left while it ran, unless its tool is idempotent. */
function* start(run: Run, ready: Ready): Stage<Execution> {
  yield { type: "call-start", call: ready.call };
  if (!("tool" in ready)) return failedExecution(ready);
  const failure = leftAtWork(run, ready);
  return failure === undefined ? yield* perform(run, ready) : { ok: false, failure };
}

/** Resolves the calls. A cut or refused reply runs none, too many only the first, the closing iteration only loop-breaking calls. */
async function resolveAll(run: Run, reply: Reply): Promise<readonly Ready[]> {
  const resolved = await resolveEach(run, reply);
  if (run.state.closing === undefined) return resolved;
  return resolved.map((ready) =>
    "tool" in ready && !endsRun(ready) ? { call: ready.call, failure: closingCall(ready.tool.name) } : ready,
  );
}

function resolveEach(run: Run, { calls, finish }: Reply): Promise<readonly Ready[]> {
  const { tools } = run.parts;
  const { unanswered } = run.state;
  if (finish === "refused") return Promise.resolve(calls.map((call) => ({ call, failure: refusedReply(call.name) })));
  return Promise.all(
    calls.map(async (call, index) => {
      if (finish === "cut") return { call, failure: cutReply(call.name) };
      if (index >= maxCalls) return { call, failure: tooManyCalls(call.name, maxCalls) };
      return resolve(tools, call, unanswered.find(({ callId }) => callId === call.id)?.principal);
    }),
  );
}

/** Two or more claims in one reply conflict: all fail. */
function refuseConflicts(resolved: readonly Ready[]): typeof resolved {
  const names = resolved.filter(isClaim).map(({ tool }) => tool.name);
  if (names.length < 2) return resolved;
  return resolved.map((ready) =>
    isClaim(ready) ? { call: ready.call, failure: conflictingCalls(ready.tool.name, names) } : ready,
  );
}

/** True if the call has its result already, recorded by a process that left the run. */
function isAnswered({ state }: Run, { id }: Call): boolean {
  return !state.unanswered.some(({ callId }) => callId === id);
}

function isClaim(ready: Ready): ready is ResolvedCall {
  return "tool" in ready && breaks(ready);
}

/** False for a hand-over: the run goes on after it. */
function endsRun(ready: ResolvedCall): boolean {
  return breaks(ready) && ready.tool.ending !== "handed-over";
}

function breaks({ tool, frozen }: ResolvedCall): boolean {
  return tool.breaks(frozen.input);
}

/** Records the failure of a reply without calls. Does nothing if the provider refused, or if the failure is recorded already. */
export function* failReply(run: Run): Stage {
  const { reply, state, parts } = run;
  if (reply.calls.length > 0 || reply.finish === "refused" || state.failures.length > 0) return;
  const why = reply.finish === "cut" ? cutReply() : noToolCall(reply.text, parts.tools);
  const failure = withHint(why, state, parts.tools, parts.circuit);
  yield* wait(run.append({ type: "error-context", failure }));
  // With `onText`, watchers have seen the words as an answer.
  if (parts.onText !== undefined && reply.text.trim() !== "")
    yield { type: "reply-retracted", reason: "The reply was cut, so its words are no answer." };
  yield { type: "reply-failure", failure };
}
