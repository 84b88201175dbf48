// A scripted model: implements the model port with a script, without a network.

import { setTimeout as sleep } from "node:timers/promises";
import {
  LastcallError,
  noUsage,
  type Json,
  type Message,
  type Model,
  type ModelEvent,
  type ModelRequest,
  type ToolDescription,
  type WrittenCall,
} from "../../core/index.js";
import { checkOptions, choiceOf, type OptionKinds } from "../../core/internal.js";
import { pieces, speaker, writeInput, type Script, type ScriptedCall, type ScriptedError } from "./script.js";

/** A request that the model got. The list of messages is a copy. */
export interface SeenRequest {
  readonly key: string;
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDescription[];
}

/** A model that answers from a script. */
export interface ScriptedModel extends Model {
  /** All requests so far, in order; with `keep: "last"` only the latest. */
  readonly requests: readonly SeenRequest[];
  /** The number of steps of the script that are left. */
  readonly unsaid: number;
}

/** The options of `scriptedModel`. */
export interface ScriptedModelOptions {
  /** The requests to keep. Default `all`; use `last` for runs of thousands of iterations, to save memory. */
  readonly keep?: "all" | "last";
}

/**
 * Makes a model that answers from a script. When the script has no more steps, it throws a LastcallError `script`, and the run
 * fails. A scripted HTTP error becomes the fault that a real provider's error would become. `split` has no effect here.
 */
export function scriptedModel(script: Script, options: ScriptedModelOptions = {}): ScriptedModel {
  checkOptions("scriptedModel", options, { keep: choiceOf("all", "last") } satisfies OptionKinds<ScriptedModelOptions>);
  const { keep = "all" } = options;
  const speaking = speaker(script);
  const requests: SeenRequest[] = [];
  return {
    name: "scripted",
    provider: "scripted:",
    requests,
    get unsaid() {
      return speaking.unsaid();
    },
    async *respond(request, signal) {
      signal.throwIfAborted();
      if (keep === "last") requests.length = 0;
      requests.push({ ...request, messages: [...request.messages] });
      const step = speaking.say(lastText(request));
      if ("status" in step) throw faultFor(step);
      const { text = "", reasoning = "", calls = [], delay = 0, pause = 0, piece = Infinity } = step;
      if (delay > 0) await sleep(delay, undefined, { signal });
      const events: ModelEvent[] = [
        ...pieces(reasoning, piece).map((part) => ({ type: "reasoning-delta", text: part }) as const),
        ...pieces(text, piece).map((part) => ({ type: "text-delta", text: part }) as const),
        ...calls.flatMap(({ name, input }, index) =>
          pieces(writeInput(input), piece).map((part) => ({ type: "call-delta", index, name, text: part }) as const),
        ),
      ];
      for (const event of events) {
        yield event;
        if (pause > 0) await sleep(pause, undefined, { signal });
      }
      if (step.cut !== undefined) {
        if (events.length > 0) yield { type: "reply-retracted", reason: "the script cut it" };
        throw new LastcallError("provider_unavailable", "The scripted stream was cut.");
      }
      const finish = finishes[step.finishReason ?? ""] ?? "complete";
      return { text, calls: calls.map(read), finish, usage: { ...noUsage, ...step.usage } };
    },
  };
}

const finishes: Readonly<Record<string, "cut" | "refused">> = { length: "cut", content_filter: "refused" };

function read({ name, input, id }: ScriptedCall): WrittenCall {
  const source = writeInput(input);
  const kept = id === undefined ? {} : { providerId: id };
  try {
    if (source.trim() === "") return { ...kept, type: "call", name, input: {} };
    const input = JSON.parse(source) as Json;
    return { ...kept, type: "call", name, input, ...(JSON.stringify(input) !== source && { source }) };
  } catch {
    const problem = "The arguments are not valid JSON.";
    return { ...kept, type: "unreadable-call", kind: "malformed_call", name, source, problem };
  }
}

function faultFor({ status, message = `scripted ${String(status)}` }: ScriptedError): LastcallError {
  if (status === 401 || status === 403) return new LastcallError("authentication", message, { status });
  const passes = status === 429 || status >= 500;
  return new LastcallError(passes ? "provider_unavailable" : "provider_rejected", message, { status });
}

function lastText({ messages }: ModelRequest): string {
  const last = messages.at(-1);
  if (last === undefined) return "";
  return last.role === "assistant" ? last.reply.text : last.text;
}
