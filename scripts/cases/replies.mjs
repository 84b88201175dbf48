// The raw replies of a case, in the form that the server sends: status, headers, and the parts of the body, one per write.

/**
 * @typedef {object} RawReply
 * @property {number} [status]
 * @property {Readonly<Record<string, string>>} headers
 * @property {readonly (string | Buffer)[]} parts
 * @property {"fin" | "reset" | "never"} end
 * @property {any} [completion] the body of a completion that is not streamed
 */

const json = { "content-type": "application/json" };
const events = { "content-type": "text/event-stream", "cache-control": "no-cache" };
const frame = (data) => `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };

/** Converters from a case to replies, by raw_kind. */
const readers = {
  completion: ({ raw }) => [completion(raw)],
  chunks: ({ raw }) => [sse([...raw.map(frame), frame("[DONE]")])],
  sse: ({ raw }) => [sse(raw.segments, raw.end)],
  "sse-bytes": ({ raw }) => [
    sse(
      raw.segments.map((segment) => Buffer.from(segment, "base64")),
      raw.end,
    ),
  ],
  http: ({ raw }) => [{ status: raw.status, headers: raw.headers ?? {}, parts: [raw.body ?? ""], end: "fin" }],
  bytes: ({ raw }) => [byteReply(raw)],
  text: ({ raw, finish_reason: finish }) => [textReply(raw, finish)],
  script: ({ raw }) => raw.map(completion),
  generator: ({ raw, finish_reason: finish }) => [makers[raw.generator](raw, finish)],
};

/** Generators of large replies, by name. */
const makers = {
  xml_big: ({ tool, path, bytes }, finish) =>
    textReply(xmlCall(tool, `<path>${path}</path>\n<content><![CDATA[${"x".repeat(bytes)}]]></content>`), finish),
  text: ({ parts }, finish) => textReply(textOf(parts), finish),
  calls: ({ tool, parts, times = 1 }) =>
    streamed([{ role: "assistant", tool_calls: manyCalls(tool, textOf(parts), times) }]),
};

/** The words of each generator besides `generator`. */
const makerKeys = { xml_big: ["tool", "path", "bytes"], text: ["parts"], calls: ["tool", "parts", "times"] };

/** Describes the words of a case's raw reply that the replay does not know. */
export function unknownInRaw({ raw_kind: kind, raw }) {
  if (kind === "generator") return unknownInGenerator(raw);
  if (kind !== "bytes") return [];
  const keys = unknownKeys(raw, ["segments", "end", "every", "type", "status"], "key of bytes");
  if (!Array.isArray(raw.segments)) return [...keys, "bytes without segments"];
  return [
    ...keys,
    ...raw.segments.flatMap((segment) => unknownWords(segment, [["text"], ["base64"], ["hex"]], "segment")),
  ];
}

function unknownInGenerator(raw) {
  const keys = makerKeys[raw?.generator];
  if (keys === undefined) return [`unknown generator ${JSON.stringify(raw?.generator)}`];
  const parts = keys.includes("parts") ? (raw.parts ?? [{}]) : [];
  const problems = parts.flatMap((part) =>
    typeof part === "string" ? [] : unknownWords(part, [["repeat", "times"]], "part"),
  );
  return [...unknownKeys(raw, ["generator", ...keys], `word of ${raw.generator}`), ...problems];
}

function unknownKeys(value, known, what) {
  const odd = Object.keys(value).filter((key) => !known.includes(key));
  return odd.map((key) => `unknown ${what} ${JSON.stringify(key)}`);
}

/** A problem unless the value has exactly the words of one of the forms. */
function unknownWords(value, forms, what) {
  const words = Object.keys(value ?? {})
    .sort()
    .join();
  return forms.some((form) => [...form].sort().join() === words) ? [] : [`unknown ${what} ${JSON.stringify(value)}`];
}

/** The text of a list of parts: texts, and `{ repeat, times }`. */
export function textOf(parts) {
  return parts.map((part) => (typeof part === "string" ? part : part.repeat.repeat(part.times))).join("");
}

function manyCalls(name, text, times) {
  return Array.from({ length: times }, (_, index) => ({
    ...{ index, id: `call_${index}`, type: "function" },
    function: { name, arguments: text },
  }));
}

/** The bytes of the segments, one write for each; with `every`, all of them in writes of that many bytes. */
function byteReply({ segments, end = "fin", every, type = events["content-type"], status }) {
  const encodings = { text: "utf8", base64: "base64", hex: "hex" };
  const pieces = segments.flatMap((segment) =>
    Object.entries(segment).map(([word, value]) => Buffer.from(value, encodings[word])),
  );
  const whole = Buffer.concat(pieces);
  const count = every === undefined ? 0 : Math.ceil(whole.length / every);
  const parts =
    every === undefined ? pieces : Array.from({ length: count }, (_, n) => whole.subarray(n * every, (n + 1) * every));
  return { ...(status !== undefined && { status }), headers: { ...events, "content-type": type }, parts, end };
}

export const rawKinds = new Set(Object.keys(readers));

/** The replies of the case, in order. @returns {readonly RawReply[]} */
export function repliesOf(given) {
  return readers[given.raw_kind](given);
}

/** An earlier turn of the assistant, as a reply. @returns {RawReply} */
export function turnReply(message) {
  const finish = message.tool_calls?.length > 0 ? "tool_calls" : "stop";
  return completion({
    id: "chatcmpl-history",
    object: "chat.completion",
    choices: [{ index: 0, message, finish_reason: finish }],
    usage,
  });
}

/** The reply that ends a run: a call of task_completion, in the form that the request asked for. @returns {RawReply} */
export function endingReply({ isNative }) {
  if (!isNative) return textReply(xmlCall("task_completion", "<result>ok</result>"), "stop");
  const fn = { name: "task_completion", arguments: '{"result":"ok"}' };
  return streamed([{ role: "assistant", tool_calls: [{ index: 0, id: "call_end", type: "function", function: fn }] }]);
}

function xmlCall(name, fields) {
  return `<tool>\n<tool_name>${name}</tool_name>\n<arguments>\n${fields}\n</arguments>\n</tool>`;
}

/** A streamed completion whose content is the text, in several deltas. */
function textReply(text, finish = "stop") {
  const deltas = inPieces(text).map((content) => ({ content }));
  return streamed([{ role: "assistant", content: "" }, ...deltas], finish);
}

function streamed(deltas, finish = "tool_calls") {
  const chunk = (delta, reason = null) => ({
    ...{ id: "chatcmpl-case", object: "chat.completion.chunk", created: 1760000000, model: "wild" },
    choices: [{ index: 0, delta, finish_reason: reason }],
  });
  const chunks = [...deltas.map((delta) => chunk(delta)), chunk({}, finish)];
  const spent = { id: "chatcmpl-case", object: "chat.completion.chunk", model: "wild", choices: [], usage };
  return sse([...chunks, spent, "[DONE]"].map(frame));
}

/** Splits a text into about seven pieces of at most 64 Ki characters each. No surrogate pair is split. */
function inPieces(text) {
  const size = Math.min(65_536, Math.max(1, Math.ceil(text.length / 7)));
  const pieces = [];
  for (let start = 0; start < text.length;) {
    let end = Math.min(text.length, start + size);
    if (/[\uD800-\uDBFF]/.test(text[end - 1]) && end < text.length) end += 1;
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}

/** The reply as a stream: a whole completion becomes one piece of it. Any other reply stays as it is. @returns {RawReply} */
export function streamedReply(reply) {
  if (reply.completion === undefined) return reply;
  const { choices, usage: spent, ...rest } = reply.completion;
  if (!Array.isArray(choices)) return sse([frame(reply.completion), frame("[DONE]")]);
  const pieceOf = ({ message, finish_reason: _reason, ...choice }) => ({ ...choice, delta: deltaOf(message) });
  const endOf = ({ index, finish_reason: reason = null }) => ({ index, delta: {}, finish_reason: reason });
  const chunks = [
    { ...rest, choices: choices.map(pieceOf) },
    { ...rest, choices: choices.map(endOf) },
    ...(spent === undefined ? [] : [{ ...rest, choices: [], usage: spent }]),
  ];
  return sse([...chunks.map(frame), frame("[DONE]")]);
}

function deltaOf(message) {
  if (!Array.isArray(message?.tool_calls)) return message;
  return { ...message, tool_calls: message.tool_calls.map((call, index) => ({ index, ...call })) };
}

function completion(body) {
  return { headers: json, parts: [JSON.stringify(body)], end: "fin", completion: body };
}

function sse(parts, end = "fin") {
  return { headers: events, parts, end };
}
