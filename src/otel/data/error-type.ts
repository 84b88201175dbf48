// The type of an error, as spans and metrics have it.

import { LastcallError } from "../../core/index.js";

/** The type of an error: the code of a fault, or the name of the error. */
export function errorType(thrown: unknown): string {
  if (thrown instanceof LastcallError) return thrown.code;
  return thrown instanceof Error ? thrown.name : "_OTHER";
}
