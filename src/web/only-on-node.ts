// The exports that need an operating system: elsewhere each says so when it is called.

import { LastcallError } from "../core/index.js";

/**
 * A function in place of an export that needs files, processes or a server of its own.
 * @throws LastcallError `configuration` when it is called.
 */
export function onlyOnNode(name: string): (...given: readonly unknown[]) => never {
  return () => {
    throw new LastcallError(
      "configuration",
      `${name} needs files, processes or a server of its own, which this runtime does not have. It runs on Node, Bun and Deno.`,
    );
  };
}
