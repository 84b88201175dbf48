// The dialects of calls in a text, by the strings that open their calls.

import { readFunction } from "./dialects/function-tag.js";
import { readFlattened, readHarmony } from "./dialects/harmony.js";
import { readInvoke } from "./dialects/invoke.js";
import { readMistral } from "./dialects/mistral.js";
import { readControl, readPythonTag } from "./dialects/python.js";
import type { Reader } from "./reading/reading.js";
import { readTokens } from "./dialects/tokens.js";
import { readToolCall } from "./dialects/tool-call.js";
import { readNamedTool, readXml } from "./xml/read-xml.js";

/** A dialect of calls in a text. */
export interface Dialect {
  /** The strings that open a call. */
  readonly openers: readonly string[];
  readonly read: Reader;
  readonly name: "xml" | "leaked" | "harmony";
  /** True if the opener is a token that nobody types, so that words on its line don't make the call prose. */
  readonly isToken: boolean;
}

/** All spellings of a token: it may have either kind of bar and either kind of underscore. */
function spellings(token: string): readonly string[] {
  return ["｜", "|"].flatMap((bar) => ["▁", "_"].map((joint) => token.replaceAll("|", bar).replaceAll("_", joint)));
}

const sections = ["<|tool_calls_begin|>", "<|tool_calls_section_begin|>", "<|tool_call_begin|>"].flatMap(spellings);
const dsml = ["<｜DSML｜", "<|DSML|"].flatMap((mark) =>
  ["tool_calls>", "function_calls>", "invoke "].map((tag) => mark + tag),
);
const namespace = ["", "antml:"];
const invokes = namespace.flatMap((mark) => [`<${mark}function_calls>`, `<${mark}invoke `]);

const flattened = ["", "assistant"].map((role) => `${role}commentary to=functions.`);

/** All dialects, in the order in which they are tried. */
const dialects: readonly Dialect[] = [
  { openers: ["<tool>"], read: readXml, name: "xml", isToken: false },
  { openers: ["<tool name="], read: readNamedTool, name: "xml", isToken: false },
  { openers: ["<tool_call>"], read: readToolCall, name: "leaked", isToken: false },
  { openers: ["<function="], read: readFunction, name: "leaked", isToken: false },
  { openers: invokes, read: readInvoke, name: "leaked", isToken: false },
  { openers: dsml, read: readInvoke, name: "leaked", isToken: true },
  { openers: sections, read: readTokens, name: "leaked", isToken: true },
  { openers: ["[TOOL_CALLS]"], read: readMistral, name: "leaked", isToken: true },
  { openers: ["<|python_tag|>"], read: readPythonTag, name: "leaked", isToken: true },
  { openers: ["<ctrl42>call"], read: readControl, name: "leaked", isToken: true },
  { openers: flattened, read: readFlattened, name: "harmony", isToken: true },
  { openers: ["<|start|>", "<|channel|>", "<|message|>"], read: readHarmony, name: "harmony", isToken: true },
];

/** The dialect of each opener. */
export const dialectOf: ReadonlyMap<string, Dialect> = new Map(
  dialects.flatMap((dialect) => dialect.openers.map((opener) => [opener, dialect] as const)),
);
