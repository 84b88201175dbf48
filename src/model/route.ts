// Which API a request goes over: chat completions, or the Responses API where the model wants that.

import type { ModelEvent } from "../core/index.js";
import { chatWire } from "./wire/chat-completions.js";
import type { Forcing } from "./data/rung.js";
import { responsesWire } from "./responses/responses.js";
import type { Wire } from "./wire/wire.js";

/** An API of OpenAI's that others speak, too. */
export type Api = "chat" | "responses";

/** One way to send a request. */
export interface Way {
  readonly wire: Wire;
  /** What it changes in the settings. */
  readonly adjusted: Readonly<Record<string, unknown>>;
}

/** The ways to one model. Learned from its server as long as the model is kept. */
export interface Route {
  /** The way of a request that is forced so. */
  way(forcing: Forcing): Way;
  /** What follows from a request that was refused on this way; undefined where the API had nothing to do with it. */
  refused(thrown: unknown, way: Way): readonly ModelEvent[] | undefined;
}

/** Goes over the pinned API; without one over chat completions as long as the model takes its tools there. */
export function route(pinned: Api | undefined, model: string, address: string): Route {
  const chat: Way = { wire: chatWire(model, address), adjusted: {} };
  const responses: Way = { wire: responsesWire(model, address), adjusted: {} };
  const unreasoning: Way = { wire: chat.wire, adjusted: { reasoning_effort: "none" } };
  const unwilling = `${model} takes no function tools together with reasoning here`;
  const reasons = new Map([
    [responses, `${unwilling}: sent again over the Responses API`],
    [unreasoning, `${unwilling}: sent again with reasoning_effort "none"`],
  ]);
  let present = pinned === "responses" ? responses : chat;

  /** The way on from one that was refused. Another request may have found it before. */
  function next(thrown: unknown, way: Way): Way | undefined {
    if (pinned === "responses") return undefined;
    if (way === responses && hasNoResponses(thrown)) return unreasoning;
    if (way !== chat || !asksForNoReasoning(thrown)) return undefined;
    if (present !== chat) return present;
    return pinned === "chat" ? unreasoning : responses;
  }

  return {
    // Calls as text need no API that knows calls, and every server has chat completions.
    way: (forcing) => (forcing === "xml" && present === responses ? chat : present),
    refused(thrown, way) {
      const to = next(thrown, way);
      if (to === undefined) return undefined;
      present = to;
      const adjusted = { type: "request-adjusted", reason: reasons.get(to) ?? unwilling } as const;
      return to.wire === way.wire ? [adjusted] : [adjusted, { type: "prompt-rewrite", reason: "api" }];
    },
  };
}

/** The known 400 of newer models on chat completions: function tools only with `reasoning_effort: "none"`. */
function asksForNoReasoning(thrown: unknown): boolean {
  const { status, message } = (thrown ?? {}) as { readonly status?: unknown; readonly message?: unknown };
  return (
    status === 400 &&
    typeof message === "string" &&
    message.includes("reasoning_effort") &&
    /function|tools/i.test(message)
  );
}

/** True for the answer of a server that does not know the path. */
function hasNoResponses(thrown: unknown): boolean {
  const { status } = (thrown ?? {}) as { readonly status?: unknown };
  return status === 404 || status === 405 || status === 501;
}
