// The schemas that may declare a tool's input, and the input type of each. The interface of Standard Schema
// (https://standardschema.dev, version 1) is a copy of its public part, so that the types need no package.

import type { JsonObject } from "./json.js";

/** A schema of a library that implements Standard Schema, such as zod, arktype or valibot. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** The result of a validation. */
export type StandardResult<Output> =
  { readonly value: Output; readonly issues?: undefined } | { readonly issues: readonly StandardIssue[] };

/** One problem and its path. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The type of a validated value of the schema. */
export type InferOutput<S extends StandardSchema> = NonNullable<S["~standard"]["types"]>["output"];

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
