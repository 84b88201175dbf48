// Thrown values as plain data, with stacks and causes, for events and logs.

import { explain } from "./fault.js";

/** A thrown value as plain data. The model never reads it, and no journal holds it. */
export interface Thrown {
  /** The name of the error's class. Absent if the value is no error. */
  readonly name?: string;
  /** The message of the error; any other value as text. */
  readonly message: string;
  /** The code of the error if it is a text, such as `ENOENT`. */
  readonly code?: string;
  /** The stack. It names files of this machine. Absent if the value is no error. */
  readonly stack?: string;
  readonly cause?: Thrown;
}

/** The maximum number of causes in a chain. */
const maxCauses = 8;

/** Describes a thrown value of any type. It never throws. */
export function describeThrown(thrown: unknown, depth = 0): Thrown {
  const message = explain(thrown);
  if (!(thrown instanceof Error)) return { message };
  const { name, stack, cause, code } = thrown as Error & { readonly code?: unknown };
  return {
    name,
    message,
    ...(typeof code === "string" && { code }),
    ...(stack !== undefined && { stack }),
    ...(cause !== undefined && depth < maxCauses && { cause: describeThrown(cause, depth + 1) }),
  };
}
