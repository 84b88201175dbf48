// Describes the spans of runs: their names, their attributes, and how they end.

import type { AnyOutcome, Attachment, Usage, Verification } from "../../core/index.js";
import type { Attributes } from "../data/api.js";
import { outputValue, userMessage } from "./content.js";
import { attribute, operation } from "../data/names.js";
import { tokens, type Privacy, type SpanEnd, type SpanStart } from "./span-parts.js";

/** The facts about a run that all of its spans share. */
export interface RunFacts {
  /** The key of the run. */
  readonly key: string;
  readonly session: string;
  /** The name of the agent, if it has one. */
  readonly agent: string | undefined;
  readonly model: string;
  /** The provider of the model; undefined if it is unknown. */
  readonly provider: string | undefined;
  /** The attributes of the provider's address. Absent without one. */
  readonly server?: Attributes | undefined;
}

/** The record that begins or continues a run, as far as its span goes by it. */
export interface Beginning {
  readonly type: string;
  /** The user's words. Absent if the run continues without any. */
  readonly text?: string | undefined;
  /** The files that go with the words. */
  readonly attachments?: readonly Attachment[];
}

/** The start of the span of a run. */
export function describeRun(
  { key, session, agent, model, provider }: RunFacts,
  { type, text, attachments }: Beginning,
  { content, secrets }: Privacy,
): SpanStart {
  return {
    name: agent === undefined ? operation.run : `${operation.run} ${agent}`,
    kind: "internal",
    attributes: {
      [attribute.operation]: operation.run,
      ...(agent !== undefined && { [attribute.agent]: agent }),
      [attribute.conversation]: secrets.text(session),
      ...(provider !== undefined && { [attribute.provider]: provider }),
      [attribute.model]: model,
      [attribute.key]: secrets.text(key),
      ...(type !== "input" && { [attribute.resumed]: true }),
      ...(content &&
        text !== undefined && {
          [attribute.inputMessages]: userMessage({ text, ...(attachments && { attachments }) }, secrets),
        }),
    },
  };
}

/** The end of a run, as far as it is recorded. */
export interface RunEnding {
  readonly status: AnyOutcome["status"];
  readonly usage: Usage;
  readonly iterations: number;
  readonly cost?: number | undefined;
  /** The reason of a stopped run, or the code of a fault. */
  readonly cause?: string | undefined;
  /** The tool whose call ended the run, or waits. */
  readonly by?: string | undefined;
  readonly verified?: Verification | undefined;
  readonly message?: string | undefined;
  readonly value?: unknown;
}

/** The ending that an outcome tells. */
export function endingOf(outcome: AnyOutcome): RunEnding {
  const { status, usage, iterations, cost } = outcome;
  const ended = { status, usage, iterations, cost };
  switch (outcome.status) {
    case "completed":
      return { ...ended, by: outcome.by, verified: outcome.verified, value: outcome.value };
    case "waiting":
      return { ...ended, by: outcome.by, ...(outcome.approval === undefined && { value: outcome.value }) };
    case "stopped":
      return { ...ended, cause: outcome.reason, message: outcome.message };
    case "failed":
      return { ...ended, cause: outcome.fault.code, message: outcome.message };
    case "aborted":
      return { ...ended, message: outcome.message };
  }
}

/** The end of the span of a run. */
export function describeEnding(ending: RunEnding, { content, secrets }: Privacy): SpanEnd {
  const { status, usage, iterations, cost, cause, by, verified, message, value } = ending;
  return {
    isError: status === "failed" || status === "stopped",
    attributes: {
      ...tokens(usage),
      [attribute.outcome]: status,
      [attribute.iterations]: iterations,
      ...(cost !== undefined && { [attribute.cost]: cost }),
      ...(cause !== undefined && { [attribute.errorType]: cause }),
      ...(by !== undefined && { [attribute.by]: by }),
      ...(verified !== undefined && { [attribute.verified]: verified }),
      ...(content && message !== undefined && { [attribute.message]: secrets.text(message) }),
      ...(content && value !== undefined && { [attribute.outputMessages]: outputValue(value, secrets) }),
    },
  };
}
