// The package of JSON Web Tokens: the part that is used, as our own types, and its late loading.

import { loadOptional } from "../packages/index.js";

/** A function that finds the key of a token. */
export type KeyFinder = (header: object, token: object) => Promise<object>;

/** The functions of the package. */
export interface JosePackage {
  createLocalJWKSet(set: { readonly keys: readonly object[] }): KeyFinder;
  createRemoteJWKSet(url: URL): KeyFinder;
  jwtVerify(
    token: string,
    finder: KeyFinder,
    options: {
      readonly issuer: string;
      readonly audience: string;
      readonly algorithms: string[];
      readonly requiredClaims: string[];
      /** Seconds. */
      readonly clockTolerance: number;
    },
  ): Promise<{ readonly payload: object }>;
}

/**
 * Loads the package.
 * @throws LastcallError `configuration` if it is not installed, or does not fit.
 */
export function loadJose(): Promise<JosePackage> {
  const needed = { name: "jose", neededBy: "jwt", from: "6" };
  return loadOptional(needed, async () => (await import("jose")) as unknown as JosePackage);
}
