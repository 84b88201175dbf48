// The API that a request goes over: chat completions, or the Responses API if the model needs that.

import type { ModelEvent } from "../core/index.js";
import { chatWire } from "./wire/chat-completions.js";
import type { Forcing } from "./data/rung.js";
import { responsesWire } from "./responses/responses.js";
import type { Wire } from "./wire/wire.js";

/** An API that OpenAI defined and other servers offer as well. */
export type Api = "chat" | "responses";

/** One way to send a request. */
export interface Way {
  readonly wire: Wire;
  /** The caller's settings, with the keys that this way replaces. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Chooses the way of each request to one model. The choice is learned from the server and lasts as long as the model object. */
export interface Route {
  /** The way of a request on this rung of the forcing ladder. */
  way(forcing: Forcing): Way;
  /** Takes the error of a request refused on this way, and switches to another way. Undefined if the refusal is not about the API. */
  refused(thrown: unknown, way: Way): readonly ModelEvent[] | undefined;
}

/**
 * Makes a route over the pinned API, with the caller's settings for the body. If none is pinned, it uses chat completions as long as the
 * model takes its tools there.
 */
export function route(pinned: Api | undefined, model: string, address: string, settings: Way["settings"]): Route {
  const chat: Way = { wire: chatWire(model, address), settings };
  const responses: Way = { wire: responsesWire(model, address), settings };
  const chatWithoutReasoning: Way = { wire: chat.wire, settings: { ...settings, reasoning_effort: "none" } };
  const objection = `${model} takes no function tools together with reasoning here`;
  const reasons = new Map([
    [responses, `${objection}: sent again over the Responses API`],
    [chatWithoutReasoning, `${objection}: sent again with reasoning_effort "none"`],
  ]);
  let current = pinned === "responses" ? responses : chat;

  /** The way to try after this way was refused. A concurrent request may have switched already. */
  function fallback(thrown: unknown, way: Way): Way | undefined {
    if (pinned === "responses") return undefined;
    if (way === responses && hasNoResponses(thrown)) return chatWithoutReasoning;
    if (way !== chat || !refusesReasoning(thrown)) return undefined;
    if (current !== chat) return current;
    return pinned === "chat" ? chatWithoutReasoning : responses;
  }

  return {
    // Calls in the text need no API with tools, and every server has chat completions.
    way: (forcing) => (forcing === "xml" && current === responses ? chat : current),
    refused(thrown, way) {
      const to = fallback(thrown, way);
      if (to === undefined) return undefined;
      current = to;
      const adjusted = { type: "request-adjusted", reason: reasons.get(to) ?? objection } as const;
      return to.wire === way.wire ? [adjusted] : [adjusted, { type: "prompt-rewrite", reason: "api" }];
    },
  };
}

/** True for the status 400 by which newer models on chat completions refuse function tools without `reasoning_effort: "none"`. */
function refusesReasoning(thrown: unknown): boolean {
  const { status, message } = (thrown ?? {}) as { readonly status?: unknown; readonly message?: unknown };
  return (
    status === 400 &&
    typeof message === "string" &&
    message.includes("reasoning_effort") &&
    /function|tools/i.test(message)
  );
}

/** True if the server does not have the path `/responses`. */
function hasNoResponses(thrown: unknown): boolean {
  const { status } = (thrown ?? {}) as { readonly status?: unknown };
  return status === 404 || status === 405 || status === 501;
}
