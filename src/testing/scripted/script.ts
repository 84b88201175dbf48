// Scripts: what a scripted model or provider says, reply by reply.

import { LastcallError, type Usage } from "../../core/index.js";

/** A call in a scripted reply. */
export interface ScriptedCall {
  readonly name: string;
  /** The arguments. A text is sent as it is, so that broken JSON can be scripted; anything else is written as JSON. */
  readonly input: unknown;
  /** The provider's id. Default: `call_<reply>_<index>`. */
  readonly id?: string;
}

/** A reply, and how it travels. */
export interface ScriptedReply {
  readonly text?: string;
  readonly reasoning?: string;
  readonly calls?: readonly ScriptedCall[];
  /** Default: `tool_calls` with calls, else `stop`. */
  readonly finishReason?: string;
  readonly usage?: Partial<Usage>;
  /** Milliseconds before the first byte. Default 0. */
  readonly delay?: number;
  /** Milliseconds between two pieces. Default 0. */
  readonly pause?: number;
  /** Characters of text or arguments in one chunk. Default: all. */
  readonly piece?: number;
  /** Bytes in one write, wherever that splits a chunk or a character. Default: one chunk a write. */
  readonly split?: number;
  /** Ends the connection before the reply does: cleanly or with a reset. */
  readonly cut?: "end" | "reset";
  /** With `cut`: how many bytes are sent before. Default: everything but the finish reason and what follows it. */
  readonly cutAfter?: number;
}

/** An HTTP error instead of a reply. */
export interface ScriptedError {
  readonly status: number;
  readonly message?: string;
  readonly code?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a step that is a function may look at. */
export interface Seen {
  /** The request's number, from 1. */
  readonly number: number;
  /** The text of the last message. */
  readonly lastText: string;
}

/** One thing that is said: a text, calls, or a whole reply with its manner of travel, an error, or a function of what was asked. */
export type Step = string | readonly ScriptedCall[] | ScriptedReply | ScriptedError | ((seen: Seen) => Step);

/** The steps in order, or one function for every request. */
export type Script = readonly Step[] | ((seen: Seen) => Step);

/** A call for a script. */
export function call(name: string, input: unknown = {}, id?: string): ScriptedCall {
  return { name, input, ...(id !== undefined && { id }) };
}

/** A script while it is being said. */
export interface Speaker {
  /** The next reply. @throws LastcallError `script` where there is none. */
  say(lastText: string): ScriptedReply | ScriptedError;
  /** How many steps were not said; 0 for a function. */
  unsaid(): number;
}

/** Starts a script. */
export function speaker(script: Script): Speaker {
  let number = 0;
  return {
    say(lastText) {
      number += 1;
      const step = typeof script === "function" ? script : script[number - 1];
      if (step === undefined) {
        throw new LastcallError(
          "script",
          `The script has ${String((script as readonly Step[]).length)} replies and was asked for number ${String(number)}. The last message was: ${JSON.stringify(lastText.slice(0, 300))}`,
        );
      }
      return settle(step, { number, lastText });
    },
    unsaid: () => (typeof script === "function" ? 0 : Math.max(0, script.length - number)),
  };
}

function settle(step: Step, seen: Seen): ScriptedReply | ScriptedError {
  if (typeof step === "function") return settle(step(seen), seen);
  if (typeof step === "string") return { text: step };
  return Array.isArray(step) ? { calls: step as readonly ScriptedCall[] } : (step as ScriptedReply | ScriptedError);
}

/** The arguments as they go over the wire. */
export function writeInput(input: unknown): string {
  return typeof input === "string" ? input : JSON.stringify(input);
}

/** A text in pieces of so many characters. */
export function pieces(text: string, size: number): readonly string[] {
  if (!(size > 0)) throw new LastcallError("script", `A piece of ${String(size)} characters: give at least 1.`);
  const parts: string[] = [];
  for (let start = 0; start < text.length; start += size) parts.push(text.slice(start, start + size));
  return parts;
}
