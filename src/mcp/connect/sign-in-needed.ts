// Sign-in needed: the fault of a request that a server refused because nobody is signed in, or with too few rights.

import { LastcallError } from "../../core/index.js";

/** The words of a server about the sign-in that it wants. */
export interface Challenge {
  /** The scopes that the request needs, separated by spaces. Undefined if the server does not say. */
  readonly scope: string | undefined;
  /** The address of the metadata of the server, as it says. */
  readonly metadata: string | undefined;
  /** True if there is a grant whose rights do not suffice. */
  readonly isStepUp: boolean;
}

/** A request that was not carried out: its server wants a sign-in first. */
export class SignInNeeded extends LastcallError {
  readonly challenge: Challenge;

  constructor(challenge: Challenge) {
    super("authentication", "the server wants a sign-in");
    this.challenge = challenge;
  }
}

/** The sign-in that an error is about, also as its cause; undefined for any other error. */
export function signInNeededBy(thrown: unknown): SignInNeeded | undefined {
  let one = thrown;
  for (let depth = 0; one instanceof Error && depth < 6; depth += 1) {
    if (one instanceof SignInNeeded) return one;
    one = one.cause;
  }
  return undefined;
}
