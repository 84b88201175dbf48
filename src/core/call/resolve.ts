// Resolves a call: finds its tool, validates its arguments, and freezes the validated arguments.

import type { Call } from "../data/call.js";
import { failure, type Failure } from "../data/failure.js";
import { explain } from "../data/fault.js";
import { deepFreeze } from "../data/json.js";
import type { Principal } from "../data/principal.js";
import type { FrozenCall } from "../ports/permission.js";
import { exampleArguments } from "../words/example-arguments.js";
import { invalidArguments, unknownTool, unreadable } from "../words/mistakes.js";
import type { Tool } from "../ports/tool.js";
import type { CompiledTool, Toolbox, Validation } from "../ports/toolbox.js";

/** A call that is ready for permission and for its run. */
export interface ResolvedCall {
  readonly call: Call;
  readonly frozen: FrozenCall;
  readonly tool: Tool;
}

/** A call that cannot run, with the failure that says why. */
export interface UnresolvedCall {
  readonly call: Call;
  readonly failure: Failure;
  /** The thrown value, if an error of the tool's `reach` or schema caused the failure. */
  readonly error?: unknown;
}

/**
 * Resolves one call, which follows from the words of this principal. An unreadable call, an unknown tool and invalid arguments are
 * failures, not faults.
 */
export async function resolve(
  tools: Toolbox,
  call: Call,
  principal?: Principal,
): Promise<ResolvedCall | UnresolvedCall> {
  if (call.type === "unreadable-call") return { call, failure: unreadable(call) };
  const compiled = tools.find(call.name);
  if (compiled === undefined) return { call, failure: unknownTool(call.name, tools) };
  const validation = await validate(compiled, call.input);
  if (!validation.ok) {
    const form = exampleArguments(compiled.schema.json);
    const fits = (await validate(compiled, form)).ok;
    const { issues, error } = validation;
    const failure = invalidArguments(compiled, call.input, { issues, form: fits ? form : undefined });
    return { call, failure, ...(error !== undefined && { error }) };
  }
  const { tool } = compiled;
  const { name, effect, definition } = tool;
  const pinned = definition === undefined ? {} : { definition };
  const input = validation.value;
  try {
    const reach = tool.reach?.(deepFreeze(input));
    const whole = {
      id: call.id,
      name,
      effect,
      input,
      ...pinned,
      ...(reach && { reach }),
      ...(principal && { principal }),
    };
    return { call, tool, frozen: deepFreeze(whole) };
  } catch (thrown) {
    return { call, failure: unreachable(tool.name, explain(thrown), input), error: thrown };
  }
}

/** The failure of a call whose `reach` threw. Permission cannot judge a call with an unknown reach. */
function unreachable(tool: string, why: string, input: unknown): Failure {
  const message = `What it concerns can't be said, so it was not run: ${why}`;
  return failure("tool_error", { tool, message, advice: "Change the arguments, or go another way.", input });
}

/** A validation, with the value that the schema threw if it could not validate. */
type Attempt = Validation & { readonly error?: unknown };

/** Validates arguments. A schema that throws makes them invalid. */
export async function validate({ schema }: CompiledTool, input: unknown): Promise<Attempt> {
  try {
    return await schema.validate(input);
  } catch (thrown) {
    const message = `the schema could not read them: ${explain(thrown)}`;
    return { ok: false, issues: [{ path: "", message }], error: thrown };
  }
}
