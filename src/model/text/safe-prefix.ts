// Splits a streamed text into the part that may be shown and the part that may be a call.

import { dialectOf } from "./openers.js";
import { literally } from "./reading/literal-pattern.js";

/** Passes a text through until a call may begin. */
export interface TextGate {
  /** Takes the next piece. */
  write(piece: string): {
    /** The text that may be shown now. */
    readonly shown: string;
    /** The text from the opener of a call on; empty until there is an opener. */
    readonly fromCall: string;
  };
}

const openers = [...dialectOf.keys()];
const anyOpener = new RegExp(openers.map(literally).join("|"));
/** Openers that count only at the start of the reply or after thinking: a call in a fence, or JSON without markup. */
const startOpeners = ["{", "[", "```", "~~~"];
const closers = ["</think>", "</thinking>", "</reasoning>", "</thought>"];
const afterThinking = /<\/(?:think|thinking|reasoning|thought)>\s*(?=[{[]|```|~~~)/i;
const maxOpenerLength = Math.max(...openers.map((opener) => opener.length));

/** Makes a gate. Its output does not depend on how the text was split. It takes linear time. */
export function textGate(): TextGate {
  let held = "";
  /** The end of the shown text, which may hold a closing tag of thinking. */
  let tail = "";
  /** True if only white space or thinking was shown, or the shown text ends with thinking. */
  let isAtStart = true;
  let hasCall = false;

  return {
    write(piece) {
      if (hasCall) return { shown: "", fromCall: piece };
      const text = held + piece;
      const stop = findStop(text, tail, isAtStart);
      hasCall = stop.isWhole;
      const shown = text.slice(0, stop.at);
      held = text.slice(stop.at);
      tail = (tail + shown).slice(-maxOpenerLength);
      const trimmed = (tail.length > shown.length ? tail : shown).trimEnd().slice(-12).toLowerCase();
      isAtStart =
        shown === ""
          ? isAtStart
          : (isAtStart && shown.trim() === "") || closers.some((closer) => trimmed.endsWith(closer));
      return { shown, fromCall: hasCall ? held : "" };
    },
  };
}

interface Stop {
  readonly at: number;
  /** False if the text there may still turn out to be words. */
  readonly isWhole: boolean;
}

function findStop(text: string, tail: string, isAtStart: boolean): Stop {
  const start = isAtStart ? text.length - text.trimStart().length : 0;
  if (isAtStart && startOpeners.some((opener) => text.startsWith(opener, start))) return { at: start, isWhole: true };
  const firstOpener = anyOpener.exec(text)?.index ?? text.length;
  const match = afterThinking.exec(tail + text);
  const thinkingEnd = match === null ? text.length : Math.max(0, match.index + match[0].length - tail.length);
  const at = Math.min(firstOpener, thinkingEnd);
  if (at < text.length) return { at, isWhole: true };
  return { at: firstPrefix(text, tail, isAtStart), isWhole: false };
}

/** The index from which the end of the text may be the beginning of an opener; the text's length if there is none. */
function firstPrefix(text: string, tail: string, isAtStart: boolean): number {
  const from = Math.max(0, text.length - maxOpenerLength);
  for (let at = from; at < text.length; at += 1) {
    const rest = text.slice(at);
    if (openers.some((opener) => opener.startsWith(rest))) return at;
    if (/^(?:`{1,2}|~{1,2})$/.test(rest)) {
      const before = (tail + text.slice(0, at)).trimEnd().slice(-12).toLowerCase();
      const isFirst = isAtStart && text.slice(0, at).trim() === "";
      if (isFirst || closers.some((closer) => before.endsWith(closer))) return at;
    }
  }
  return text.length;
}

/**
 * The index at which the first call of any dialect may begin: at an opener, or at the end of the text if that may become an opener.
 * The text before it may be shown. The text's length if no call may begin.
 */
export function callOpens(text: string): number {
  return textGate().write(text).shown.length;
}
