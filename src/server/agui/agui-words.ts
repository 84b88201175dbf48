// The words of claims: the part of an accepted claim that a person reads.

import { isPlainObject } from "../../core/internal.js";
import type { State } from "../../core/index.js";
import { spokenTools, type SpokenTools } from "../chat/reply-parts.js";

/** The loop-breaking tools of `lastcall/tools`. Other tools are known once they show words as a claim, or are accepted as one. */
export const claimNames: readonly string[] = ["task_completion", "ask_question", "converse", "give_up"];

/** The fields that have the words in the tools of `lastcall/tools`, in the order in which they are looked for. */
const fields: readonly string[] = ["result", "question", "message", "reason"];

/** The words of a claim or a question: a text itself, the field with the words, the only text in it, or the whole as JSON. */
export function wordsOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (!isPlainObject(value)) return JSON.stringify(value);
  const named = fields.map((field) => value[field]).find((text) => typeof text === "string");
  if (typeof named === "string") return named;
  const texts = Object.values(value).filter((text) => typeof text === "string");
  return texts.length === 1 && texts[0] !== undefined ? texts[0] : JSON.stringify(value);
}

/**
 * True if the run ended with words of a tool that talks: they are an answer, and the next words of the user go on. A tool that waits for an
 * object asks for one, whatever it says.
 */
export function isTalk({ claim }: State, words: SpokenTools = {}): boolean {
  if (claim?.ending !== "waiting" || claim.replySchema !== undefined) return false;
  return Object.hasOwn(spokenTools, claim.by) || Object.hasOwn(words, claim.by);
}
