import { describe, expect, it } from "vitest";
import { inputOf, problemOf, read, toolWith } from "./describe-tool.js";

const path = { path: { type: "string" } };
const tool = toolWith(path, ["path"]);

describe("a wrapper around the arguments", () => {
  it.each([
    '{"arguments":{"path":"a"}}',
    '{"parameters":{"path":"a"}}',
    '{"input":{"path":"a"}}',
    `{"arguments":${JSON.stringify('{"path":"a"}')}}`,
    `{"arguments":${JSON.stringify("{'path':'a',}")}}`,
    '{"name":"edit","arguments":{"path":"a"}}',
  ])("is left out: %s", (source) => {
    const reading = read(source, tool);
    expect(reading).toMatchObject({ ok: true, input: { path: "a" } });
    expect(reading.ok && reading.repairs.length).toBeGreaterThan(0);
  });

  it("is left out where it holds nothing and nothing is needed", () => {
    expect(inputOf('{"arguments":{}}', toolWith({}))).toEqual({});
  });

  it.each([
    ["the schema has its name", '{"input":{"path":"a"}}', toolWith({ ...path, input: {} }, [])],
    ["the schema has a name", '{"name":"edit","input":{"path":"a"}}', toolWith({ ...path, name: {} }, [])],
    ["it names another tool", '{"name":"other","arguments":{"path":"a"}}', tool],
    ["there is something beside it", '{"path":"b","arguments":{"path":"a"}}', tool],
    ["it holds no object", '{"input":["a"]}', tool],
    ["it holds a text", '{"input":"a"}', tool],
    ["it lacks what is needed", '{"input":{"other":"a"}}', tool],
    ["it holds nothing that is declared", '{"input":{"other":"a"}}', toolWith(path)],
    ["any field is allowed", '{"input":{"path":"a"}}', toolWith(path, [], { additionalProperties: true })],
    ["there are several forms", '{"input":{"path":"a"}}', toolWith(path, [], { anyOf: [{}] })],
  ])("stays where %s", (_name, source, described) => {
    expect(inputOf(source, described)).toEqual(JSON.parse(source));
  });

  it("is left out around fields of texts too", () => {
    expect(inputOf({ arguments: '{"path":"a"}' }, tool)).toEqual({ path: "a" });
  });
});

describe("markup that swallowed the next argument", () => {
  it.each([
    ['{"path":"a</path>\\n<parameter name=\\"mode\\">x"}', "mode"],
    ['{"path":"a</path><parameter=mode>x"}', "mode"],
    ['{"path":"a</path>\\n</invoke>"}', "path"],
    ['{"list":[{"path":"</path>x</path> <parameter name=\\"mode\\">"}]}', "mode"],
    ['{"path":["a</path> <parameter=mode>"]}', "mode"],
  ])("is told: %s", (source, name) => {
    expect(problemOf(source)).toContain("markup");
    expect(problemOf(source)).toContain(`"${name}"`);
  });

  it.each([
    '{"path":"a</path>"}',
    '{"path":"a</other>\\n<parameter name=\\"mode\\">"}',
    '{"path":"<parameter name=\\"mode\\">"}',
    '{"path":"</path> and <parameter=mode>"}',
  ])("is not seen where a text only speaks of it: %s", (source) => {
    expect(inputOf(source)).toEqual(JSON.parse(source));
  });

  it("is told of fields of texts too", () => {
    expect(problemOf({ path: "a</path>\n<parameter=mode>x" })).toContain("markup");
  });
});
