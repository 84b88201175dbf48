// Describes the spans of requests, calls and checks. Live spans and spans from the journal share these descriptions.

import type { Call, JournalResult, Reply } from "../../core/index.js";
import type { Attributes } from "../data/api.js";
import { callArguments, fileList, finishReason, outputMessages } from "./content.js";
import type { RunFacts } from "./describe-run.js";
import { attribute, operation } from "../data/names.js";
import { tokens, type Privacy, type SpanEnd, type SpanStart } from "./span-parts.js";

/** The start of the span of a request. */
export function describeRequest(
  { session, model, provider, server }: RunFacts,
  { key, iteration }: { readonly key: string; readonly iteration: number },
  { secrets }: Privacy,
): SpanStart {
  return {
    name: `${operation.chat} ${model}`,
    kind: "client",
    attributes: {
      [attribute.operation]: operation.chat,
      ...(provider !== undefined && { [attribute.provider]: provider }),
      ...server,
      [attribute.model]: model,
      [attribute.conversation]: secrets.text(session),
      [attribute.key]: secrets.text(key),
      [attribute.iteration]: iteration,
    },
  };
}

/** The end of the span of a request that was answered. */
export function describeReply(reply: Reply, { content, secrets }: Privacy): SpanEnd {
  const { served } = reply;
  const model = served?.model ?? reply.model;
  return {
    isError: false,
    attributes: {
      ...tokens(reply.usage),
      [attribute.finishReasons]: [finishReason(reply)],
      ...(model !== undefined && { [attribute.responseModel]: secrets.text(model) }),
      ...(served?.id !== undefined && { [attribute.responseId]: secrets.text(served.id) }),
      ...(content && { [attribute.outputMessages]: outputMessages(reply, secrets) }),
    },
  };
}

/** The place of a call: its session, and the description of its tool; undefined if that is not known. */
export interface CallPlace {
  readonly session: string;
  readonly description: string | undefined;
}

/** The start of the span of a call. */
export function describeCall(
  call: Call,
  { session, description }: CallPlace,
  { content, secrets }: Privacy,
): SpanStart {
  const tool = secrets.text(call.name);
  const iteration = iterationOf(call.id);
  return {
    name: `${operation.call} ${tool}`,
    kind: "internal",
    attributes: {
      [attribute.operation]: operation.call,
      [attribute.tool]: tool,
      [attribute.toolType]: "function",
      ...(description !== undefined && { [attribute.toolDescription]: secrets.text(description) }),
      [attribute.callId]: secrets.text(call.id),
      [attribute.conversation]: secrets.text(session),
      [attribute.key]: secrets.text(call.id),
      ...(iteration !== undefined && { [attribute.iteration]: iteration }),
      ...(content && { [attribute.callArguments]: callArguments(call, secrets) }),
    },
  };
}

/** The end of the span of a call that has a result. */
export function describeResult({ failure, text, attachments }: JournalResult, { content, secrets }: Privacy): SpanEnd {
  return {
    isError: failure !== undefined,
    attributes: {
      ...(failure !== undefined && { [attribute.errorType]: failure.kind }),
      ...(isRefusedClaim(failure?.kind) && { [attribute.claim]: "refused" }),
      ...(content && { [attribute.callResult]: secrets.text(text) }),
      ...(content && attachments && { [attribute.attachments]: fileList(attachments, secrets) }),
    },
  };
}

/** The event of a call's span that says how long an approver was asked, in milliseconds. */
export function askingAttributes(
  { why, rule }: { readonly why: string; readonly rule?: string },
  waited: number,
  { content, secrets }: Privacy,
): Attributes {
  return {
    [attribute.waited]: waited,
    ...(content && { [attribute.reason]: secrets.text(why) }),
    ...(content && rule !== undefined && { [attribute.rule]: secrets.text(rule) }),
  };
}

/** The end of the span of a claim that was accepted. */
export const acceptedClaim: SpanEnd = { isError: false, attributes: { [attribute.claim]: "accepted" } };

/** The start of the span of a check. Its name may be a command line. */
export function describeCheck(
  { check, when, key }: { readonly check: string; readonly when: string; readonly key?: string },
  { secrets }: Privacy,
): SpanStart {
  const name = secrets.text(check);
  return {
    name: `${attribute.check} ${name}`,
    kind: "internal",
    attributes: {
      [attribute.check]: name,
      [attribute.when]: when,
      ...(key !== undefined && { [attribute.key]: secrets.text(key) }),
    },
  };
}

/** The end of the span of a check. A check that fails did its work, so the span has no error. */
export function describeVerdict(
  { passed, output }: { readonly passed: boolean; readonly output: string },
  { content, secrets }: Privacy,
): SpanEnd {
  return {
    isError: false,
    attributes: { [attribute.passed]: passed, ...(content && { [attribute.checkOutput]: secrets.text(output) }) },
  };
}

/** True for the failures that refuse a claim to end the run: a check failed, another call of the reply did, or there was a second claim. */
export function isRefusedClaim(kind: string | undefined): boolean {
  return kind === "check_failed" || kind === "claim_refused" || kind === "conflicting_calls";
}

/** The iteration in the key of a call: `.../call:3:0` is of the third, and `.../call:3:0:k3f9x2` too. Undefined for any other id. */
function iterationOf(callId: string): number | undefined {
  const [, iteration] = /call:(\d+):\d+(?::[^:/]+)?$/.exec(callId) ?? [];
  return iteration === undefined ? undefined : Number(iteration);
}
