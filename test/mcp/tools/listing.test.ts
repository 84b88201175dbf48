// The list of tools that a server sent, checked one by one.

import { describe, expect, test } from "vitest";
import { readListing, type ListedTool } from "../../../src/mcp/tools/listing.js";
import { readOptions, type McpOptions } from "../../../src/mcp/tools/mcp-options.js";
import { listed } from "../plain-server.js";

function listing(sent: readonly unknown[], options: Partial<McpOptions> = {}) {
  return readListing(sent, readOptions({ name: "git", command: "git-server", ...options }));
}

describe("the hints of a server", () => {
  const hinted = (annotations: object, options: Partial<McpOptions>): Pick<ListedTool, "effect" | "isIdempotent"> => {
    const [tool] = listing([listed("log", { annotations })], options).tools;
    return { effect: tool!.effect, isIdempotent: tool!.isIdempotent };
  };
  const careful = { effect: "network", isIdempotent: false };

  test.each([[{ readOnlyHint: true }], [{ idempotentHint: true }], [{ readOnlyHint: true, idempotentHint: true }]])(
    "count for nothing unless the server is trusted: %j",
    (hints) => {
      expect(hinted(hints, {})).toEqual(careful);
      expect(hinted(hints, { trust: false })).toEqual(careful);
      expect(hinted(hints, { trust: true }).isIdempotent).toBe(true);
    },
  );

  test("make a tool of a trusted server one that reads only if they are true", () => {
    expect(hinted({ readOnlyHint: true }, { trust: true })).toEqual({ effect: "read", isIdempotent: true });
    expect(hinted({ idempotentHint: true }, { trust: true })).toEqual({ effect: "network", isIdempotent: true });
    for (const hints of [{}, { readOnlyHint: "true" }, { readOnlyHint: false }])
      expect(hinted(hints, { trust: true })).toEqual(careful);
  });
});

describe("a tool that can't be used", () => {
  const deep = (levels: number): object => (levels === 0 ? {} : { properties: { a: deep(levels - 1) } });

  test.each([
    ["hides characters in the name of a field", { type: "object", properties: { "a\u200Bb": {} } }, "hides characters"],
    [
      "hides characters in the name of a field of a field",
      { type: "object", properties: { a: { type: "object", properties: { "b\u200B": {} } } } },
      "hides characters",
    ],
    ["is too deep", { type: "object", ...deep(30) }, "more than 40 levels"],
    ["is too long", { type: "object", title: "x".repeat(100_001) }, "more than 100000"],
    ["has no schema", "object", "no schema"],
  ])("is left out, and the other tools are not: it %s", (_name, inputSchema, why) => {
    const { tools, leftOut } = listing([listed("bad", { inputSchema }), listed("good")]);
    expect(tools.map(({ name }) => name)).toEqual(["git__good"]);
    expect([...leftOut]).toEqual([["bad", expect.stringContaining(why)]]);
  });
});

test("a list with more tools than allowed is refused, and one with as many is not", () => {
  const sent = ["a", "b", "c"].map((name) => listed(name));
  expect(listing(sent, { maxTools: 3 }).tools).toHaveLength(3);
  expect(() => listing(sent, { maxTools: 2 })).toThrow("has 3 tools, more than 2");
  expect(listing(sent, { maxTools: 2, only: ["a", "c"] }).tools.map(({ original }) => original)).toEqual(["a", "c"]);
});

test("the digest of a tool changes with each word that the server sent of it", () => {
  const digestOf = (more: object): string => listing([listed("log", more)]).tools[0]!.digest;
  const forms = [{}, { description: "Else." }, { title: "Log" }, { inputSchema: { type: "object", title: "x" } }];
  const all = [...forms, { annotations: { readOnlyHint: true } }].map(digestOf);
  expect(new Set(all).size).toBe(5);
  expect(digestOf({})).toBe(all[0]);
});

describe("the schema of a tool's arguments", () => {
  const schemaOf = (inputSchema: unknown): unknown => listing([listed("look", { inputSchema })]).tools[0]?.schema;

  test.each([{}, null, undefined, true, { type: "object" }, { type: ["object", "null"] }])(
    "is any object if the server says no more: %j",
    (given) => {
      expect(schemaOf(given)).toEqual({ type: "object" });
    },
  );

  test("is an object with these fields if only its type is missing", () => {
    const properties = { at: { type: "string" } };
    expect(schemaOf({ properties, required: ["at"] })).toEqual({ type: "object", properties, required: ["at"] });
  });

  test("demands no field that has a default, at any depth", () => {
    const shot = { type: "object", properties: { scale: { default: null }, at: {} }, required: ["scale", "at"] };
    const open = { ...shot, required: ["at"] };
    expect(schemaOf(shot)).toEqual(open);
    expect(schemaOf({ type: "object", properties: { required: shot, list: { type: "array", items: shot } } })).toEqual({
      type: "object",
      properties: { required: open, list: { type: "array", items: open } },
    });
    expect(schemaOf({ type: "object", $ref: "#/$defs/a", $defs: { a: shot } })).toEqual({
      type: "object",
      $ref: "#/$defs/a",
      $defs: { a: open },
    });
    const data = { type: "object", properties: { a: { default: shot, enum: [shot], const: shot } } };
    expect(schemaOf(data)).toEqual(data);
    expect(schemaOf({ type: "object", required: ["toString", 5] })).toEqual({
      type: "object",
      required: ["toString", 5],
    });
  });
});

test("a tool that runs as a task alone is left out, and one that may is not", () => {
  const tools = ["required", "optional", "forbidden", 5].map((taskSupport, at) =>
    listed(`t${String(at)}`, { execution: { taskSupport } }),
  );
  const { tools: kept, leftOut } = listing(tools);
  expect(kept.map(({ original }) => original)).toEqual(["t1", "t2", "t3"]);
  expect([...leftOut]).toEqual([["t0", "it runs as a task alone, and tasks of servers are not taken here"]]);
});
