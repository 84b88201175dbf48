// The schemas that may declare a tool's input, and the input type of each.

import type { JsonObject } from "./json.js";
import type { InferOutput, StandardSchema } from "./standard-schema.js";

/** A schema of zod before 3.24, which does not implement Standard Schema yet. */
export interface EarlyZodSchema<Output = unknown> {
  readonly _output: Output;
  readonly safeParseAsync: (value: unknown) => Promise<unknown>;
}

/** JSON Schema of an object as plain data: `{ type: "object", properties: ... }`. The input is then typed as `JsonObject`. */
export interface JsonSchema {
  readonly type: string;
}

/** A schema that may declare a tool's input. */
export type ToolSchema = StandardSchema | EarlyZodSchema | JsonSchema;

/** The type of a tool's input for this schema. */
export type InputOf<Schema extends ToolSchema> = Schema extends StandardSchema
  ? InferOutput<Schema>
  : Schema extends EarlyZodSchema<infer Output>
    ? Output
    : JsonObject;
