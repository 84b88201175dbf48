// The words of a question for a sign-in at the command.

import type { ParkedCall, WaitingCall } from "../../core/index.js";
import { isPlainObject } from "../../core/internal.js";
import type { SignInQuestion } from "../../mcp/index.js";
import { visible } from "../display/visible.js";

/** The question for a sign-in that waits; undefined if something else does. */
export function signInQuestion(waiting: WaitingCall | ParkedCall | undefined): SignInQuestion | undefined {
  return signInIn(waiting !== undefined && "value" in waiting ? waiting.value : undefined);
}

/** The question for a sign-in, if the value is one. */
export function signInIn(value: unknown): SignInQuestion | undefined {
  if (!isPlainObject(value) || value["kind"] !== "sign_in" || typeof value["address"] !== "string") return undefined;
  return value as unknown as SignInQuestion;
}

/** The lines of the question: its words, and the address on a separate line. */
export function signInLines({ message, address }: SignInQuestion): readonly string[] {
  return [visible(message), visible(address)];
}

/** The line that says how the question is answered without a terminal. */
export function signInHowTo(id: string): string {
  return `Then: lastcall resume ${id} "the address that the browser was sent to"`;
}
