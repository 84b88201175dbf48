// The forcing ladder: how a model is made to call a tool. It steps down one rung when the server does not comply.

import type { Ignored } from "./data/carrier.js";
import type { Forcing } from "./data/rung.js";
import type { ModelEvent, WrittenReply } from "../core/index.js";
import type { KnownServer } from "./http/servers.js";
import { headOf } from "../core/internal.js";

/** The position of a model on the ladder. It is learned from the server and lasts as long as the model object. */
export interface Ladder {
  readonly rung: Forcing;
  /** True once the rung is not the first that was tried. */
  readonly hasStepped: boolean;
  /** Goes on from a rung that was learned in another process. A rung that was learned here, or is pinned, stays. */
  goOn(from: unknown): void;
  /** True if calls in the text of a reply are read. `leavesChoice`: the request lets the model answer without a call. */
  readsText(leavesChoice: boolean): boolean;
  /** True if the error of a request refuses a form of forcing. */
  isRefusal(thrown: unknown): boolean;
  /** Takes the error of a refused request. Returns the step down; undefined if the refusal is not about forcing, or no rung is left. */
  refused(thrown: unknown): ForcingStep | undefined;
  /** Takes the part of forcing that a carrier left out by its own account. Returns the step down; undefined if the rung stays. */
  ignored(ignored: Ignored): ForcingStep | undefined;
  /** Takes the reply to a request that was sent on the rung of now. Returns the step down; undefined if the rung stays. */
  answered(reply: WrittenReply, needsCall: boolean): ForcingStep | undefined;
}

/** A step down the ladder. */
export type ForcingStep = Extract<ModelEvent, { readonly type: "forcing-step" }>;

/** From the top down. */
const rungs: readonly Forcing[] = ["required", "auto", "xml"];

/** The number of replies in a row without a call that cause a step down, by rung. */
const patience: Readonly<Record<Forcing, number>> = { required: 1, auto: 2, xml: Infinity };

/**
 * Makes a ladder. `forcing: "ladder"` starts on the rung that suits the server; any other value pins that rung. `textCalls`
 * overrides whether calls in the text are read on the rungs above `xml`.
 */
export function ladder(
  forcing: Forcing | "ladder",
  server: Pick<KnownServer, "name" | "starts" | "leaksCalls">,
  textCalls: boolean | undefined,
): Ladder {
  const start = forcing === "ladder" ? server.starts : forcing;
  let rung = start;
  let repliesWithoutCall = 0;

  function stepTo(to: Forcing, reason: string): ForcingStep | undefined {
    if (forcing !== "ladder" || to === rung) return undefined;
    const from = rung;
    rung = to;
    repliesWithoutCall = 0;
    return { type: "forcing-step", from, to, reason };
  }

  return {
    get rung() {
      return rung;
    },
    get hasStepped() {
      return rung !== start;
    },
    goOn(from) {
      const to = rungs.find((one) => one === from);
      if (forcing === "ladder" && rung === start && to !== undefined && rungs.indexOf(to) > rungs.indexOf(start))
        rung = to;
    },
    readsText(leavesChoice) {
      return rung === "xml" || (textCalls ?? (server.leaksCalls || rung === "auto" || leavesChoice));
    },
    isRefusal: (thrown) => objectionOf(thrown) !== undefined,
    refused(thrown) {
      const objection = objectionOf(thrown);
      if (objection === undefined || rung === "xml") return undefined;
      const to = objection === "choice" && rung === "required" ? "auto" : "xml";
      const refusedPart = objection === "choice" ? "being told to call a tool" : "tools";
      return stepTo(to, `${server.name} does not take ${refusedPart}: ${headOf(messageOf(thrown), 200)}`);
    },
    ignored({ part, reason }) {
      if (rung === "xml") return undefined;
      return part === "tools" ? stepTo("xml", reason) : rung === "required" ? stepTo("auto", reason) : undefined;
    },
    answered({ calls, finish }, needsCall) {
      if (!needsCall || finish !== "complete") return undefined;
      repliesWithoutCall = calls.length > 0 ? 0 : repliesWithoutCall + 1;
      if (repliesWithoutCall < patience[rung]) return undefined;
      const times = repliesWithoutCall === 1 ? "a reply" : `${String(repliesWithoutCall)} replies in a row`;
      return stepTo(rung === "required" ? "auto" : "xml", `${times} without a call, though ${rung} was asked for`);
    },
  };
}

/** Error messages of servers that take no tools: Ollama for some templates, vLLM and llama-server without their option, other servers. */
const againstTools =
  /(?:does not|doesn't|do not) support (?:tools|functions?|tool (?:use|calling))|tools? (?:param|parameter|use|calling|choice)?[^.]{0,40}(?:not supported|unsupported)|function calling is not|--enable-auto-tool-choice|--jinja|tools are not supported/i;

/** Error messages about the tool choice alone, also messages that refuse it because the model thinks. */
const againstChoice = /tool[_ ]?choice|thinking may not be enabled|forces tool use/i;

/** The part of forcing that the server refuses; undefined if the refusal is about something else. */
function objectionOf(thrown: unknown): "choice" | "tools" | undefined {
  const { status } = (thrown ?? {}) as { readonly status?: unknown };
  if (typeof status !== "number" || ![400, 404, 422, 500, 501].includes(status)) return undefined;
  const message = messageOf(thrown);
  if (againstChoice.test(message) && !message.includes("--enable-auto-tool-choice")) return "choice";
  return againstTools.test(message) ? "tools" : undefined;
}

function messageOf(thrown: unknown): string {
  const { message, code } = (thrown ?? {}) as { readonly message?: unknown; readonly code?: unknown };
  return [message, code].filter((part) => typeof part === "string").join(" ");
}
