// Route 3: zod 3, converted by zod-to-json-schema.

import type * as Writer from "zod-to-json-schema";
import type { CompiledSchema, StandardIssue } from "../core/internal.js";
import { fromLibrary } from "./issue.js";
import { late } from "./late.js";
import { asParameters } from "./tool-parameters.js";
import { bigintSchema, unfit, whyUnfit } from "./zod-override.js";

/** A schema of zod 3. From 3.24 on it also implements Standard Schema, with the same results. */
export interface Zod3Schema {
  readonly _def: unknown;
  safeParseAsync(value: unknown): Promise<Parsed>;
}

type Parsed =
  | { readonly success: true; readonly data: unknown }
  | { readonly success: false; readonly error: { readonly issues: readonly StandardIssue[] } };

/** True for a schema of zod 3. Check for zod 4 first, because its schemas have a `_def` too. */
export function isZod3(schema: unknown): schema is Zod3Schema {
  return typeof schema === "object" && schema !== null && "_def" in schema && "safeParseAsync" in schema;
}

/** Compiles a schema of zod 3. */
export function compileZod3(schema: Zod3Schema): CompiledSchema {
  const writer = late("zod-to-json-schema", (require) => require("zod-to-json-schema") as typeof Writer);
  const json = writer.zodToJsonSchema(schema as never, {
    $refStrategy: "none",
    pipeStrategy: "input",
    override: (def, { currentPath }, seen) => written(def, currentPath, seen?.path) ?? writer.ignoreOverride,
  });
  return {
    json: asParameters(json),
    async validate(value) {
      const parsed = await schema.safeParseAsync(value);
      if (parsed.success) return { ok: true, value: parsed.data };
      return { ok: false, issues: fromLibrary(parsed.error.issues, value) };
    },
  };
}

/** Overrides for types that no JSON value fits, and recursion. Undefined leaves the part to the library. */
function written(
  def: object,
  path: readonly string[],
  seen: readonly string[] | undefined,
): { readonly $ref: string } | typeof bigintSchema | undefined {
  const { typeName, coerce } = def as { typeName?: unknown; coerce?: unknown };
  const why = coerce === true ? undefined : whyUnfit(String(typeName).replace(/^Zod/, "").toLowerCase());
  if (why !== undefined) throw unfit(path.slice(1), why);
  if (typeName === "ZodBigInt") return bigintSchema;
  // A schema inside itself becomes a reference; elsewhere it is repeated in full.
  if (seen === undefined || seen.length >= path.length || !seen.every((part, at) => path[at] === part))
    return undefined;
  return { $ref: seen.map((part) => part.replaceAll("~", "~0").replaceAll("/", "~1")).join("/") };
}
