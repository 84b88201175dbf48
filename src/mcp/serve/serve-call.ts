// One call of an agent as a tool: it is a run, or it goes on with a run that asked a question.

import { randomUUID } from "node:crypto";
import {
  LastcallError,
  type AnyOutcome,
  type Budget,
  type Event,
  type Input,
  type JsonObject,
  type OpenSession,
  type Principal,
} from "../../core/index.js";
import { explain, isPlainObject, raiseLimit, toJson, waitingIn } from "../../core/internal.js";
import { digestOf, ownedBy, withoutPaths } from "../../guard/index.js";
import type { CallContext, ToolAnswer } from "./server-package.js";

/** An agent that is served: any agent of `createAgent`. */
export interface ServableAgent {
  /** The input is a text, the answer to a call that waits for an approval, or undefined: the session then goes on without new words. */
  run(input: Input | undefined, options: ServedRun): Promise<AnyOutcome>;
}

/** The options of a run that a call starts. */
export interface ServedRun {
  readonly session: OpenSession;
  readonly signal: AbortSignal;
  readonly suspend?: AbortSignal;
  readonly answers?: string;
  readonly inputId?: string;
  readonly by?: Principal;
  readonly budget?: Budget;
  readonly onEvent: (event: Event) => void;
}

/** An agent, and what other agents read about it. */
export interface ServedAgent {
  /** Tells a model what the agent does and when to call it. */
  readonly description: string;
  readonly agent: ServableAgent;
}

/** The part of a question that comes back, signed, with its answer. */
export interface QuestionState {
  readonly session: string;
  readonly call: string;
}

/** Opens the session with this id, which keeps `about` if it is new. */
export type SessionOpener = (id: string, about?: JsonObject) => OpenSession;

/** One call. */
export interface ServedCall {
  readonly name: string;
  readonly served: ServedAgent;
  readonly sessions: SessionOpener;
  readonly input: Readonly<Record<string, unknown>>;
  readonly context: CallContext;
  /** The question that the call answers, and the answer; undefined for a new task. */
  readonly answered: { readonly state: QuestionState; readonly answer: string | undefined } | undefined;
  /** The caller; undefined for a caller without a name. */
  readonly principal: Principal | undefined;
  /** The limits that the run draws from; undefined without any. */
  readonly budget: Budget | undefined;
}

/** The end of a call with an answer. */
export interface ServedAnswer {
  readonly is: "answer";
  readonly answer: ToolAnswer;
}

/** The end of a call: an answer, or a question of the run. */
export type ServedEnd =
  ServedAnswer | { readonly is: "question"; readonly text: string; readonly session: string; readonly call: string };

const ownersAlone = "The agent waits for an approval that only its owner can give.";
const atLimit = "The agent reached a limit and waits: only its owner can let it go on.";

/** A call that a session waits for. */
interface Awaited {
  readonly by: string;
  readonly approval?: unknown;
  readonly approves?: unknown;
}

/** The words for a caller that can't give the approval that a session waits for; undefined if it waits for none. */
export function ownersWords({ by, approval, approves }: Awaited): string | undefined {
  if (approval === undefined && approves === undefined) return undefined;
  return by === raiseLimit ? atLimit : ownersAlone;
}

/**
 * The session for a caller who is not its owner: nothing that the caller says is a yes or no to a call that waits for an approval, also
 * if it began to wait meanwhile.
 */
export function withoutApprovals(session: OpenSession): OpenSession {
  const sent: string[] = [];
  return {
    ...session,
    async send(input) {
      const kept = await session.send(input);
      sent.push(kept.id);
      return kept;
    },
    async lease(onBusy) {
      const lease = await session.lease(onBusy);
      const waiting = lease && waitingIn(lease.records, Date.now());
      const refusal = waiting && ownersWords(waiting);
      if (refusal === undefined) return lease;
      await lease?.drop(sent);
      await lease?.release();
      throw new LastcallError("configuration", refusal);
    },
  };
}

/** The start of the ids of the sessions that an agent has for a caller. */
export function ownStart(name: string, principal: Principal | undefined): string {
  return principal === undefined ? `mcp-${name}-` : `mcp-${name}-${digestOf(principal)}-`;
}

/** True for an id of `randomUUID`. */
export function isUuid(text: string): boolean {
  return /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(text);
}

/**
 * True for a session that was made for this agent and this caller. The id says whose a session is, so an answer about another's session
 * is the same whether or not it exists. A caller without a name has no session of a caller with one, and no agent has another agent's.
 */
export function isOwnSession(id: string, name: string, principal: Principal | undefined): boolean {
  const start = ownStart(name, principal);
  return id.startsWith(start) && isUuid(id.slice(start.length));
}

/** Runs the call. It never throws: a fault of the run is a failed result. */
export async function serveCall(call: ServedCall): Promise<ServedEnd> {
  const { name, served, sessions, input, context, answered, principal, budget } = call;
  const { signal } = context.mcpReq;
  const known = typeof input["session"] === "string" ? input["session"] : undefined;
  const id = answered?.state.session ?? known ?? `${ownStart(name, principal)}${randomUUID()}`;
  if (!isOwnSession(id, name, principal)) return failed(`There is no session ${toJson(id) ?? ""}.`);
  if (answered !== undefined && answered.answer === undefined)
    return failed("Nobody answered the question of the agent. It still waits for the answer.", id);
  try {
    const outcome = await served.agent.run(answered?.answer ?? String(input["task"]), {
      session: withoutApprovals(sessions(id, principal && ownedBy(principal))),
      signal,
      ...(answered !== undefined && { answers: answered.state.call }),
      ...(principal && { by: principal }),
      ...(budget && { budget }),
      onEvent: progressTo(context),
    });
    return endOf(outcome, id);
  } catch (thrown) {
    return failed(explain(thrown), id);
  }
}

/** The end of a call whose run has this outcome. */
export function endOf(outcome: AnyOutcome, id: string): ServedEnd {
  switch (outcome.status) {
    case "completed":
      return { is: "answer", answer: withSession({ content: [{ type: "text", text: wordsOf(outcome.value) }] }, id) };
    case "waiting": {
      const refusal = ownersWords(outcome);
      if (refusal !== undefined || outcome.approval !== undefined) return failed(refusal ?? ownersAlone, id);
      return { is: "question", text: wordsOf(outcome.value), session: id, call: outcome.id };
    }
    case "aborted":
      return failed("The run was aborted.", id);
    case "stopped":
    case "failed":
      return failed(outcome.message, id);
  }
}

/** The result of a call that has ended. A question is one to a caller that can't be asked: it says how to answer. */
export function answerOf(end: ServedEnd): ToolAnswer {
  if (end.is === "answer") return end.answer;
  const { text, session } = end;
  const how = `The agent asks a question and waits: ${text}\nTo answer, call this tool again with session ${JSON.stringify(session)} and the answer as task.`;
  return withSession({ content: [{ type: "text", text: how }] }, session);
}

/** The words of a value: its result or question, or else its JSON. */
export function wordsOf(value: unknown): string {
  if (typeof value === "string") return value;
  const { result, question } = isPlainObject(value) ? value : {};
  const words = result ?? question;
  return typeof words === "string" ? words : (toJson(value) ?? "");
}

/** The end of a call that failed, with words that name no folder. */
export function failed(text: string, id?: string): ServedAnswer {
  const answer: ToolAnswer = { content: [{ type: "text", text: withoutPaths(text) }], isError: true };
  return { is: "answer", answer: id === undefined ? answer : withSession(answer, id) };
}

/**
 * The answer with the session of its run, so that a later call can name it: as words for a model, and in `_meta` for a program. A link to
 * a resource would break callers that send links on to a model.
 */
function withSession(answer: ToolAnswer, id: string): ToolAnswer {
  const words = { type: "text", text: `[the session of this run: ${id}]` };
  return { ...answer, content: [...answer.content, words], _meta: { "lastcall/session": id } };
}

/** Tells the caller the iterations and the calls of the run, if it asked for progress. */
function progressTo({ mcpReq }: CallContext): (event: Event) => void {
  const progressToken = mcpReq._meta?.progressToken;
  let progress = 0;
  return (event) => {
    if (progressToken === undefined || (event.type !== "iteration-start" && event.type !== "call-start")) return;
    progress += 1;
    const message = event.type === "call-start" ? event.call.name : `iteration ${String(event.iteration)}`;
    // Progress that can't be delivered any more concerns nobody.
    mcpReq
      .notify({ method: "notifications/progress", params: { progressToken, progress, message } })
      .catch(() => undefined);
  };
}
