import { describe, expect, it } from "vitest";
import { readCall } from "../../../src/model/heal/index.js";
import type { CallReading } from "../../../src/model/data/raw-reply.js";

function call(name: string, tools: readonly string[], source = "{}"): CallReading {
  const described = tools.map((each) => ({ name: each, description: "", parameters: { type: "object" } }));
  return readCall({ id: "", name, arguments: source, extras: {} }, described);
}

describe("a tool's name", () => {
  it("is taken as it is where there is such a tool, whatever others are like it", () => {
    expect(call("read.File", ["read_file", "read.File"])).toMatchObject({ name: "read.File", repairs: [] });
  });

  it.each([
    "functions.read_file",
    "functions.read_file:0",
    "default_api.read_file",
    "tools.read_file:12",
    " read_file\n",
    '"read_file"',
    "`read_file`",
    "read_file<|channel|>commentary",
    "<|tool|><|call|>read_file",
    "Read_File",
    "READ_FILE",
    "read-file",
    "read.file",
    "read file",
    "readFile",
    "ReadFile",
    "functions.readFile:3",
  ])("is found in %j", (written) => {
    const reading = call(written, ["write_file", "read_file"]);
    expect(reading).toMatchObject({ ok: true, name: "read_file" });
    expect(reading.ok && reading.repairs).toHaveLength(1);
  });

  it.each([
    ...["default_api:read_file", "functions/read_file", "functions::read_file", "function.read_file", "tool:read_file"],
    ...[
      "tools/read_file",
      "Functions.read_file",
      "read_file()",
      "read_file( )",
      "functions.read_file()",
      "functions/read_file:0",
    ],
  ])("was not read with the prefix or the brackets of another system: %s", (written) => {
    expect(call(written, ["read_file", "write_file"])).toMatchObject({ ok: true, name: "read_file" });
  });

  it.each(["other:read_file", "server/read_file", "read_file(path)", "functions", "functions:0", "default_api:read"])(
    "stays unknown with a prefix that may mean something: %s",
    (written) => {
      expect(call(written, ["read_file", "write_file"])).toMatchObject({ ok: true, name: written });
    },
  );

  it("is found where the tool's own is in camelCase", () => {
    expect(call("get_http_url", ["getHTTPUrl"])).toMatchObject({ name: "getHTTPUrl" });
    expect(call("gethttpurl", ["getHTTPUrl"])).toMatchObject({ name: "getHTTPUrl" });
  });

  it.each([
    ["read_fil", ["read_file"]],
    ["file", ["read_file"]],
    ["execute_python", ["execute_command"]],
    ["readfile", ["read_file"]],
    ["read_file", ["mcp__a__read_file"]],
    ['read_file(path="a")', ["read_file"]],
    ["toString", ["read_file"]],
    ["__proto__", ["read_file"]],
    ["Read_File", ["read_file", "readFile"]],
    ["tools.read", ["read", "tools_read"]],
    [`functions.${"x".repeat(100_000)}`, ["x"]],
  ])("is never guessed: %.40s", (written, tools) => {
    expect(call(written, tools)).toEqual({ ok: true, name: written, input: {}, repairs: [] });
  });

  it("that no tool has leaves the arguments readable, and what can't be read away", () => {
    expect(call("other", ["read_file"], '{"path":"a",}')).toMatchObject({ ok: true, input: { path: "a" } });
    expect(call("other", ["read_file"], '{"path":')).toEqual({ ok: true, name: "other", input: {}, repairs: [] });
  });

  it("that is empty is told", () => {
    expect(call(" ", ["read_file"])).toMatchObject({ ok: false, kind: "malformed_call", name: "" });
  });

  it("is the tool's own where the arguments fail", () => {
    expect(call("functions.read_file", ["read_file"], "{")).toMatchObject({ ok: false, name: "read_file" });
  });
});
