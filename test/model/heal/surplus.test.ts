import { describe, expect, it } from "vitest";
import { inputOf, read, toolWith } from "./describe-tool.js";

const path = { path: { type: "string" }, depth: { type: "integer" } };

describe("fields that the tool does not have", () => {
  it("are left out, and told, where nothing is missing", () => {
    const reading = read('{"path":"a","reason":"look"}', toolWith(path, ["path"]));
    expect(reading).toMatchObject({ ok: true, input: { path: "a" }, repairs: ['the unknown field "reason" left out'] });
  });

  it.each([
    ["a required field is missing", '{"file_path":"a","depth":1}', toolWith(path, ["path"])],
    ["nothing would be left", '{"reason":"look"}', toolWith(path)],
    ["they could hold the arguments", '{"path":"b","input":{"path":"a"}}', toolWith(path, ["path"])],
    ["the schema has no field at all", '{"reason":"look"}', toolWith({})],
  ])("stay where %s", (_why, source, tool) => {
    expect(inputOf(source, tool)).toEqual(JSON.parse(source));
  });

  it("stay where the schema itself says what else there may be, or that there may not", () => {
    const tool = toolWith(path, ["path"]);
    for (const additionalProperties of [false, true, { type: "string" }]) {
      const parameters = { ...tool.parameters, additionalProperties };
      expect(inputOf('{"path":"a","reason":"look"}', { ...tool, parameters })).toEqual({ path: "a", reason: "look" });
    }
  });
});

describe("the name of a field with white space around it", () => {
  const tool = toolWith({ path: { type: "string" }, line: { type: "integer" } }, ["path"]);

  it.each(['{" path ":"a"}', '{"path\\n":"a"}', '{"\\tpath":"a"}'])("was no name of a field: %s", (source) => {
    expect(read(source, tool)).toMatchObject({
      ok: true,
      input: { path: "a" },
      repairs: [expect.stringContaining("white space")],
    });
    expect(inputOf({ " path ": "a" }, tool)).toEqual({ path: "a" });
  });

  it("stays where two fields would have one name, or the tool declares it so", () => {
    expect(inputOf('{"path":"a"," path ":"b"," other ":1}', tool)).toEqual({ path: "a" });
    expect(inputOf('{" x ":1}', toolWith({ " x ": {}, x: {} }))).toEqual({ " x ": 1 });
  });
});
