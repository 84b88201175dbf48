// The user of a trial: answers the questions that an agent ends its run with.

import { wholeReply, type JsonObject, type Model } from "../../core/index.js";

/** A question of the agent. */
export interface AskedOfUser {
  /** The value of the tool that asks: `{ question }` of `askQuestion`, for example. */
  readonly value: unknown;
  /** The question's number in its trial, from 1. */
  readonly number: number;
}

/** Answers questions: always the same text or object, or the return value of a function. */
export type AnswerQuestion =
  | string
  | JsonObject
  | ((asked: AskedOfUser, signal: AbortSignal) => string | JsonObject | Promise<string | JsonObject>);

/**
 * A user whose words a model writes. It knows what `knows` says and nothing else. A fault of its model makes the trial void: it is no
 * failure of the agent.
 */
export function modelledUser({ model, knows }: { readonly model: Model; readonly knows: string }): AnswerQuestion {
  return async ({ value, number }, signal) => {
    const request = {
      key: `user:${String(number)}`,
      system: `You are the user of an assistant that asks you a question. Answer it in one or two sentences, only by what you know. If you do not know, say so.\nYou know: ${knows}`,
      messages: [{ role: "user", text: typeof value === "string" ? value : JSON.stringify(value) }] as const,
      tools: [],
      needsCall: false,
    };
    return (await wholeReply(model.respond(request, signal), signal)).text;
  };
}
