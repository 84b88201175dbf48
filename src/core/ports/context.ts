// Contexts: values that the caller gives to one run, for the tools that declare a schema for them, for hooks and for permission.

import { explain, LastcallError } from "../data/fault.js";
import type { StandardSchema } from "../data/tool-schema.js";
import type { Tool } from "./tool.js";

/**
 * The context that a tool needs, as the argument of a function, so that the contexts of several tools intersect. A tool that hands
 * over needs what the tools that it leads to need.
 */
type Needs<T> = T extends { readonly context: infer Schema extends StandardSchema }
  ? (context: NonNullable<Schema["~standard"]["types"]>["input"]) => void
  : T extends { readonly "~tools": infer Others }
    ? Needs<Others>
    : never;

/** The context that a run of these tools needs: the intersection of the contexts that they take. Unknown if none needs one. */
export type ContextOf<Tools extends readonly Tool[]> =
  Needs<Tools[number]> extends (context: infer All) => void ? All : unknown;

/** The options of a run of these tools, as the last arguments. They are required if a tool needs a context. */
export type WithContext<Tools extends readonly Tool[], Options> =
  unknown extends ContextOf<Tools>
    ? [options?: Options & { readonly context?: unknown }]
    : [options: Options & { readonly context: ContextOf<Tools> }];

/** The context of one run. */
export interface RunContext {
  /** The value that the caller gave. */
  readonly given: unknown;
  /** For each tool that declares a context, by its schema: the value that the schema made. */
  readonly bySchema: ReadonlyMap<StandardSchema, unknown>;
}

/**
 * Validates the context of a run for each tool that declares one.
 * @throws LastcallError `configuration` that names the tool, if the context is missing or does not fit.
 */
export function readContext(tools: readonly Tool[], given: unknown): RunContext {
  const bySchema = new Map<StandardSchema, unknown>();
  for (const { name, context } of tools) {
    if (context !== undefined && !bySchema.has(context)) bySchema.set(context, contextFor(name, context, given));
  }
  return { given, bySchema };
}

function contextFor(tool: string, schema: StandardSchema, given: unknown): unknown {
  const refuse = (why: string, cause?: unknown): LastcallError => {
    const message = `The tool "${tool}" needs a context that this run does not have: ${why}. Give it as run(input, { context }).`;
    return new LastcallError("configuration", message, cause === undefined ? {} : { cause });
  };
  let result: ReturnType<StandardSchema["~standard"]["validate"]>;
  try {
    result = schema["~standard"].validate(given);
  } catch (thrown) {
    throw refuse(explain(thrown), thrown);
  }
  if (result instanceof Promise) throw refuse("its schema must be one that validates at once, without promises");
  if (result.issues === undefined) return result.value;
  const problems = result.issues.map(({ path = [], message }) => {
    const at = path.map((part) => String(typeof part === "object" ? part.key : part)).join(".");
    return at === "" ? message : `${at}: ${message}`;
  });
  throw refuse(problems.join("; "));
}
