// Signed words: the words of a person in a chat, in which the address of a sign-in becomes its answer.

import type { Principal } from "../../core/index.js";
import { asFault } from "../../core/internal.js";
import type { SignIns } from "../../mcp/index.js";
import { visible } from "../display/visible.js";
import { signInIn } from "./sign-in-words.js";

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
  const question = signInIn(asked);
  if (signIn === undefined || question === undefined) return words;
  const { signInReply } = await import("./sign-in.js");
  try {
    return (await signInReply(words, { question, signIn, by })) ?? words;
  } catch (thrown) {
    say(visible(asFault(thrown).message));
    return undefined;
  }
}
