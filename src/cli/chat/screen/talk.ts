// The talk: the present words, calls and checks of a run, as a pure fold of its events.

import { addUsage, noUsage, type Call, type Event, type Usage } from "../../../core/index.js";

/** The state between two events. */
export interface Talk {
  /** Streamed words that are not final: they can be retracted. */
  readonly words: string;
  /** The streamed words of a call that ends the run, if it is accepted. They are a part of `words`. */
  readonly claim: string;
  /** True while the model streams its reasoning. */
  readonly isThinking: boolean;
  /** Running calls. */
  readonly calls: readonly Call[];
  /** The number of calls that the agents of a running call have made, by the id of that call. */
  readonly below: Readonly<Record<string, number>>;
  /** The tool whose arguments the model is writing, with their length at the last heartbeat. */
  readonly writing: { readonly tool: string; readonly characters: number } | undefined;
  /** The running check; undefined if none runs. */
  readonly check: string | undefined;
  /** The tokens of all replies so far. */
  readonly usage: Usage;
  /** The size of the context: the tokens of the last request and its reply. */
  readonly context: number;
  readonly cost: number | undefined;
}

/** The talk before the first event. */
export const silence: Talk = {
  words: "",
  claim: "",
  isThinking: false,
  calls: [],
  below: {},
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

const silent = (talk: Talk): Talk => ({
  ...talk,
  words: "",
  claim: "",
  isThinking: false,
  writing: undefined,
});

/** The changes by the type of the event. Other events change nothing. */
const changes: { readonly [Type in Event["type"]]?: (talk: Talk, event: Extract<Event, { type: Type }>) => Talk } = {
  "text-delta": (talk, { text, claim }) => ({
    ...talk,
    words: talk.words + text,
    claim: claim === true ? talk.claim + text : talk.claim,
    isThinking: false,
    writing: undefined,
  }),
  "reasoning-delta": (talk) => (talk.isThinking ? talk : { ...talk, isThinking: true }),
  "call-delta": (talk, { name }) => ({
    ...talk,
    isThinking: false,
    writing: talk.writing?.tool === name ? talk.writing : { tool: name, characters: 0 },
  }),
  "call-writing": (talk, { name, characters }) => ({ ...talk, writing: { tool: name, characters } }),
  "reply-end": (talk, { reply }) => ({
    ...silent(counted(talk, reply.usage)),
    // The log shows other words. The words of a claim stay until it is accepted or refused.
    words: reply.calls.length === 1 ? talk.claim : "",
    claim: reply.calls.length === 1 ? talk.claim : "",
  }),
  "iteration-start": silent,
  "reply-retracted": silent,
  "claim-retracted": silent,
  "claim-accepted": silent,
  "call-start": (talk, { call }) => ({ ...talk, calls: [...talk.calls, call] }),
  "call-end": (talk, { result }) => ({ ...talk, calls: talk.calls.filter(({ id }) => id !== result.callId) }),
  "child-event": (talk, { path: [top = ""], event }) =>
    event.type === "call-start" ? { ...talk, below: { ...talk.below, [top]: (talk.below[top] ?? 0) + 1 } } : talk,
  "check-start": (talk, { check }) => ({ ...talk, check }),
  "check-end": (talk) => ({ ...talk, check: undefined }),
  "iteration-end": (talk) => ({ ...talk, words: "", claim: "", calls: [], below: {}, check: undefined }),
  "run-end": ({ usage, context, cost: before }, { outcome }) => ({
    ...silence,
    usage,
    context,
    cost: outcome.cost === undefined ? before : (before ?? 0) + outcome.cost,
  }),
};

/** Adds the usage of a reply. */
export function counted(talk: Talk, usage: Usage): Talk {
  const context = usage.inputTokens + usage.outputTokens;
  return { ...talk, usage: addUsage(talk.usage, usage), context: context > 0 ? context : talk.context };
}
