// Looks at the raw replies of a run a second time, with the plain reader of `npm run recordings`, and finds what may be misread.

import { isDeepStrictEqual } from "node:util";
import { readPlainly } from "../recordings/plain-reader.mjs";

/**
 * Compares each raw reply of a kept run with what lastcall read.
 * @param {{ exchanges: readonly object[], records: readonly object[], task: string, rung: string }} run
 * @returns {{ replies: number, apart: number, suspects: readonly { why: string, text: string, isCertain: boolean }[] }} `apart`: exchanges without a whole
 * answer, which lastcall sent again or left. `suspects`: replies that a person has to look at.
 */
export function lookAgain({ exchanges, records }) {
  const whole = exchanges.filter(({ status, end, body }) => status === 200 && end === "whole" && body !== "");
  const replies = records.filter(({ type }) => type === "reply").map(({ reply }) => reply);
  const apart = exchanges.length - whole.length;
  // Without a reply for each whole answer, one can't say which belongs to which.
  if (whole.length !== replies.length)
    return { replies: 0, apart, suspects: [suspect(`${whole.length} whole answers, ${replies.length} replies`, "")] };
  const suspects = whole.flatMap((exchange, at) => compare(exchange, replies[at]));
  return { replies: replies.length, apart, suspects };
}

const suspect = (why, text) => ({ why, text, isCertain: true });
/** A suspect of which only a person can say whether it was misread: words may speak of calls. */
const perhaps = (why, text) => ({ why, text, isCertain: false });

function compare({ body, request }, reply) {
  const plain = readPlainly({ api: "chat", status: 200, stream: request?.stream === true, body });
  if (plain.kind !== "reply") return [suspect(`a ${plain.kind} was read as a reply: ${plain.why}`, body)];
  if (plain.finish !== reply.finish) return [suspect(`ends ${plain.finish}, read as ${reply.finish}`, body)];
  if (plain.calls.length > 0) return compareCalls(plain, reply);
  const offered = namesIn(request, reply);
  const traces = tracesIn(plain.text, offered);
  if (reply.calls.length === 0) {
    const words = plain.text.trim();
    // Nothing in a reply that was cut runs, and no call in the text is read if the server was told to force calls.
    const isRead = plain.finish === "complete" && request?.tool_choice !== "required";
    if (traces.length > 0 && isRead)
      return [perhaps(`no call was read, though there is ${traces.join(", ")}`, plain.text)];
    return words === reply.text.trim() ? [] : [suspect("the words differ", `${plain.text}\n=> ${reply.text}`)];
  }
  // A call that was read has to stand in the text: its name, and each scalar of its arguments.
  const missing = reply.calls.flatMap((call) => missingIn(plain.text, call));
  return missing.length === 0 ? [] : [perhaps(`read, but not in the text: ${missing.join(", ")}`, plain.text)];
}

/** Native calls: the same names in the same order, and the same arguments, or the library says that it mended or refused them. */
function compareCalls({ calls, finish }, reply) {
  if (calls.length !== reply.calls.length)
    return [suspect(`${calls.length} calls, ${reply.calls.length} read`, JSON.stringify(calls))];
  return calls.flatMap((call, at) => {
    const read = reply.calls[at];
    if (read.repairs !== undefined) return [];
    const input = asJson(call.arguments);
    const isSame = read.name === call.name && isDeepStrictEqual(input, read.input);
    if (read.type === "call" ? isSame : finish === "cut" || input === undefined) return [];
    return [suspect(`${call.name}(${call.arguments}) was read as ${JSON.stringify(read)}`, JSON.stringify(calls))];
  });
}

/** Signs of a call in a text, whatever the dialect: an opening tag with a call behind it, or an object that names a tool. */
function tracesIn(text, names) {
  const tags = /<tool_call>\s*[{[<]|<tool>\s*<tool_name>|<function=\w+>|<invoke name=/g;
  const objects = names.filter((name) => new RegExp(`"(?:name|tool|function)"\\s*:\\s*"${name}"`).test(text));
  const ownTags = names.filter((name) => text.includes(`<${name}>`)).map((name) => `<${name}>`);
  return [...new Set([...(text.match(tags) ?? []), ...objects.map((name) => `"name": "${name}"`), ...ownTags])];
}

function namesIn(request, reply) {
  const native = (request?.tools ?? []).map((tool) => tool.function?.name);
  const described = [...String(request?.messages?.[0]?.content ?? "").matchAll(/^## (\w+)$/gm)].map(([, name]) => name);
  return [...new Set([...native, ...described, ...reply.calls.map(({ name }) => name)])].filter(Boolean);
}

function missingIn(text, call) {
  const plain = text.replaceAll("\\", "");
  const scalars = call.type === "call" ? scalarsOf(call.input).map(String) : [];
  return [call.name, ...scalars].filter((each) => each !== "" && !plain.includes(each.replaceAll("\\", "")));
}

const scalarsOf = (value) =>
  typeof value === "object" && value !== null ? Object.values(value).flatMap(scalarsOf) : value === null ? [] : [value];

function asJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
