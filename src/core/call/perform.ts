// Performs one resolved call: hooks, permission, the tool's run. Records the decision, the intent and the result as they happen.

import { describeAttachment, takesType, type Attachment, type NewAttachment } from "../data/attachment.js";
import type { Call } from "../data/call.js";
import { clip, readerName } from "../journal/clip.js";
import type { Event, Stage } from "../ports/event.js";
import { describeFailure, failure, type Failure } from "../data/failure.js";
import { explain } from "../data/fault.js";
import { around, inContext, type Execution } from "../ports/hook.js";
import { withHint } from "../words/hint.js";
import { deepFreeze, lostIn, toJson, type Json } from "../data/json.js";
import type { FrozenCall } from "../ports/permission.js";
import { describeThrown, type Thrown } from "../data/thrown.js";
import { isWaiting } from "../journal/state.js";
import { sound } from "../text/sound.js";
import { isOutside } from "../journal/outside.js";
import { denied, interrupted } from "../words/refusals.js";
import type { JournalRecord, JournalResult } from "../journal/record.js";
import { permit } from "./permit.js";
import { resolve, type ResolvedCall, type UnresolvedCall } from "./resolve.js";
import type { Run } from "../run/run.js";
import { redactExecution } from "../run/redaction.js";
import { runTool } from "./run-tool.js";
import { startInBackground } from "./start-work.js";
import { startedWork } from "../words/notices.js";
import { sourceOf, stageOf, wait } from "../time/stage.js";

/** Passes the call through the hooks and the permission, then runs its tool. */
export function perform(run: Run, ready: ResolvedCall): Stage<Execution> {
  const hooks = run.parts.hooks.flatMap((hook) => inContext(hook.call?.bind(hook), run.context) ?? []);
  if (hooks.length === 0) return execute(run, ready);
  const innermost = (frozen: FrozenCall): AsyncGenerator<Event, Execution, void> =>
    sourceOf(frozen === ready.frozen ? execute(run, ready) : executeChanged(run, frozen));
  return stageOf(around(hooks, innermost, run.signal)(ready.frozen));
}

/** The failure of a call that a process left after its intent record, with unknown effects; undefined for any other call. */
export function leftAtWork({ state }: Run, { call, tool }: ResolvedCall): Failure | undefined {
  const wasIntended = state.unanswered.some(({ callId, intended }) => callId === call.id && intended);
  return wasIntended && !tool.idempotent ? interrupted(tool.name, "unknown") : undefined;
}

/** True if the call waits for an approval or an answer. */
export function waits({ state }: Run, { id }: Call): boolean {
  // The call is mostly the first of a reply that may have thousands.
  const call = state.unanswered.find(({ callId }) => callId === id);
  return call !== undefined && isWaiting(call);
}

/** Records the result of a call and yields it as an event. A call that waits gets none, and none whose agent was suspended. */
export function* recordResult(run: Run, call: Call, execution: Execution): Stage {
  if (waits(run, call) || run.hasLeft(call.id)) return;
  const { result, error } = yield* wait(executed(run, call, execution));
  yield* wait(run.append({ type: "result", result }));
  yield { type: "call-end", result, ...(error !== undefined && { error }) };
  const { streams, ending = "never" } = run.parts.tools.find(call.name)?.tool ?? {};
  if (result.failure !== undefined && streams !== undefined && ending !== "never")
    yield { type: "claim-retracted", callId: call.id, tool: call.name, failure: result.failure };
}

/** The result of an execution for the journal, without secrets, and the error that its tool threw. */
export async function executed(
  run: Run,
  call: Pick<Call, "id" | "name">,
  execution: Execution,
): Promise<{ readonly result: JournalResult; readonly error?: Thrown }> {
  const redacted = redactExecution(run.parts.secrets, execution);
  const bare = resultOf(run, call, redacted);
  const whole =
    redacted.ok && redacted.attachments !== undefined ? await withFiles(run, bare, redacted.attachments) : bare;
  const error = redacted.ok ? undefined : redacted.error;
  return { result: clipped(run, marked(run, whole)), ...(error !== undefined && { error: describeThrown(error) }) };
}

/** Keeps the files of a successful call and names them in its result. A file that the model does not take is told in words. */
async function withFiles(
  run: Run,
  result: JournalResult,
  files: readonly (NewAttachment | Attachment)[],
): Promise<JournalResult> {
  if (!result.ok) return result;
  const { model, secrets } = run.parts;
  const kept = await Promise.all(files.map((file) => run.attachments.keep(file)));
  const attachments = secrets.data(kept.filter(({ mediaType }) => takesType(model.attachments ?? ["*"], mediaType)));
  const left = kept.filter(({ mediaType }) => !takesType(model.attachments ?? ["*"], mediaType));
  const lines = left.map((file) =>
    secrets.text(describeAttachment(file, `not shown, because ${model.name} takes no such files`)),
  );
  return {
    ...result,
    text: [result.text, ...lines].join("\n"),
    ...(attachments.length > 0 && { attachments }),
  };
}

/** Adds the clipped text that the prompt shows. A result of the reader tool is not clipped: the tool bounds it itself. */
function clipped({ parts: { clip: bound, tools } }: Run, result: JournalResult): JournalResult {
  const { text, callId, name } = result;
  if (bound === undefined || name === readerName) return result;
  const shown = clip(text, { most: bound, callId, isReadable: tools.find(readerName) !== undefined });
  return shown === undefined ? result : { ...result, shown };
}

/** Marks a result whose words come from outside. The reader tool can read any result, so its results are marked after any marked result. */
function marked({ parts, memory }: Run, result: JournalResult): JournalResult {
  const tool = parts.tools.find(result.name)?.tool;
  if (tool === undefined || (result.failure ?? { kind: "tool_error" }).kind !== "tool_error") return result;
  const fromOutside = (record: JournalRecord): boolean => record.type === "result" && record.result.from === "outside";
  const isFromOutside = isOutside(tool, !result.ok) || (tool.name === readerName && memory.records.some(fromOutside));
  return isFromOutside ? { ...result, from: "outside" } : result;
}

/** The end of a call that could not be resolved. */
export function failedExecution({ failure, error }: UnresolvedCall): Execution {
  return { ok: false, failure, ...(error !== undefined && { error }) };
}

/** The result of a failed call. */
export function failedResult(callId: string, name: string, why: Failure): JournalResult {
  return { callId, name, ok: false, text: describeFailure(why), failure: why };
}

function resultOf({ parts, state }: Run, { id, name }: Pick<Call, "id" | "name">, execution: Execution): JournalResult {
  const value = execution.ok ? execution.value : undefined;
  const unwritable = value === undefined ? undefined : whyUnwritable(name, value);
  const why = execution.ok ? unwritable : execution.failure;
  if (why !== undefined) return failedResult(id, name, withHint(why, state, parts.tools, parts.circuit));
  const text = typeof value === "string" ? value : (toJson(value) ?? "Done.");
  const { remarks = [], notes } = execution.ok ? execution : {};
  const whole = parts.secrets.text(sound([text, ...remarks].join("\n\n")));
  return { callId: id, name, ok: true, text: whole, ...(notes !== undefined && { notes: parts.secrets.data(notes) }) };
}

/** The failure of a call that returned a value without JSON: the value can be neither shown nor stored. Undefined if it has JSON. */
export function whyUnwritable(tool: string, value: unknown): Failure | undefined {
  // Every text has JSON. Long texts are common, so they are not written to see that.
  if (typeof value === "string") return undefined;
  let reason: string;
  try {
    const text = toJson(value);
    const lost = text === undefined ? typeof value : lostIn(value, text);
    if (lost === undefined) return undefined;
    reason = `there is no JSON for a ${lost}`;
  } catch (thrown) {
    reason = explain(thrown);
  }
  const message = `It ran, but what it returned can't be written as JSON: ${reason}.`;
  return failure("tool_error", { tool, message, advice: "Go another way." });
}

/** Runs a call that a hook has changed. It is resolved like a call of the model, so its arguments are validated and frozen. */
function* executeChanged(run: Run, { id, name, input, principal }: FrozenCall): Stage<Execution> {
  const ready = yield* wait(resolve(run.parts.tools, { type: "call", id, name, input: copied(input) }, principal));
  return "tool" in ready ? yield* execute(run, ready) : failedExecution(ready);
}

/**
 * A copy by way of JSON: it has no getters, and nobody else can change it.
 * @throws TypeError if the value has no JSON.
 */
function copied(value: unknown): Json {
  return JSON.parse(toJson(value) ?? "null") as Json;
}

function* execute(run: Run, ready: ResolvedCall): Stage<Execution> {
  const { frozen, tool } = ready;
  const { id: callId, effect } = frozen;
  const permitted = yield* permit(run, ready);
  // Hooks see a denial. The call gets no result, because the journal says that it is parked.
  if (permitted === undefined)
    return failedExecution({
      call: ready.call,
      failure: denied(tool.name, "nobody has approved it yet", frozen.input),
    });
  const { error, ...decision } = permitted;
  if (!decision.allowed)
    return failedExecution({ call: ready.call, failure: denied(tool.name, decision.reason, frozen.input), error });
  if (effect !== "none" && effect !== "read") yield* wait(run.append({ type: "intent", callId }));
  // The process may die in the tool.
  else yield* wait(run.lease?.stored());
  if (tool.background === true) {
    const work = yield* wait(startInBackground(run, tool, { call: frozen, decision: deepFreeze(decision) }));
    return { ok: true, value: startedWork(work) };
  }
  const early = run.early.take(ready.call, run.signal);
  if (early !== undefined) return yield* stageOf(early);
  return yield* runTool(run, tool, { call: frozen, decision: deepFreeze(decision) });
}
