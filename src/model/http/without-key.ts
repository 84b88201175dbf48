// Removes API keys from errors, because some providers repeat the key that they refuse.

import { redactor, type Redactor } from "../../core/index.js";
import { isPlainObject } from "../../core/internal.js";

/** Takes an error and returns it without the secrets. An error of the client is changed in place, so that it keeps its class. */
export type Cleaner = (thrown: unknown) => unknown;

/** The shortest secret that is removed. A shorter secret, like `none`, is a word that messages use. */
const minCharacters = 8;

/** Names of headers whose values are secret. */
const secretName = /(?:^|[-_])(?:api-?key|key|token|auth|secret|cookie)/i;

/** The number of secrets that are kept. A server repeats the secrets of the request that it refuses, and few requests are on their way. */
const mostKept = 200;

/** The secrets of requests. If a key changes, the secrets of the last requests stay. */
export interface Secrets {
  /** Takes the secrets of a request. Short ones are left out. */
  add(values: readonly string[]): void;
  /** Removes the secrets from an error, from its causes and from its body. */
  readonly clean: Cleaner;
}

/** The values that are secret among headers, or among the keys of a query. */
export function secretsIn(values: Iterable<readonly [string, string]>): readonly string[] {
  return [...values].flatMap(([name, value]) => {
    if (!secretName.test(name)) return [];
    // A server repeats `Bearer KEY`, or the key alone.
    return [value, value.slice(value.indexOf(" ") + 1)];
  });
}

/** Makes an empty set of secrets. */
export function secrets(): Secrets {
  const kept = new Set<string>();
  /** Made at the first error, since most models never have one. */
  let made: Redactor | undefined;

  function clean(thrown: unknown): unknown {
    const { data, text } = (made ??= redactor({ values: [...kept] }));
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
  }

  return {
    add(values) {
      for (const value of values) {
        if (value.length < minCharacters) continue;
        if (!kept.delete(value)) made = undefined;
        kept.add(value);
      }
      for (const value of [...kept].slice(0, -mostKept)) kept.delete(value);
    },
    clean,
  };
}

/** Makes a function that removes the key and the values of secret headers from errors, from their causes and from their bodies. */
export function withoutKey(apiKey: string, headers: Readonly<Record<string, string>>): Cleaner {
  const known = secrets();
  known.add([apiKey, ...secretsIn(Object.entries(headers))]);
  return known.clean;
}
