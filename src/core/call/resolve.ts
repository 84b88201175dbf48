// Resolve: find a call's tool, validate its arguments, freeze what validation made of them.

import type { Call } from "../data/call.js";
import { failure, type Failure } from "../data/failure.js";
import { explain } from "../data/fault.js";
import { deepFreeze } from "../data/json.js";
import type { FrozenCall } from "../ports/permission.js";
import { exampleArguments } from "../words/example-arguments.js";
import { invalidArguments, unknownTool, unreadable } from "../words/mistakes.js";
import type { Tool } from "../ports/tool.js";
import type { CompiledTool, Toolbox, Validation } from "../ports/toolbox.js";

/** A call that can be put to permission and run. */
export interface ResolvedCall {
  readonly call: Call;
  readonly frozen: FrozenCall;
  readonly tool: Tool;
}

/** A call that can't, and why. */
export interface UnresolvedCall {
  readonly call: Call;
  readonly failure: Failure;
}

/** Resolves one call. */
export async function resolve(tools: Toolbox, call: Call): Promise<ResolvedCall | UnresolvedCall> {
  if (call.type === "unreadable-call") return { call, failure: unreadable(call) };
  const found = tools.find(call.name);
  if (found === undefined) return { call, failure: unknownTool(call.name, tools) };
  const validation = await validate(found, call.input);
  if (!validation.ok) {
    const form = exampleArguments(found.schema.json);
    const fits = (await validate(found, form)).ok;
    const { issues } = validation;
    return { call, failure: invalidArguments(found, call.input, { issues, form: fits ? form : undefined }) };
  }
  const { tool } = found;
  const { name, effect } = tool;
  const input = validation.value;
  try {
    const reach = tool.reach?.(deepFreeze(input));
    return { call, tool, frozen: deepFreeze({ id: call.id, name, effect, input, ...(reach && { reach }) }) };
  } catch (thrown) {
    return { call, failure: unreachable(tool.name, explain(thrown), input) };
  }
}

/** Nothing can be asked about a call of which nobody can say what it concerns. */
function unreachable(tool: string, why: string, input: unknown): Failure {
  const message = `What it concerns can't be said, so it was not run: ${why}`;
  return failure("tool_error", { tool, message, advice: "Change the arguments, or go another way.", input });
}

async function validate({ schema }: CompiledTool, input: unknown): Promise<Validation> {
  try {
    return await schema.validate(input);
  } catch (thrown) {
    return { ok: false, issues: [{ path: "", message: `the schema could not read them: ${explain(thrown)}` }] };
  }
}
