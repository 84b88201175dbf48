// How much of a text may be shown while it still arrives: everything before the first place where a call may begin.

import { dialectOf } from "./openers.js";
import { literally } from "./reading/literal-pattern.js";

/** Lets a text through until a call may begin. */
export interface TextGate {
  /** Takes the next piece. */
  write(piece: string): {
    /** What may be shown now. */
    readonly shown: string;
    /** What stands where a call begins, and everything behind it. */
    readonly behind: string;
  };
}

const openers = [...dialectOf.keys()];
const anywhere = new RegExp(openers.map(literally).join("|"));
/** Where only thinking stands in front, a reply may be a call in a fence or without any markup. */
const fresh = ["{", "[", "```", "~~~"];
const closers = ["</think>", "</thinking>", "</reasoning>", "</thought>"];
const afterThinking = /<\/(?:think|thinking|reasoning|thought)>\s*(?=[{[]|```|~~~)/i;
const longest = Math.max(...openers.map((opener) => opener.length));

/** Makes a gate. What it shows does not depend on how the text was split; the time it takes is linear. */
export function textGate(): TextGate {
  let held = "";
  /** The end of what was shown: a closing tag of thinking may stand in it. */
  let tail = "";
  let isFresh = true;
  let isShut = false;

  return {
    write(piece) {
      if (isShut) return { shown: "", behind: piece };
      const text = held + piece;
      const stop = firstOpener(text, tail, isFresh);
      isShut = stop.isWhole;
      const shown = text.slice(0, stop.at);
      held = text.slice(stop.at);
      tail = (tail + shown).slice(-longest);
      const trimmed = (tail.length > shown.length ? tail : shown).trimEnd().slice(-12).toLowerCase();
      isFresh =
        shown === "" ? isFresh : (isFresh && shown.trim() === "") || closers.some((closer) => trimmed.endsWith(closer));
      return { shown, behind: isShut ? held : "" };
    },
  };
}

interface Stop {
  readonly at: number;
  /** False where it may still turn out to be words. */
  readonly isWhole: boolean;
}

function firstOpener(text: string, tail: string, isFresh: boolean): Stop {
  const start = isFresh ? text.length - text.trimStart().length : 0;
  if (isFresh && fresh.some((opener) => text.startsWith(opener, start))) return { at: start, isWhole: true };
  const own = anywhere.exec(text)?.index ?? text.length;
  const found = afterThinking.exec(tail + text);
  const behind = found === null ? text.length : Math.max(0, found.index + found[0].length - tail.length);
  const whole = Math.min(own, behind);
  if (whole < text.length) return { at: whole, isWhole: true };
  return { at: firstPrefix(text, tail, isFresh), isWhole: false };
}

/** Where the text's end may be the beginning of an opener. */
function firstPrefix(text: string, tail: string, isFresh: boolean): number {
  const from = Math.max(0, text.length - longest);
  for (let at = from; at < text.length; at += 1) {
    const rest = text.slice(at);
    if (openers.some((opener) => opener.startsWith(rest))) return at;
    if (/^(?:`{1,2}|~{1,2})$/.test(rest)) {
      const before = (tail + text.slice(0, at)).trimEnd().slice(-12).toLowerCase();
      const isFirst = isFresh && text.slice(0, at).trim() === "";
      if (isFirst || closers.some((closer) => before.endsWith(closer))) return at;
    }
  }
  return text.length;
}

/**
 * Where in a text the first call might begin, whatever its dialect: at an opener, or at the text's end where that may still become one.
 * Everything before it may be shown. The text's length if there is none.
 */
export function callOpens(text: string): number {
  return textGate().write(text).shown.length;
}
