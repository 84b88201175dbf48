// Removes an API key from an error, because some providers repeat the key that they refuse.

import { redactor, type Redactor } from "../../core/index.js";
import { isPlainObject } from "../../core/internal.js";

/** Takes an error and returns it without the secrets. An error of the client is changed in place, so that it keeps its class. */
export type Cleaner = (thrown: unknown) => unknown;

/** The shortest secret that is removed. A shorter secret, like `none`, is a word that messages use. */
const minCharacters = 8;

/** Names of headers whose values are secret. */
const secretName = /(?:^|[-_])(?:api-?key|key|token|auth|secret|cookie)/i;

/** Makes a function that removes the key and the values of secret headers from errors, from their causes and from their bodies. */
export function withoutKey(apiKey: string, headers: Readonly<Record<string, string>>): Cleaner {
  const secrets = Object.entries(headers).flatMap(([name, value]) => (secretName.test(name) ? [value] : []));
  const values = [apiKey, ...secrets].filter((value) => value.length >= minCharacters);
  /** Made at the first error, since most models never have one. */
  let made: Redactor | undefined;

  return function clean(thrown: unknown): unknown {
    const { data, text } = (made ??= redactor({ values }));
    if (typeof thrown === "string") return text(thrown);
    if (!(thrown instanceof Error)) return isPlainObject(thrown) ? data(thrown) : thrown;
    const error = thrown as Error & { error?: unknown };
    const message = text(error.message);
    if (message !== error.message) {
      error.message = message;
      error.stack = text(error.stack ?? "");
    }
    if (error.error !== undefined) error.error = data(error.error);
    if (error.cause !== undefined) error.cause = clean(error.cause);
    return error;
  };
}
