// Reads calls as Qwen3-Coder and Llama leak them: `<function=name>` with parameters or a JSON object.

import { readBlock, unquote, type ParameterTags } from "./tag-parameters.js";
import { matchAt, skipSpace, type Reader, type Reading } from "../reading/reading.js";

const tags: ParameterTags = {
  open: String.raw`<parameter\s*=([^<>\n]{1,300})>`,
  close: String.raw`<\/parameter>`,
  end: String.raw`<\/function>(?:\s*<\/tool_call>)?|<\/tool_call>`,
  isPadded: true,
};

/** Reads the function at `at`. */
export const readFunction: Reader = (text, at, tools) => {
  const opener = matchAt(/<function=([^<>\n]{1,300})>/y, text, at);
  if (opener === null) return undefined;
  const start = { name: unquote(opener[1] ?? ""), start: at, from: at + opener[0].length };
  const block = readBlock(text, start, tags, tools);
  return block && { end: block.end, calls: [block.call] };
};

/** Reads the functions inside one `<tool_call>`. */
export const readFunctions: Reader = (text, at, tools) => {
  const calls: Reading["calls"][number][] = [];
  let end = at;
  for (let next = at; text.startsWith("<function=", next); next = skipSpace(text, end)) {
    const reading = readFunction(text, next, tools);
    if (reading === undefined) break;
    calls.push(...reading.calls);
    end = reading.end;
  }
  return calls.length === 0 ? undefined : { end, calls };
};
