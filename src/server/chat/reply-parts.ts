// The parts of a message that a reply of the model becomes: reasoning, words, calls.

import type { Call, Reply } from "../../core/index.js";
import { isPlainObject, reasoningIn } from "../../core/internal.js";

/**
 * The tools whose calls are words in a chat, and the field with the words. The calls of any other tool are separate parts, and so are the
 * calls of `ask_question`: a page shows its suggestions, and answers it in place.
 */
export type SpokenTools = Readonly<Record<string, string>>;

/** The built-in tools that speak. */
export const spokenTools: SpokenTools = { task_completion: "result", converse: "message", give_up: "reason" };

/** One part of a message that comes of a reply. */
export type ReplyPart =
  | { readonly kind: "reasoning" | "text"; readonly text: string }
  /** The words of a call that claims to end the run. They count once the claim is accepted. */
  | { readonly kind: "text"; readonly text: string; readonly claim: Call }
  | { readonly kind: "call"; readonly call: Call };

/** The parts of a reply, in the order in which a page shows them. Words of a reply that was cut are none. */
export function replyParts({ text, calls, extras, finish }: Reply, spoken: SpokenTools): readonly ReplyPart[] {
  const reasoning = reasoningIn(extras).join("\n\n");
  const isVoid = finish === "cut" && calls.length === 0;
  return [
    ...(reasoning === "" ? [] : [{ kind: "reasoning", text: reasoning } as const]),
    ...(text.trim() === "" || isVoid ? [] : [{ kind: "text", text } as const]),
    ...calls.map((call): ReplyPart => {
      const words = wordsOf(call, spoken);
      return words === undefined ? { kind: "call", call } : { kind: "text", text: words, claim: call };
    }),
  ];
}

/** The words of a call that speaks; undefined for any other call, and for a call without words. */
function wordsOf(call: Call, spoken: SpokenTools): string | undefined {
  const field = Object.hasOwn(spoken, call.name) ? spoken[call.name] : undefined;
  if (field === undefined || call.type !== "call" || !isPlainObject(call.input)) return undefined;
  const words = call.input[field];
  return typeof words === "string" && words.trim() !== "" ? words : undefined;
}
