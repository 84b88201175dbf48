// The public part of the Standard Schema interface (https://standardschema.dev, version 1), written out so that our
// types need no package.

/** A schema of any library that follows Standard Schema: zod, arktype, valibot and others. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** What validation says. */
export type StandardResult<Output> =
  { readonly value: Output; readonly issues?: undefined } | { readonly issues: readonly StandardIssue[] };

/** One thing that is wrong, and where. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The type a schema's validation returns. */
export type InferOutput<S extends StandardSchema> = NonNullable<S["~standard"]["types"]>["output"];
