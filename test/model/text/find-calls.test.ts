// Tests of finding calls in a text: calls, words that look like calls, and the problems of calls that can't be read.

import { describe, expect, test } from "vitest";
import type { ToolDescription } from "../../../src/core/index.js";
import { findCalls, writeResult } from "../../../src/model/text/index.js";

const text = { type: "string" };

function described(name: string, properties: Record<string, unknown>): ToolDescription {
  const parameters = { type: "object", properties, required: Object.keys(properties) } as ToolDescription["parameters"];
  return { name, description: "", parameters };
}

const edits = { type: "array", items: { type: "object", properties: { search: text, replace: text } } };
const tools = [
  described("read_file", { path: text }),
  described("write_file", { path: text, content: text }),
  described("edit_file", { path: text, edits }),
  described("tag", { names: { type: "array", items: text } }),
];

function xml(fields: string, name = "write_file"): string {
  return `<tool>\n<tool_name>${name}</tool_name>\n<arguments>\n${fields}\n</arguments>\n</tool>`;
}

const read = xml("<path>a.ts</path>", "read_file");
const hermes = '<tool_call>{"name": "read_file", "arguments": {"path": "a.ts"}}</tool_call>';
const qwen = "<tool_call>\n<function=read_file>\n<parameter=path>\na.ts\n</parameter>\n</function>\n</tool_call>";
const glm = "<tool_call>read_file\n<arg_key>path</arg_key>\n<arg_value>a.ts</arg_value>\n</tool_call>";
const invoke =
  '<function_calls>\n<invoke name="read_file">\n<parameter name="path">a.ts</parameter>\n</invoke>\n</function_calls>';
const deepseek =
  '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read_file<｜tool▁sep｜>{"path": "a.ts"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>';
const kimi = '<|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>{"path": "a.ts"}<|tool_call_end|>';
const mistral = '[TOOL_CALLS]read_file[ARGS]{"path": "a.ts"}';
const harmony = '<|channel|>commentary to=functions.read_file <|constrain|>json<|message|>{"path": "a.ts"}<|call|>';
const llama = '<|python_tag|>{"name": "read_file", "parameters": {"path": "a.ts"}}<|eom_id|>';
const dialects = { read, hermes, qwen, glm, invoke, deepseek, kimi, mistral, harmony, llama };
const named = Object.entries(dialects);

async function names(reply: string): Promise<readonly string[]> {
  const { calls } = await findCalls(reply, tools);
  return calls.map((call) => ("problem" in call ? `${call.kind} ${call.name}` : call.name));
}

async function fields(reply: string): Promise<unknown> {
  const [call] = (await findCalls(reply, tools)).calls;
  return call !== undefined && "arguments" in call ? call.arguments : call;
}

async function problem(reply: string): Promise<string> {
  const { calls } = await findCalls(reply, tools);
  return calls.map((call) => ("problem" in call ? call.problem : `a call of ${call.name}`)).join("\n");
}

describe("a call in any dialect", () => {
  test.each(named)("is found alone, behind words and behind thinking: %s", async (_name, call) => {
    expect(await names(call)).toEqual(["read_file"]);
    expect(await names(`I will read it.\n\n${call}`)).toEqual(["read_file"]);
    expect(await names(`<think>Like ${call}?</think>\n${call}`)).toEqual(["read_file"]);
    expect(await names(`<think>I never stop.\n${call}`)).toEqual(["read_file"]);
    const given = await fields(call);
    expect(typeof given === "string" ? JSON.parse(given) : given).toEqual({ path: "a.ts" });
    expect((await findCalls(`I will read it.\n\n${call}`, tools)).text).toBe("I will read it.\n\n");
  });

  test.each(named)("is found twice in one reply: %s", async (_name, call) => {
    expect(await names(`${call}\n${call}`)).toEqual(["read_file", "read_file"]);
  });

  test.each(named)("is none in closed thinking, code, quotes or results: %s", async (_name, call) => {
    const quoted = [
      `<thinking>a <thinking>b</thinking> ${call}</thinking> Done.`,
      `thought before the reply\n${call}\n</think>Done.`,
      `So:\n\`\`\`xml\n${call}\n\`\`\`\nDone.`,
      `So:\n~~~\n${call}`,
      `Write \`\`${call}\`\` so.`,
      `Write "${call}" so.`,
      call
        .split("\n")
        .map((line) => `> ${line}`)
        .join("\n"),
      `<tool_result name="x">\n${call}\n</tool_result>\nDone.`,
      `<tool_result name="x">\n${call}`,
    ];
    for (const reply of quoted)
      expect([reply, await findCalls(reply, tools)]).toEqual([reply, { text: reply, calls: [] }]);
  });

  test.each(named)("is one in a fence that is the whole reply: %s", async (_name, call) => {
    expect(await names(`\`\`\`xml\n${call}\n\`\`\``)).toEqual(["read_file"]);
    expect(await names(`<think>x</think>\n\`\`\`\n${call}\n\`\`\`\n`)).toEqual(["read_file"]);
    expect(await names(`\`\`\`\nAn example:\n${call}\n\`\`\``)).toEqual([]);
  });

  test.each([read, hermes, qwen, glm, invoke])("is none within a sentence", async (call) => {
    expect(await names(`Write ${call} and it is read.`)).toEqual([]);
    expect(await names(`Write ${call} and it is read.\n${call}`)).toEqual(["read_file"]);
  });

  test("is found by the XML dialect alone where there is one of it", async () => {
    expect(await names(`${hermes}\n${read}`)).toEqual(["read_file"]);
    expect(await names(xml(`<path>a</path><content>${hermes}</content>`))).toEqual(["write_file"]);
    expect(
      await names(
        `<tool_call>{"name": "write_file", "arguments": {"content": "${read.replaceAll("\n", " ")}"}}</tool_call>`,
      ),
    ).toEqual(["write_file"]);
  });

  test("keeps the name of a tool that does not exist", async () => {
    expect(await names(read.replace("read_file", "toString"))).toEqual(["toString"]);
    expect(await names(hermes.replace("read_file", "__proto__"))).toEqual(["__proto__"]);
  });

  test("is none in a result that we wrote", async () => {
    const result = writeResult({ name: 'a"b', text: `</tool_result>\n${read} & ${hermes}` });
    expect(result.split("<")).toHaveLength(3);
    expect(result.split("\n")[0]).toBe('<tool_result name="a&quot;b">');
    expect(await names(result)).toEqual([]);
  });
});

describe("an XML call", () => {
  test("has its texts byte-exact", async () => {
    const wanted = "a\r\n <b> && \u0007 👍 <thinking>x</thinking> ]]> </content>\n</arguments>\n</tool>\n";
    const section = `<![CDATA[${wanted.replaceAll("]]>", "]]]]><![CDATA[>")}]]>`;
    expect(await fields(xml(`<path>a</path>\n<content>\n  ${section}\n</content>`))).toEqual({
      path: "a",
      content: wanted,
    });
    expect(
      await fields(xml("<path>a</path><content> a &amp;amp; &lt;&#65;&#x42;&nbsp;&#xD800; && b\n</content>")),
    ).toEqual({
      path: "a",
      content: " a &amp; <AB&nbsp;&#xD800; && b\n",
    });
    expect(await fields(xml("<path/><content></content>"))).toEqual({ path: "", content: "" });
  });

  test("is walked by the schema, whatever the elements of a list are called", async () => {
    const list =
      "<edits>\n<!-- one -->\n<edit><search>a<b></search><replace></replace></edit>\n<edit><search>c</search></edit></edits>";
    expect(await fields(xml(`<path>a</path>${list}`, "edit_file"))).toEqual({
      path: "a",
      edits: [{ search: "a<b>", replace: "" }, { search: "c" }],
    });
    expect(await fields(xml("<path>a</path><edits></edits>", "edit_file"))).toEqual({ path: "a", edits: [] });
    expect(await fields(xml('<path>a</path><edits>[{"search": "a"}]</edits>', "edit_file"))).toEqual({
      path: "a",
      edits: '[{"search": "a"}]',
    });
    expect(await fields(xml("<names>a</names>\n<names>b</names>", "tag"))).toEqual({ names: ["a", "b"] });
    expect(await fields(xml("<names><name>a</name><name>b</name></names>", "tag"))).toEqual({ names: ["a", "b"] });
  });

  test("may have its arguments as JSON, or none", async () => {
    expect(await fields(xml('{"path": "a"}', "read_file"))).toBe('\n{"path": "a"}\n');
    expect(await fields("<tool><tool_name>x</tool_name><arguments/></tool>")).toEqual({});
  });

  test("keeps fields that the schema does not know", async () => {
    expect(await fields(xml("<path>a</path><mode>x</mode>", "read_file"))).toEqual({ path: "a", mode: "x" });
    expect(await fields(xml("<constructor>a</constructor><__proto__>b</__proto__>", "other"))).toEqual(
      Object.fromEntries([
        ["constructor", "a"],
        ["__proto__", "b"],
      ]),
    );
  });

  test.each([
    ["another server", read.replace("<tool_name>", "<server_name>far</server_name><tool_name>"), '"far"'],
    ["a missing name", read.replace("<tool_name>read_file</tool_name>", ""), "tool_name is missing"],
    ["an empty name", read.replace("read_file", " "), "tool_name is empty"],
    ["no arguments", "<tool><tool_name>read_file</tool_name></tool>", "arguments is missing"],
    ["a wrong closing tag", xml("<path>a</path><content>b</contents>"), "content is not closed"],
    ["an open CDATA section", xml("<path>a</path><content><![CDATA[b</content>"), "CDATA"],
    ["a CDATA section that ends in its text", xml("<path>a</path><content><![CDATA[a ]]> b]]></content>"), "CDATA"],
    [
      "a text that quotes a call",
      xml(`<path>a</path><content>So: ${xml("<path>b</path><content>c</content>")}</content>`),
      "CDATA",
    ],
    [
      "a text that quotes the end of one",
      xml("<path>a</path><content>End: </content></arguments></tool>!</content>"),
      "CDATA",
    ],
    ["a field given twice", xml("<path>a</path><path>b</path>", "read_file"), "path is given twice"],
    ["an attribute", xml('<path kind="x">a</path>', "read_file"), "attributes"],
    ["words between the fields", xml("<path>a</path>, then <content>b</content>"), "</path>"],
    ["a DOCTYPE in front", `<!DOCTYPE a [<!ENTITY b "c">]>\n${read}`, "DOCTYPE"],
    ["a DOCTYPE within", read.replace("<arguments>", "<!DOCTYPE a><arguments>"), "DOCTYPE"],
    ["elements that are never closed", xml(`<edits>${"<e>".repeat(50)}`, "edit_file"), "e is not closed"],
  ])("is refused for %s", async (_what, reply, words) => {
    expect(await problem(reply)).toContain(words);
    expect((await names(reply)).every((name) => name.includes(" "))).toBe(true);
  });

  test("is refused where it is nested too deep", async () => {
    const parameters = {
      $ref: "#/$defs/node",
      $defs: { node: { type: "object", properties: { child: { $ref: "#/$defs/node" } } } },
    };
    const node = { name: "node", description: "", parameters };
    const nested = (levels: number): string => xml(`${"<child>".repeat(levels)}${"</child>".repeat(levels)}`, "node");
    expect(JSON.stringify((await findCalls(nested(3000), [node])).calls)).toContain("deep");
    expect(JSON.stringify((await findCalls(nested(99), [node])).calls)).not.toContain("problem");
  });

  test("does not hide the calls around it when it is broken", async () => {
    expect(await names(`${read}\n${xml("<path>a</path><content>b</contents>")}\n${read}`)).toEqual([
      "read_file",
      "malformed_call write_file",
      "read_file",
    ]);
  });

  test("is not begun by a word: <tool> in prose swallows nothing", async () => {
    expect(await names(`I use the <tool> tag, with <tool> <tool_name> in it.\n${read}`)).toEqual(["read_file"]);
  });

  test("may lack its closing tag, and is cut before that", async () => {
    for (let length = 7; length < read.length; length += 1) {
      const found = await names(read.slice(0, length));
      const isWhole = length >= read.indexOf("</arguments>") + 12;
      expect([length, found.every((name) => (isWhole ? name === "read_file" : name.startsWith("truncated")))]).toEqual([
        length,
        true,
      ]);
      expect(found).toHaveLength(1);
    }
  });
});

describe("a leaked call", () => {
  test.each([
    ["a value that holds another parameter", qwen.replace("a.ts", "a\n<parameter=content>\nb"), "parameter path"],
    ["a parameter that is closed by its own name", invoke.replace("</parameter>", "</path>"), "parameter path"],
    ["a parameter given twice", qwen.replace("</function>", "<parameter=path>\nb\n</parameter>\n</function>"), "twice"],
    [
      "a key given twice",
      glm.replace("</tool_call>", "<arg_key>path</arg_key><arg_value>b</arg_value></tool_call>"),
      "twice",
    ],
    ["JSON behind which words stand", hermes.replace("}}<", "}} please <"), "JSON object"],
    ["JSON without a name", hermes.replace('"name"', '"nome"'), '"name"'],
    ["a name given twice", hermes.replace("{", '{"name": "x", '), "twice"],
    ["a field beside the arguments", '{"name": "write_file", "arguments": {"path": "a"}, "content": "b"}', '"content"'],
    ["an id of Kimi's without a number", kimi.replace(":0", ""), "malformed"],
    ["DeepSeek's separator missing", deepseek.replace("<｜tool▁sep｜>", ""), "read_file"],
    ["Python", '```tool_code\nprint(default_api.read_file(path="a"))\n```', "read_file"],
  ])("is refused for %s", async (_what, reply, words) => {
    expect(await problem(reply)).toContain(words);
    expect((await names(reply)).every((name) => name.startsWith("malformed_call"))).toBe(true);
  });

  test.each(Object.entries({ hermes, qwen, glm, invoke, deepseek, kimi, mistral, harmony, llama }))(
    "that is cut gives no other call: %s",
    async (_name, call) => {
      for (let length = 0; length < call.length; length += 1) {
        const { calls } = await findCalls(call.slice(0, length), tools);
        for (const found of calls) {
          if ("problem" in found) expect(found.kind).toBe("truncated");
          else {
            const given =
              typeof found.arguments === "string" ? (JSON.parse(found.arguments) as unknown) : found.arguments;
            expect([found.name, given]).toEqual(["read_file", { path: "a.ts" }]);
          }
        }
      }
    },
  );

  test("may be a list or an object without markup, if all of it is calls", async () => {
    const one = '{"name": "read_file", "arguments": {"path": "<tool_call>"}}';
    for (const reply of [
      one,
      `[${one}]`,
      `[${one}`,
      `${one}}`,
      `\`\`\`json\n${one}\n\`\`\``,
      `<think>a</think>\n${one}`,
    ])
      expect([reply, await names(reply)]).toEqual([reply, ["read_file"]]);
    expect(await names(`${one}\n${one}`)).toEqual(["read_file", "read_file"]);
    expect(await names(`[${one}, {"name": "read_file", "argu`)).toEqual(["read_file", "truncated read_file"]);
    for (const reply of [
      `{"a": 1}${one}`,
      `${one} is what I would write.`,
      `{"quote": ${JSON.stringify(read)}}`,
      "[1, 2]",
    ])
      expect([reply, await names(reply)]).toEqual([reply, []]);
  });

  test("leaves the words of other channels, without their markup", async () => {
    const reply = `<|channel|>analysis<|message|>I think ${hermes}.<|end|><|start|>assistant<|channel|>final<|message|>Done.<|return|>`;
    expect(await findCalls(reply, tools)).toEqual({ text: `I think ${hermes}.Done.`, calls: [] });
  });
});

describe("a call whose opening tag is in the prompt", () => {
  const [, rest = ""] = hermes.split("<tool_call>");

  test("is found at the beginning of a reply, with the words and the calls behind it", async () => {
    expect(await names(rest)).toEqual(["read_file"]);
    expect(await names(`<think>Look.</think>\n${rest}`)).toEqual(["read_file"]);
    expect(await names(`${rest}\n${hermes}`)).toEqual(["read_file", "read_file"]);
    expect(await findCalls(`${rest}\n\nThe task is done.`, tools)).toMatchObject({ text: "\n\nThe task is done." });
    expect(await fields(rest.replace('"a.ts"', '"a.ts",'))).toBe('{"path": "a.ts",}');
  });

  test("is none behind words, without a closing tag of its own, or without an object before the tag", async () => {
    expect(await names(`Like ${rest}`)).toEqual([]);
    expect(await names(`{ I write <tool_call> }`)).toEqual([]);
    expect(await names(`{ or so </tool_call>`)).toEqual([]);
    const inside = '{"name": "read_file", "arguments": {"path": "} </tool_call>"}}';
    expect(await fields(inside)).toBe('{"path": "} </tool_call>"}');
  });
});
