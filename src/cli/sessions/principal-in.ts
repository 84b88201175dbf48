// The person or program that the command works for, if it was told the name.

import type { Principal } from "../../core/index.js";
import type { Settings } from "../args/args.js";

/** The principal of `--as`; undefined without it. */
export function principalIn({ as: name }: Pick<Settings, "as">): Principal | undefined {
  return name === undefined ? undefined : { id: name };
}
