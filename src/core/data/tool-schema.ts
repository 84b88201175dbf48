// What a tool may declare its input with, and the type of input that each makes.

import type { JsonObject } from "./json.js";
import type { InferOutput, StandardSchema } from "./standard-schema.js";

/** A schema of zod before 3.24, which does not follow Standard Schema yet. */
export interface EarlyZodSchema<Output = unknown> {
  readonly _output: Output;
  readonly safeParseAsync: (value: unknown) => Promise<unknown>;
}

/** JSON Schema as plain data, of an object: `{ type: "object", properties: ... }`. Its input is not typed any further. */
export interface JsonSchema {
  readonly type: string;
}

/** What a tool's input may be declared with. */
export type ToolSchema = StandardSchema | EarlyZodSchema | JsonSchema;

/** The input that a tool gets when it declares this schema. */
export type InputOf<Schema extends ToolSchema> = Schema extends StandardSchema
  ? InferOutput<Schema>
  : Schema extends EarlyZodSchema<infer Output>
    ? Output
    : JsonObject;
