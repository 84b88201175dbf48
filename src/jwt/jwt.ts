// jwt: principals by the JSON Web Tokens of an issuer.

import { LastcallError, type JsonObject, type Principal } from "../core/index.js";
import { atCaller, checkOptions, explain, listOf, needed, type OptionKinds } from "../core/internal.js";
import { bearerIn, thisMachine } from "../guard/index.js";
import { loadJose, type JosePackage, type KeyFinder } from "./jose-package.js";

/** The options of `jwt`. */
export interface JwtOptions {
  /** The issuer, exactly as tokens name it in `iss`. */
  readonly issuer: string;
  /** The name of this server at the issuer, which a token has in `aud`. */
  readonly audience: string;
  /** The public keys of the issuer, as JSON Web Keys. Of several, each has a `kid`. Either `keys` or `jwksUrl` is given. */
  readonly keys?: readonly object[] | undefined;
  /**
   * The address of the issuer's public keys, `https:`, or `http:` on this machine. The keys are fetched with the first token, kept for ten
   * minutes, and fetched again for a key that is not among them, at most every 30 seconds.
   */
  readonly jwksUrl?: string | undefined;
  /** The algorithms that count. Default: `RS256`, `PS256`, `ES256`, `EdDSA` and `Ed25519`. `none` and shared secrets never count. */
  readonly algorithms?: readonly string[] | undefined;
  /** The principal of the claims of a verified token; undefined for nobody. Default: `sub` as the id. A token without it is nobody's. */
  readonly principal?: ((claims: JsonObject) => Principal | undefined | Promise<Principal | undefined>) | undefined;
}

const jwtOptions = {
  issuer: needed("text"),
  audience: needed("text"),
  keys: listOf("object"),
  jwksUrl: "text",
  algorithms: listOf("text"),
  principal: "function",
} satisfies OptionKinds<JwtOptions>;

/** The algorithms that verify with a public key. */
const known = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"];
const usual = ["RS256", "PS256", "ES256", "EdDSA", "Ed25519"];

/** Seconds by which the clocks of the issuer and of this machine may differ. */
const clockTolerance = 5;

/**
 * Makes an `authenticate` of the JSON Web Tokens of an issuer: a request brings one as `authorization: Bearer <token>`. The signature, the
 * issuer, the audience, `exp`, which has to be there, and `nbf` count. Clocks may differ by 5 seconds. It needs the package `jose`, and
 * loads it with the first token.
 * @throws LastcallError `configuration` for a wrong option, and unless it has either keys or an address of keys. The function that it
 * returns rejects with `configuration` if the package is missing or a key can't be used, and with `provider_unavailable` if the keys can't
 * be fetched.
 */
export function jwt(options: JwtOptions): (request: Request) => Promise<Principal | undefined> {
  atCaller(jwt, () => {
    expectOptions(options);
  });
  const { issuer, audience, algorithms = usual, principal = subjectOf } = options;
  const terms = { issuer, audience, algorithms: [...algorithms], requiredClaims: ["exp"], clockTolerance };
  let loading: Promise<readonly [JosePackage, KeyFinder]> | undefined;
  return async (request) => {
    const token = bearerIn(request);
    if (token === undefined) return undefined;
    loading ??= loadJose().then((jose) => [jose, finderOf(jose, options)] as const);
    const [jose, finder] = await loading;
    const claims = await claimsOf(() => jose.jwtVerify(token, finder, terms));
    return claims === undefined ? undefined : principal(claims);
  };
}

/** The claims of a token that verifies; undefined for a token that does not. The error of the package has the claims, so nobody gets it. */
async function claimsOf(verify: () => Promise<{ readonly payload: object }>): Promise<JsonObject | undefined> {
  try {
    return (await verify()).payload as JsonObject;
  } catch (thrown) {
    if (thrown instanceof LastcallError) throw thrown;
    if (codeOf(thrown).startsWith("ERR_J")) return undefined;
    throw wrong(`jwt can't verify with the key that a token names: ${explain(thrown)}`);
  }
}

/** The keys, with faults of ours kept apart from tokens that name no key. */
function finderOf(jose: JosePackage, { keys, jwksUrl = "" }: JwtOptions): KeyFinder {
  const find = keys === undefined ? jose.createRemoteJWKSet(new URL(jwksUrl)) : jose.createLocalJWKSet({ keys });
  return async (header, token) => {
    try {
      return await find(header, token);
    } catch (thrown) {
      if (keysOfTokens.has(codeOf(thrown))) throw thrown;
      if (keys !== undefined) throw wrong(`jwt can't use a key of its option keys: ${explain(thrown)}`);
      const message = `The keys of ${new URL(jwksUrl).host} can't be used, so jwt can't verify tokens: ${explain(thrown)}`;
      throw new LastcallError("provider_unavailable", message, { cause: thrown });
    }
  };
}

/** The codes of errors about the key that a token names: there is none, or there are several. */
const keysOfTokens = new Set(["ERR_JWKS_NO_MATCHING_KEY", "ERR_JWKS_MULTIPLE_MATCHING_KEYS"]);

function codeOf(thrown: unknown): string {
  const { code } = (thrown ?? {}) as { readonly code?: unknown };
  return typeof code === "string" ? code : "";
}

function subjectOf({ sub }: JsonObject): Principal | undefined {
  return typeof sub === "string" && sub.trim() !== "" ? { id: sub } : undefined;
}

function expectOptions(options: JwtOptions): void {
  checkOptions("jwt", options, jwtOptions);
  const { issuer, audience, keys, jwksUrl, algorithms = usual } = options;
  // Of an empty one, the package would take tokens without it.
  if (issuer === "" || audience === "") throw wrong("jwt needs an issuer and an audience: one of the two is empty.");
  if (algorithms.length === 0) throw wrong("jwt has no algorithm in algorithms: give some, or leave the option out.");
  const unknown = algorithms.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw wrong(
      `jwt takes no algorithm "${unknown}": give some of ${known.join(", ")}, which verify with a public key.`,
    );
  if ((keys === undefined) === (jwksUrl === undefined))
    throw wrong("jwt takes keys or a jwksUrl: give one of the two.");
  if (keys !== undefined) expectKeys(keys);
  if (jwksUrl !== undefined) expectAddress(jwksUrl);
}

function expectKeys(keys: readonly object[]): void {
  if (keys.length === 0) throw wrong("jwt has no key in keys: give the public keys of the issuer.");
  for (const [at, key] of (keys as readonly Readonly<Record<string, unknown>>[]).entries()) {
    const { kty, kid, d, k, n } = key;
    const place = `The key ${String(at)} of jwt`;
    if (d !== undefined || k !== undefined)
      throw wrong(`${place} is private, or a shared secret: give the public key, without d and k.`);
    if (typeof kty !== "string" || !["RSA", "EC", "OKP"].includes(kty))
      throw wrong(`${place} is no public JSON Web Key: its kty is RSA, EC or OKP.`);
    if (keys.length > 1 && typeof kid !== "string")
      throw wrong(`${place} has no kid: of several keys each needs one, which tokens name.`);
    // 256 bytes in base64url.
    if (kty === "RSA" && String(n).length < 342)
      throw wrong(`${place} is an RSA key of less than 2048 bits: take a longer one.`);
  }
}

function expectAddress(address: string): void {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isHere = thisMachine.includes(url?.hostname ?? "");
  if (url?.protocol !== "https:" && !(url?.protocol === "http:" && isHere))
    throw wrong("The jwksUrl of jwt is no address that keys can be trusted from: give one of https:.");
}

function wrong(message: string): LastcallError {
  return new LastcallError("configuration", message);
}
