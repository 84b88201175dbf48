// The entry `lastcall`: the public part of core, with the schema compiler and the transcript as defaults.

import { askFirst } from "./approval/index.js";
import type {
  Agent,
  AgentOptions,
  AnyApproval,
  Decision,
  Later,
  LimitsThatAsk,
  Tool,
  ToolSource,
} from "./core/index.js";
import { atCaller, createBareAgent, type Answered, type AskingAt, type WithSourced } from "./core/internal.js";
import { transcript } from "./memory/index.js";
import { compile } from "./schema/index.js";

export * from "./core/index.js";

/**
 * Makes an agent.
 * @throws LastcallError `configuration` that names the problem and the correction: a missing model, a bad or repeated tool name, a
 * schema that can't be sent, no loop-breaking tool, or a limit that is not a whole number, for example.
 */
export function createAgent<
  const Tools extends readonly Tool[],
  Answer extends Decision | Later = Decision,
  Returned extends AnyApproval = boolean,
  const Sources extends readonly ToolSource[] = readonly [],
  Ask extends LimitsThatAsk = never,
>(
  options: AgentOptions<Tools, Answer, Returned, Sources, Ask>,
): Agent<WithSourced<Tools, Sources>, Answer | Answered<Returned> | AskingAt<Ask>> {
  return atCaller(createAgent, () => createBareAgent(options, { compile, memory: transcript, askFirst }));
}
