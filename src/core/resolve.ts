// Resolve: find a call's tool, validate its arguments, freeze what validation made of them.

import type { Call } from "./call.js";
import type { Failure } from "./failure.js";
import { explain } from "./fault.js";
import { deepFreeze } from "./json.js";
import type { FrozenCall } from "./permission.js";
import { example, invalidArguments, unknownTool, unreadable } from "./prompt.js";
import type { Tool } from "./tool.js";
import type { CompiledTool, Toolbox, Validation } from "./toolbox.js";

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
    const form = example(found.schema.json);
    const fits = (await validate(found, form)).ok;
    const { issues } = validation;
    return { call, failure: invalidArguments(found, call.input, { issues, form: fits ? form : undefined }) };
  }
  const { tool } = found;
  const { name, effect } = tool;
  return { call, tool, frozen: deepFreeze({ id: call.id, name, effect, input: validation.value }) };
}

async function validate({ schema }: CompiledTool, input: unknown): Promise<Validation> {
  try {
    return await schema.validate(input);
  } catch (thrown) {
    return { ok: false, issues: [{ path: "", message: `the schema could not read them: ${explain(thrown)}` }] };
  }
}
