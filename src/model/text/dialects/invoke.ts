// Reads calls as Anthropic's models and DeepSeek's DSML write them: `<invoke name="x">` with parameters, with or without a wrapper.

import { readBlock, type ParameterTags } from "./tag-parameters.js";
import { cut, matchAt, skipSpace, type Reader, type Reading } from "../reading/reading.js";

const prefix = String.raw`((?:[｜|]DSML[｜|])?(?:[a-z]{1,20}:)?)`;
const wrapper = new RegExp(`<${prefix}(?:function_calls|tool_calls)>`, "y");
const invoke = new RegExp(
  String.raw`<${prefix}invoke\s+name\s*=\s*(?:["']([^"'<>\n]{1,300})["']|([^\s"'<>=]{1,300}))[^<>\n]*>`,
  "y",
);

/** Reads the calls of one wrapper, or one call without a wrapper. */
export const readInvoke: Reader = (text, at, tools) => {
  const wrapped = matchAt(wrapper, text, at);
  const calls: Reading["calls"][number][] = [];
  let end = wrapped === null ? at : at + wrapped[0].length;
  for (;;) {
    const next = skipSpace(text, end);
    const opener = matchAt(invoke, text, next);
    if (opener === null) break;
    const [whole, mark = "", quoted, name = quoted ?? ""] = opener;
    const block = readBlock(text, { name: name.trim(), start: next, from: next + whole.length }, tagsOf(mark), tools);
    if (block === undefined) break;
    calls.push(block.call);
    end = block.end;
    if (wrapped === null) break;
  }
  if (wrapped === null) return calls.length === 0 ? undefined : { end, calls };
  const next = skipSpace(text, end);
  if (calls.length === 0) {
    const isCut = next === text.length || (text[next] === "<" && !text.includes(">", next));
    return isCut ? { end: text.length, calls: [cut("", text.slice(at), "at its beginning")] } : undefined;
  }
  const closer = matchAt(new RegExp(String.raw`<\/${prefix}(?:function_calls|tool_calls)>`, "y"), text, next);
  return { end: closer === null ? end : next + closer[0].length, calls };
};

function tagsOf(mark: string): ParameterTags {
  const own = mark.replaceAll("|", String.raw`\|`);
  return {
    open: String.raw`<${own}parameter\s+name\s*=\s*(["'][^"'<>\n]{1,300}["']|[^\s"'<>=]{1,300})[^<>\n]*>`,
    close: String.raw`<\/${own}parameter>`,
    end: String.raw`<\/${own}invoke>`,
    isPadded: false,
  };
}
