// Recognizes calls that Llama and Gemini write as Python. They are not run: the model is told to write a tool call.

import { callObject } from "./call-object.js";
import { cut, malformed, matchAt, skipSpace, type Reader, type Reading } from "../reading/reading.js";

const ends = /\s*(?:<\|(?:eom_id|eot_id|end_of_text)\|>)?/y;

/** Reads the JSON objects or the Python code after Llama's `<|python_tag|>`. */
export const readPythonTag: Reader = (text, at, tools) => {
  const calls: Reading["calls"][number][] = [];
  let end = at + "<|python_tag|>".length;
  for (let next = skipSpace(text, end); text[next] === "{";) {
    const reading = callObject(text, next, tools, true);
    calls.push(...reading.calls);
    end = reading.end + (matchAt(/[\s}]*/y, text, reading.end)?.[0].length ?? 0);
    next = skipSpace(text, end + (text[end] === ";" ? 1 : 0));
  }
  if (skipSpace(text, end) === text.length && calls.length === 0)
    return { end: text.length, calls: [cut("", text.slice(at), "at its beginning")] };
  if (calls.length === 0) {
    const stop = text.indexOf("<|", end);
    end = stop === -1 ? text.length : stop;
    calls.push(...pythonCall(text.slice(at, end)).calls);
  }
  return { end: end + (matchAt(ends, text, end)?.[0].length ?? 0), calls };
};

/** Reads Gemini's `<ctrl42>call`, which extends to the end of the text. */
export const readControl: Reader = (text, at) => ({ end: text.length, calls: pythonCall(text.slice(at)).calls });

/** The broken call for Python code, with the problem for the model. */
export function pythonCall(source: string): Reading {
  const name = /(?:print\(\s*)?(?:default_api\.)?([A-Za-z_][\w.-]{0,200}?)(?:\.call)?\(/.exec(
    source.replace(/^<[^>]*>(?:call\b)?|^```\w*/, "").trim(),
  )?.[1];
  const whose = name === undefined ? "A tool call" : `The call of ${name}`;
  const problem = `${whose} was written as Python code, which is not run. Write it as a tool call.`;
  return { end: source.length, calls: [malformed(name ?? "", source, problem)] };
}
