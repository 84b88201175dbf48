// The words of a question for a sign-in at the command.

import type { ParkedCall, Principal, WaitingCall } from "../../core/index.js";
import { asFault, isPlainObject } from "../../core/internal.js";
import type { SignInQuestion, SignIns } from "../../mcp/index.js";
import { visible } from "../display/visible.js";

/** The question for a sign-in that waits; undefined if something else does. */
export function signInQuestion(waiting: WaitingCall | ParkedCall | undefined): SignInQuestion | undefined {
  return signInIn(waiting !== undefined && "value" in waiting ? waiting.value : undefined);
}

function signInIn(value: unknown): SignInQuestion | undefined {
  if (!isPlainObject(value) || value["kind"] !== "sign_in" || typeof value["address"] !== "string") return undefined;
  return value as unknown as SignInQuestion;
}

/** The lines of the question: its words and the address, which is on a line of its own. */
export function signInLines({ message, address }: SignInQuestion): readonly string[] {
  return [visible(message), visible(address)];
}

/** The line that says how the question is answered without a terminal. */
export function signInHowTo(id: string): string {
  return `Then: lastcall resume ${id} "the address that the browser was sent to"`;
}

/** The words of a person, and the question that they may answer. */
interface Answering {
  /** The value of the question that the session waits for. */
  readonly asked: unknown;
  readonly signIn: SignIns | undefined;
  readonly by: Principal | undefined;
  readonly say: (line: string) => void;
}

/**
 * The words for the run. The address of a sign-in that is waited for becomes its answer: the address has a code, which no journal keeps.
 * Undefined if the sign-in failed; the person is told why.
 */
export async function signedWords(words: string, { asked, signIn, by, say }: Answering): Promise<string | undefined> {
  if (signIn === undefined || signInIn(asked) === undefined) return words;
  const { signInReply } = await import("./sign-in.js");
  try {
    return (await signInReply(words, { signIn, by })) ?? words;
  } catch (thrown) {
    say(visible(asFault(thrown).message));
    return undefined;
  }
}
