// The type of input that a tool gets, for every kind of schema it may be declared with.

import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { z as zod323 } from "zod-3.23";
import { z as zod325 } from "zod-3.25";
import { z as zod325v4 } from "zod-3.25/v4";
import { z as zod40 } from "zod-4.0";
import { z as zod41 } from "zod-4.1";
import { z as zod42 } from "zod-4.2";
import { z as zod43 } from "zod-4.3";
import * as mini from "zod/mini";
import { z as zodV3 } from "zod/v3";
import { tool, type InputOf, type JsonObject, type Tool } from "../../src/index.js";

const named = { name: "x", description: "" } as const;

interface Search {
  query: string;
  limit: number;
}

describe("the input's type", () => {
  it("is the output of a schema of zod 4, whichever copy", () => {
    const a = z.object({ query: z.string(), limit: z.number().default(5) });
    const b = zod43.object({ query: zod43.string(), limit: zod43.number().default(5) });
    const c = zod42.object({ query: zod42.string(), limit: zod42.number().default(5) });
    const d = zod41.object({ query: zod41.string(), limit: zod41.number().default(5) });
    const e = zod40.object({ query: zod40.string(), limit: zod40.number().default(5) });
    const f = zod325v4.object({ query: zod325v4.string(), limit: zod325v4.number().default(5) });
    const g = mini.object({ query: mini.string(), limit: mini._default(mini.number(), 5) });
    expectTypeOf<InputOf<typeof a>>().toEqualTypeOf<Search>();
    expectTypeOf(tool({ ...named, input: a })).toEqualTypeOf<Tool<"x", Search, Search, "never">>();
    tool({
      ...named,
      input: b,
      run: (input) => {
        expectTypeOf(input).toEqualTypeOf<Search>();
      },
    });
    tool({
      ...named,
      input: c,
      run: (input) => {
        expectTypeOf(input).toEqualTypeOf<Search>();
      },
    });
    tool({
      ...named,
      input: d,
      run: (input) => {
        expectTypeOf(input).toEqualTypeOf<Search>();
      },
    });
    tool({
      ...named,
      input: e,
      run: (input) => {
        expectTypeOf(input).toEqualTypeOf<Search>();
      },
    });
    tool({
      ...named,
      input: f,
      run: (input) => {
        expectTypeOf(input).toEqualTypeOf<Search>();
      },
    });
    tool({
      ...named,
      input: g,
      run: (input) => {
        expectTypeOf(input).toEqualTypeOf<Search>();
      },
    });
  });

  it("is the output of a schema of zod 3, with Standard Schema and before it", () => {
    const a = zod325.object({ query: zod325.string(), limit: zod325.number().default(5) });
    const b = zodV3.object({ query: zodV3.string(), limit: zodV3.number().default(5) });
    const c = zod323.object({ query: zod323.string(), limit: zod323.number().default(5) });
    tool({
      ...named,
      input: a,
      run: (input) => {
        expectTypeOf(input).toEqualTypeOf<Search>();
      },
    });
    tool({
      ...named,
      input: b,
      run: (input) => {
        expectTypeOf(input).toEqualTypeOf<Search>();
      },
    });
    tool({
      ...named,
      input: c,
      run: (input) => {
        expectTypeOf(input).toEqualTypeOf<Search>();
      },
    });
    expectTypeOf(tool({ ...named, input: c })).toEqualTypeOf<Tool<"x", Search, Search, "never">>();
  });

  it("is the output of a schema of arktype and of valibot", () => {
    const a = type({ query: "string", limit: "number = 5" });
    const b = toStandardJsonSchema(v.object({ query: v.string(), limit: v.optional(v.number(), 5) }));
    tool({
      ...named,
      input: a,
      run: (input) => {
        expectTypeOf(input).toEqualTypeOf<Search>();
      },
    });
    tool({
      ...named,
      input: b,
      run: (input) => {
        expectTypeOf(input).toEqualTypeOf<Search>();
      },
    });
  });

  it("is a JSON object for JSON Schema, written in place, kept elsewhere or of another system", () => {
    const kept = { type: "object", properties: { query: { type: "string" } } };
    interface Listed {
      type: "object";
      properties?: Record<string, unknown>;
    }
    const listed = { type: "object" } as Listed;
    tool({
      ...named,
      input: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
      run: (input) => {
        expectTypeOf(input).toEqualTypeOf<JsonObject>();
      },
    });
    tool({
      ...named,
      input: kept,
      run: (input) => {
        expectTypeOf(input).toEqualTypeOf<JsonObject>();
      },
    });
    expectTypeOf(tool({ ...named, input: listed })).toEqualTypeOf<Tool<"x", JsonObject, JsonObject, "never">>();
    expectTypeOf(tool({ ...named, input: listed, isLoopBreaking: (input) => input["done"] === true })).toEqualTypeOf<
      Tool<"x", JsonObject, JsonObject, "completed">
    >();
    tool({ ...named, input: listed, streams: "query" });
  });
});

describe("what is no schema", () => {
  it("is not taken", () => {
    // @ts-expect-error The shape of an object.
    tool({ ...named, input: { path: z.string() } });
    // @ts-expect-error A shape with a field named type.
    tool({ ...named, input: { type: z.string() } });
    // @ts-expect-error Nothing at all.
    tool({ ...named, input: undefined });
    // @ts-expect-error A text is no schema.
    tool({ ...named, input: "object" });
    // @ts-expect-error JSON Schema without a type.
    tool({ ...named, input: { properties: {} } });
  });
});
