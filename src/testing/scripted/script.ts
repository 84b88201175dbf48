// Scripts: the replies of a scripted model or provider, in order.

import { LastcallError, type Usage } from "../../core/index.js";

/** A call in a scripted reply. */
export interface ScriptedCall {
  readonly name: string;
  /** The arguments. A string is sent unchanged, so that broken JSON can be scripted; any other value is written as JSON. */
  readonly input: unknown;
  /** The provider's id. Default: `call_<reply>_<index>`. */
  readonly id?: string;
}

/** A reply, with its timing and its faults on the wire. */
export interface ScriptedReply {
  readonly text?: string;
  readonly reasoning?: string;
  readonly calls?: readonly ScriptedCall[];
  /** Default: `tool_calls` with calls, else `stop`. */
  readonly finishReason?: string;
  readonly usage?: Partial<Usage>;
  /** Milliseconds before the first byte. Default 0. */
  readonly delay?: number;
  /** Milliseconds between two chunks. Default 0. */
  readonly pause?: number;
  /** Characters of text or arguments per chunk. Default: all. */
  readonly piece?: number;
  /** Bytes per write; this may split a chunk or a character. Default: one chunk per write. */
  readonly split?: number;
  /** Ends the connection before the reply is complete: cleanly or with a reset. */
  readonly cut?: "end" | "reset";
  /** With `cut`: the number of bytes sent before the cut. Default: everything before the finish reason. */
  readonly cutAfter?: number;
}

/** An HTTP error instead of a reply. */
export interface ScriptedError {
  readonly status: number;
  readonly message?: string;
  readonly code?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The request, as a step that is a function gets it. */
export interface Seen {
  /** The request's number, from 1. */
  readonly number: number;
  /** The text of the last message. */
  readonly lastText: string;
}

/** One step of a script: a text, calls, a full reply, an HTTP error, or a function of the request that returns a step. */
export type Step = string | readonly ScriptedCall[] | ScriptedReply | ScriptedError | ((seen: Seen) => Step);

/** The steps in order, or one function for every request. */
export type Script = readonly Step[] | ((seen: Seen) => Step);

/** Makes a call for a script. Default input: no arguments. */
export function call(name: string, input: unknown = {}, id?: string): ScriptedCall {
  return { name, input, ...(id !== undefined && { id }) };
}

/** A script that is being played. */
export interface Speaker {
  /** Returns the next reply. @throws LastcallError `script` if the script has no more steps. */
  say(lastText: string): ScriptedReply | ScriptedError;
  /** The number of steps that are left; 0 for a function. */
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

/** The arguments as text, in the form that is sent. */
export function writeInput(input: unknown): string {
  return typeof input === "string" ? input : JSON.stringify(input);
}

/** Splits a text into pieces of `size` characters. @throws LastcallError `script` for a size that is not above 0. */
export function pieces(text: string, size: number): readonly string[] {
  if (!(size > 0)) throw new LastcallError("script", `A piece of ${String(size)} characters: give at least 1.`);
  const parts: string[] = [];
  for (let start = 0; start < text.length; start += size) parts.push(text.slice(start, start + size));
  return parts;
}
