// bearerTokens: principals by the tokens that they bring.

import { createHash, timingSafeEqual } from "node:crypto";
import { LastcallError, type Principal } from "../../core/index.js";
import {
  atCaller,
  checkOptions,
  expectKind,
  listOf,
  needed,
  readPrincipal,
  type OptionKinds,
} from "../../core/internal.js";
import { bearerIn } from "../../guard/index.js";

/** A token, and the principal that brings it. */
export interface BearerToken {
  /**
   * The token: letters, digits and `-._~+/`, with `=` at the end, at least 22 characters. 128 random bits in base64url are 22 characters.
   */
  readonly token: string;
  readonly principal: Principal;
}

/** The fewest characters of a token. */
const shortest = 22;

const tokenKinds = { token: needed("text"), principal: needed("object") } satisfies OptionKinds<BearerToken>;

/**
 * Makes an `authenticate` of a list of tokens: a request brings one as `authorization: Bearer <token>`. A principal may have several, so a
 * new token can come before the old token goes. Tokens are compared in constant time.
 * @throws LastcallError `configuration` for an empty list, for a token that is short, has other characters or stands there twice, and for a
 * principal that is none. The message has the place of the token in the list, and no token.
 */
export function bearerTokens(tokens: readonly BearerToken[]): (request: Request) => Principal | undefined {
  const known = atCaller(bearerTokens, () => readTokens(tokens));
  return (request) => {
    const digest = digestOf(bearerIn(request) ?? "");
    // All are compared, so that the time does not tell the place in the list.
    const [found] = known.filter((one) => timingSafeEqual(one.digest, digest));
    return found?.principal;
  };
}

interface KnownToken {
  readonly digest: Uint8Array;
  readonly principal: Principal;
}

function readTokens(tokens: readonly BearerToken[]): readonly KnownToken[] {
  expectKind("The list of bearerTokens", tokens, listOf("object"));
  if (tokens.length === 0)
    throw wrong("bearerTokens got an empty list, so nobody could ask: give { token, principal }.");
  const known: KnownToken[] = [];
  for (const [at, one] of tokens.entries()) {
    const place = `The member ${String(at)} of bearerTokens`;
    checkOptions(place, one, tokenKinds);
    if (one.token.length < shortest)
      throw wrong(
        `${place} has a token of less than ${String(shortest)} characters: give a random token that nobody guesses.`,
      );
    if (!/^[\w.~+/-]+=*$/.test(one.token))
      throw wrong(
        `${place} has a token that no header can bring: give letters, digits and -._~+/ alone, with = at the end.`,
      );
    const digest = digestOf(one.token);
    if (known.some((other) => timingSafeEqual(other.digest, digest)))
      throw wrong(`${place} has the token of another member: give each principal a token of its own.`);
    known.push({ digest, principal: readPrincipal(one.principal, `${place} has a principal that`) });
  }
  return known;
}

function digestOf(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}

function wrong(message: string): LastcallError {
  return new LastcallError("configuration", message);
}
