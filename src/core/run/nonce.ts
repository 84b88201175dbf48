// The nonce of a run, which wraps results from outside.

import { newMark } from "../journal/outside.js";
import type { AgentParts } from "./run.js";
import { readsOutside } from "../words/system-prompt.js";

/** A new nonce; none if no tool of the agent reads from outside, and none can come that does. */
export function nonceFor({ tools, renew, runtime }: AgentParts): { readonly nonce?: string } {
  return readsOutside(tools) || renew !== undefined ? { nonce: newMark(runtime) } : {};
}
