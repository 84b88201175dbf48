// A drift between our wires and the types of the package openai, planted in a copy in memory, breaks the compilation of the tests.

import { resolve } from "node:path";
import ts from "typescript";
import { beforeAll, describe, expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const assertions = resolve(root, "test/model/openai-types.test-d.ts");
const { options } = ts.parseJsonConfigFileContent(
  ts.readConfigFile(resolve(root, "test/tsconfig.json"), (path) => ts.sys.readFile(path)).config,
  ts.sys,
  resolve(root, "test"),
);
let clean: ts.Program;

/** Compiles the assertions, with one text of a file replaced. */
function compiled(file = "", text = "", replacement = ""): ts.Program {
  const host = ts.createCompilerHost(options);
  const planted = resolve(root, file);
  const read = host.getSourceFile.bind(host);
  host.getSourceFile = (name, ...rest) => {
    if (name !== planted) return clean?.getSourceFile(name) ?? read(name, ...rest);
    const source = ts.sys.readFile(name) ?? "";
    if (!source.includes(text)) throw new Error(`${file} has no text ${text}`);
    return ts.createSourceFile(name, source.replace(text, replacement), ts.ScriptTarget.ES2023, true);
  };
  return ts.createProgram([assertions], options, host);
}

function errorsIn(program: ts.Program): number {
  return program.getSemanticDiagnostics(program.getSourceFile(assertions)).length;
}

beforeAll(() => {
  clean = compiled();
}, 120_000);

describe("types of the package that drift from ours break `npm run types`:", () => {
  test("none has drifted", () => {
    expect(errorsIn(clean)).toBe(0);
  });

  const chat = "src/model/wire/chat-shapes.ts";
  const responses = "src/model/responses/responses-shapes.ts";
  const six = "node_modules/openai";
  const seven = "node_modules/openai-7";
  test.each([
    ["a key that no request has", chat, "include_usage: true", "include_usages: true"],
    ["a part of another type", chat, 'type: "image_url"', 'type: "picture"'],
    ["a role that no message has", chat, 'role: "tool"', 'role: "result"'],
    ["a key that no chunk has", chat, "completion_tokens:", "written_tokens:"],
    ["a key of another type", chat, "finish_reason: string", "finish_reason: number"],
    [
      "a key of a message that can be left out",
      chat,
      "tool_calls?: readonly ChatCall[]",
      "calls?: readonly ChatCall[]",
    ],
    [
      "an item without its id",
      responses,
      'type: "function_call_output";\n      readonly call_id',
      'type: "function_call_output";\n      readonly id',
    ],
    ["an image without its detail", responses, '; readonly detail: "auto"', ""],
    ["an event that is not sent", responses, '"response.refusal.delta"', '"response.refused.delta"'],
    ["an event without a key", responses, "delta: string", "piece: string"],
    ["a chunk of major 6", `${six}/resources/completions.d.mts`, "prompt_tokens_details?", "input_details?"],
    ["a client of major 6", `${six}/client.d.mts`, "buildRequest(", "makeRequestOf("],
    ["a hook of major 6", `${six}/client.d.mts`, "protected prepareOptions(", "protected prepare("],
    ["a hook of major 7", `${seven}/client.d.mts`, "protected prepareRequest(", "protected prepare("],
    [
      "an event of major 7",
      `${seven}/resources/responses/responses.d.mts`,
      "'response.function_call_arguments.done'",
      "'response.function_call.done'",
    ],
  ])("%s", (_what, file, text, replacement) => {
    expect(errorsIn(compiled(file, text, replacement))).toBeGreaterThan(0);
  });
});
