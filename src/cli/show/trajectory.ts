// A session as a trajectory in ATIF 1.7, the Agent Trajectory Interchange Format of Harbor: for its viewers, and for training.

import { describeAttachment, isPlainObject, reasoningIn, verificationOf } from "../../core/internal.js";
import {
  addUsage,
  noUsage,
  type Attachment,
  type Call,
  type Definition,
  type JournalRecord,
  type Session,
} from "../../core/index.js";

/** A step of the trajectory. Its number is its place, from 1. */
interface Step {
  readonly source: "system" | "user" | "agent";
  readonly message: string;
  readonly timestamp: string;
  readonly model_name?: string | undefined;
  readonly reasoning_content?: string | undefined;
  readonly tool_calls?: readonly ToolCall[] | undefined;
  observation?: { readonly results: ObservationResult[] };
  readonly metrics?: Readonly<Record<string, number>>;
  readonly llm_call_count?: number;
  extra?: Record<string, unknown>;
}

interface ToolCall {
  readonly tool_call_id: string;
  readonly function_name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
}

interface ObservationResult {
  readonly source_call_id?: string;
  readonly content: string;
  readonly subagent_trajectory_ref?: readonly { readonly trajectory_id: string }[] | undefined;
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** The session as plain data in ATIF 1.7, with the sessions of its own agents inside. `version` is the version of lastcall. */
export function trajectoryOf(session: Session, version: string): Readonly<Record<string, unknown>> {
  return trajectory(session, version, session.children ?? {});
}

function trajectory(
  { id, records }: Session,
  version: string,
  children: Readonly<Record<string, Session>>,
): Readonly<Record<string, unknown>> {
  const texts = textsIn(records);
  const definition = definitionsIn(records)[0];
  const steps = stepsOf(records, texts, children);
  const usage = records
    .flatMap((record) => (record.type === "reply" ? [record.reply.usage] : []))
    .reduce(addUsage, noUsage);
  const ended = records.filter((record) => record.type === "outcome").at(-1);
  const embedded = records.flatMap((record) => {
    const child = record.type === "child" ? children[record.callId] : undefined;
    return child === undefined ? [] : [{ trajectory_id: child.id, ...trajectory(child, version, children) }];
  });
  return {
    schema_version: "ATIF-v1.7",
    session_id: id,
    agent: {
      name: "lastcall",
      version,
      ...(definition !== undefined && { model_name: definition.model, tool_definitions: toolsOf(definition, texts) }),
    },
    // The format has no trajectory without a step.
    steps: (steps.length > 0 ? steps : [emptyStep]).map((step, index) => ({ step_id: index + 1, ...step })),
    final_metrics: {
      total_prompt_tokens: usage.inputTokens,
      total_completion_tokens: usage.outputTokens,
      total_cached_tokens: usage.cachedInputTokens,
      total_steps: Math.max(1, steps.length),
    },
    ...(ended !== undefined && { extra: { status: ended.status, reason: ended.reason, message: ended.message } }),
    ...(embedded.length > 0 && { subagent_trajectories: embedded }),
  };
}

const emptyStep: Step = {
  source: "system",
  message: "The session has no records.",
  timestamp: new Date(0).toISOString(),
};

/** The steps of a session in progress, and the agents in its tools. */
interface Told {
  readonly steps: Step[];
  readonly children: Readonly<Record<string, Session>>;
}

function stepsOf(
  records: readonly JournalRecord[],
  texts: Texts,
  children: Readonly<Record<string, Session>>,
): readonly Step[] {
  const steps: Step[] = [];
  for (const record of records) {
    const timestamp = new Date(record.at).toISOString();
    const system = systemPromptOf(record, texts);
    if (system !== undefined) steps.push({ source: "system", message: system, timestamp });
    const step = stepIn(record);
    if (step !== undefined) steps.push({ ...step, timestamp });
    addTo({ steps, children }, record);
  }
  return steps;
}

/** The step that a record is, without its time. Undefined if it belongs to another step, or to none. */
function stepIn(record: JournalRecord): Omit<Step, "timestamp"> | undefined {
  if (record.type === "reply") return agentStep(record);
  if (record.type === "answer") return { source: "user", message: textOf(record.value) };
  if (record.type === "input" || record.type === "steer") {
    const message = withFiles(record.text, record.attachments);
    return message === "" ? undefined : { source: "user", message };
  }
  if (record.type === "notice") return { source: "system", message: record.text, extra: { about: record.about } };
  if (record.type === "fold")
    return { source: "system", message: record.summary, extra: { replaces_records_before: record.before } };
  if (record.type === "hand-over")
    return { source: "system", message: record.text, extra: { speakers: record.speakers } };
  if (record.type === "check")
    return {
      source: "system",
      message: `check ${record.check} (${record.when}): ${record.passed ? "passed" : "did not pass"}`,
      observation: { results: [{ content: record.output }] },
    };
  return undefined;
}

/** Adds a result, a failure or the acceptance of a claim to the step whose call it is about. */
function addTo({ steps, children }: Told, record: JournalRecord): void {
  /** The step with the call, or the last step of the model. */
  const asking = (callId?: string): Step | undefined =>
    steps.findLast(({ tool_calls: calls = [], source }) =>
      callId === undefined ? source === "agent" : calls.some((call) => call.tool_call_id === callId),
    );
  const observe = (result: ObservationResult): void => {
    const step = asking(result.source_call_id);
    if (step !== undefined) (step.observation ??= { results: [] }).results.push(result);
  };
  if (record.type === "result") {
    const { callId, text, shown, ok, failure, attachments } = record.result;
    const child = children[callId];
    observe({
      source_call_id: callId,
      content: withFiles(shown ?? text, attachments),
      ...(child !== undefined && { subagent_trajectory_ref: [{ trajectory_id: child.id }] }),
      ...(!ok && { extra: { failure: failure?.kind } }),
    });
  }
  if (record.type === "error-context")
    observe({ content: record.failure.message, extra: { failure: record.failure.kind } });
  if (record.type === "claim") {
    const step = asking(record.callId);
    const verified = record.ending === "completed" ? { verified: verificationOf(record.receipts) } : {};
    if (step !== undefined) step.extra = { ...step.extra, accepted: record.callId, ...verified };
  }
}

function agentStep({ reply, iteration }: Extract<JournalRecord, { type: "reply" }>): Omit<Step, "timestamp"> {
  const { text, calls, usage, extras, served, model, finish } = reply;
  const reasoning = reasoningIn(extras).join("\n\n");
  const name = model ?? served?.model;
  return {
    source: "agent",
    message: text,
    ...(name !== undefined && { model_name: name }),
    ...(reasoning !== "" && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls.map(toolCallOf) }),
    metrics: {
      prompt_tokens: usage.inputTokens,
      completion_tokens: usage.outputTokens,
      cached_tokens: usage.cachedInputTokens,
    },
    llm_call_count: 1,
    extra: { iteration, finish },
  };
}

/** The call. Arguments that are no object, or could not be read, stand beside an empty object. */
function toolCallOf(call: Call): ToolCall {
  const base = { tool_call_id: call.id, function_name: call.name };
  if (call.type === "unreadable-call") return { ...base, arguments: {}, extra: { unreadable: call.source } };
  return isPlainObject(call.input)
    ? { ...base, arguments: call.input, ...(call.source !== undefined && { extra: { written: call.source } }) }
    : { ...base, arguments: {}, extra: { value: call.input } };
}

/** Texts by their digests. */
type Texts = Readonly<Record<string, string>>;

function definitionsIn(records: readonly JournalRecord[]): readonly Definition[] {
  return records.flatMap((record) => ("definition" in record ? [record.definition] : []));
}

function textsIn(records: readonly JournalRecord[]): Texts {
  return Object.assign({}, ...definitionsIn(records).map(({ texts = {} }) => texts)) as Texts;
}

function systemPromptOf(record: JournalRecord, texts: Texts): string | undefined {
  const system = "definition" in record ? record.definition.system : undefined;
  return system === undefined ? undefined : texts[system];
}

/** The tools in the form of OpenAI's function calling, as far as the journal has their descriptions. */
function toolsOf({ tools }: Definition, texts: Texts): readonly unknown[] {
  return Object.values(tools).flatMap((digest) => {
    const text = texts[digest];
    return text === undefined ? [] : [{ type: "function", function: JSON.parse(text) as unknown }];
  });
}

function withFiles(text: string, attachments: readonly Attachment[] = []): string {
  return [text, ...attachments.map((attachment) => describeAttachment(attachment))]
    .filter((line) => line !== "")
    .join("\n");
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
