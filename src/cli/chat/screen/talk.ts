// The talk: what the model is saying and doing right now, as a pure fold of the events. What is over is not in it any more.

import { addUsage, noUsage, type Call, type Event, type Usage } from "../../../core/index.js";

/** The state of things between two events. */
export interface Talk {
  /** Words that are not final yet: they may still be taken back. */
  readonly words: string;
  /** True while it thinks aloud. */
  readonly isThinking: boolean;
  /** Calls that were begun and are not over. */
  readonly calls: readonly Call[];
  /** The tool whose arguments are being written, and how many characters there were at the last heartbeat. */
  readonly writing: { readonly tool: string; readonly characters: number } | undefined;
  /** The check that is running. */
  readonly check: string | undefined;
  /** Of all replies so far. */
  readonly usage: Usage;
  /** Tokens that the last request and its reply took: what the model has before it. */
  readonly context: number;
  readonly cost: number | undefined;
}

/** Before anything was said. */
export const silence: Talk = {
  words: "",
  isThinking: false,
  calls: [],
  writing: undefined,
  check: undefined,
  usage: noUsage,
  context: 0,
  cost: undefined,
};

/** The talk after an event. */
export function talkAfter(talk: Talk, event: Event): Talk {
  const change = changes[event.type] as ((talk: Talk, event: Event) => Talk) | undefined;
  return change === undefined ? talk : change(talk, event);
}

const silent = (talk: Talk): Talk => ({ ...talk, words: "", isThinking: false, writing: undefined });

/** What the kinds of events change; others change nothing. */
const changes: { readonly [Type in Event["type"]]?: (talk: Talk, event: Extract<Event, { type: Type }>) => Talk } = {
  "text-delta": (talk, { text }) => ({ ...talk, words: talk.words + text, isThinking: false, writing: undefined }),
  "reasoning-delta": (talk) => (talk.isThinking ? talk : { ...talk, isThinking: true }),
  "call-delta": (talk, { name }) => ({
    ...talk,
    isThinking: false,
    writing: talk.writing?.tool === name ? talk.writing : { tool: name, characters: 0 },
  }),
  "call-writing": (talk, { name, characters }) => ({ ...talk, writing: { tool: name, characters } }),
  "reply-end": (talk, { reply }) => ({
    ...silent(counted(talk, reply.usage)),
    // Words beside calls that work are said by the log; those of a claim stay until it is accepted or not.
    words: reply.calls.length === 1 ? talk.words : "",
  }),
  "iteration-start": silent,
  "reply-retracted": silent,
  "claim-retracted": silent,
  "claim-accepted": silent,
  "call-start": (talk, { call }) => ({ ...talk, calls: [...talk.calls, call] }),
  "call-end": (talk, { result }) => ({ ...talk, calls: talk.calls.filter(({ id }) => id !== result.callId) }),
  "check-start": (talk, { check }) => ({ ...talk, check }),
  "check-end": (talk) => ({ ...talk, check: undefined }),
  "iteration-end": (talk) => ({ ...talk, words: "", calls: [], check: undefined }),
  "run-end": ({ usage, context, cost: before }, { outcome }) => ({
    ...silence,
    usage,
    context,
    cost: outcome.cost === undefined ? before : (before ?? 0) + outcome.cost,
  }),
};

/** A reply's usage, added up. */
export function counted(talk: Talk, usage: Usage): Talk {
  const context = usage.inputTokens + usage.outputTokens;
  return { ...talk, usage: addUsage(talk.usage, usage), context: context > 0 ? context : talk.context };
}
