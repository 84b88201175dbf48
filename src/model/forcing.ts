// The forcing ladder: how a model is made to call a tool, one step further down where its server does not go along.

import type { Forcing } from "./data/rung.js";
import type { ModelEvent, WrittenReply } from "../core/index.js";
import type { KnownServer } from "./http/servers.js";

/** Where a model stands on the ladder. Learned from its server as long as the model is kept. */
export interface Ladder {
  readonly rung: Forcing;
  /** Whether calls written as text are read in the reply to a request that leaves the choice to the model, or does not. */
  readsText(leavesChoice: boolean): boolean;
  /** What follows from a request that was refused; undefined where forcing had nothing to do with it. */
  refused(thrown: unknown): ForcingStep | undefined;
  /** What follows from a reply; undefined where things stay as they are. */
  answered(reply: WrittenReply, needsCall: boolean): ForcingStep | undefined;
}

type ForcingStep = Extract<ModelEvent, { readonly type: "forcing-step" }>;

/** How many replies in a row may be without a call before the next step, by rung. */
const patience: Readonly<Record<Forcing, number>> = { required: 1, auto: 2, xml: Infinity };

/** Starts where the server is known to stand; a rung that is pinned is kept. */
export function ladder(
  forcing: Forcing | "ladder",
  server: Pick<KnownServer, "name" | "starts" | "leaksCalls">,
  textCalls: boolean | undefined,
): Ladder {
  let rung = forcing === "ladder" ? server.starts : forcing;
  let without = 0;

  function stepTo(to: Forcing, reason: string): ForcingStep | undefined {
    if (forcing !== "ladder" || to === rung) return undefined;
    const from = rung;
    rung = to;
    without = 0;
    return { type: "forcing-step", from, to, reason };
  }

  return {
    get rung() {
      return rung;
    },
    readsText(leavesChoice) {
      return rung === "xml" || (textCalls ?? (server.leaksCalls || rung === "auto" || leavesChoice));
    },
    refused(thrown) {
      const why = objectionOf(thrown);
      if (why === undefined || rung === "xml") return undefined;
      const to = why === "choice" && rung === "required" ? "auto" : "xml";
      const what = why === "choice" ? "being told to call a tool" : "tools";
      return stepTo(to, `${server.name} does not take ${what}: ${messageOf(thrown).slice(0, 200)}`);
    },
    answered({ calls, finish }, needsCall) {
      if (!needsCall || finish !== "complete") return undefined;
      without = calls.length > 0 ? 0 : without + 1;
      if (without < patience[rung]) return undefined;
      const times = without === 1 ? "a reply" : `${String(without)} replies in a row`;
      return stepTo(rung === "required" ? "auto" : "xml", `${times} without a call, though ${rung} was asked for`);
    },
  };
}

/** Words of servers that take no tools at all: Ollama's templates, vLLM and llama-server without their switch, and others. */
const againstTools =
  /(?:does not|doesn't|do not) support (?:tools|functions?|tool (?:use|calling))|tools? (?:param|parameter|use|calling|choice)?[^.]{0,40}(?:not supported|unsupported)|function calling is not|--enable-auto-tool-choice|--jinja|tools are not supported/i;

/** Words against the choice alone, also where it is because the model thinks. */
const againstChoice = /tool[_ ]?choice|thinking may not be enabled|forces tool use/i;

/** What of forcing a server objects to, if that is what it objects to. */
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
