// An agent that paints planks and asks to go on at its limit, for tests of surfaces.

import { createAgent, tool, type Agent, type ApprovalOptions } from "../../src/index.js";
import { call, scriptedModel } from "../../src/testing/index.js";
import { taskCompletion } from "../../src/tools/index.js";

/** The question at the limit. */
export const mayGoOn = "The run reached 3 iterations. May it go on, for 2 more (at a cost of about 0.4)?";

/** An agent that reaches its limit with three of four planks painted. `painted` has an entry for each plank. */
export function fencePainter(approvals?: ApprovalOptions): { readonly agent: Agent; readonly painted: string[] } {
  const painted: string[] = [];
  const paint = tool({
    name: "paint",
    description: "Paints a plank.",
    input: { type: "object", properties: {} },
    run: () => `${String(painted.push("plank"))} planks are painted`,
  });
  const model = scriptedModel(({ lastText }) => {
    const isLast = lastText.includes("has to end") || painted.length >= 4;
    return {
      calls: [isLast ? call("task_completion", { result: "Painted." }) : call("paint")],
      usage: { inputTokens: 100, outputTokens: 10 },
    };
  });
  const prices = { scripted: { input: 1000, output: 10_000 } };
  const limits = { maxIterations: 3, ask: { maxIterations: 2 }, prices };
  const agent = createAgent({ model, tools: [paint, taskCompletion()], limits, ...(approvals && { approvals }) });
  return { agent: agent as Agent, painted };
}
