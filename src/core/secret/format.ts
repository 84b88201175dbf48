// Secret formats: the interface of one format, and the span that it finds.

import type { Rest } from "./rest.js";

/** What a format found: the part of the text that is a secret. */
export interface SecretSpan {
  readonly from: number;
  readonly to: number;
  /** Where it may go on for as long as it likes: the rest of it is left out as it comes. */
  readonly rest?: Rest;
}

/** One thing that is looked for. */
export interface Format {
  /** What stands in place of it. */
  readonly kind: string;
  /** How it begins, in lower case: a text without one of these has none. */
  readonly openers: readonly string[];
  /** True where it may begin behind the character with this code, NaN at the start, at the place. */
  mayFollow(before: number, text: string, at: number): boolean;
  /** What is there, `no` or `more`. */
  see(text: string, at: number, isWhole: boolean): SecretSpan | number;
}
