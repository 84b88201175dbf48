// The interface of a secret format, and the span of text that it matches.

import type { Rest } from "./rest.js";

/** The part of a text that is a secret, from index `from` up to index `to`. */
export interface SecretSpan {
  readonly from: number;
  readonly to: number;
  /** Finds the end of a secret of any length, piece by piece. Absent if the secret ends at `to`. */
  readonly rest?: Rest;
}

/** One format of secrets. */
export interface Format {
  /** The kind that the marker `[redacted: kind]` names. */
  readonly kind: string;
  /** The possible beginnings, in lower case. A text without any beginning has no secret of this format. */
  readonly openers: readonly string[];
  /** True if a secret may begin at `at`, after a character with the code `before`. `before` is NaN at the start of the text. */
  mayFollow(before: number, text: string, at: number): boolean;
  /** Matches the text at `at`: the secret, `no` or `more`. `isWhole` is true if no more text will come. */
  match(text: string, at: number, isWhole: boolean): SecretSpan | number;
}
