// Reads a recorded answer in the plainest way. It shares nothing with src/model, so that the two readings can be compared.

/**
 * @typedef {object} Reading
 * @property {"reply" | "error" | "mistake" | "skipped"} kind `mistake`: an error of the provider that the model is told of.
 * @property {string} [why] The reason for an error or a skipped recording.
 * @property {string} [text]
 * @property {string} [reasoning]
 * @property {{ id: string, name: string, arguments: string }[]} [calls]
 * @property {number[]} [usage] Input, output, cached input and reasoning tokens.
 * @property {"complete" | "cut" | "refused"} [finish]
 */

/** Reads one recording. @returns {Reading} */
export function readPlainly({ api, status, stream, body }) {
  const { documents, hasEndMarker } = stream ? eventsOf(body) : { documents: [parsed(body)], hasEndMarker: false };
  const errors = documents.flatMap((document) => errorOf(document));
  if (status >= 400) return fault(errors[0] ?? {}, `status ${status}`);
  if (documents.some((document) => typeof document !== "object" || document === null))
    return skipped("the body is not JSON");
  const reply = api === "responses" ? responseOf(documents, stream) : completionOf(documents, stream, hasEndMarker);
  if (reply.kind === "reply" && reply.finish === "cut") return reply;
  return errors.length > 0 ? fault(errors[0], "an error in the body") : reply;
}

const skipped = (why) => ({ kind: "skipped", why });

function fault(error, why) {
  return error.code === "tool_use_failed" ? { kind: "mistake", why: error.message } : { kind: "error", why };
}

function errorOf(document) {
  if (typeof document !== "object" || document === null) return [];
  if (document.error) return [document.error];
  if (document.type === "error") return [document];
  return document.response?.error ? [document.response.error] : [];
}

/** The documents in the events of a stream up to the end marker, and whether there is an end marker. */
function eventsOf(body) {
  const blocks = body.replaceAll(/\r\n?/g, "\n").split("\n\n");
  const texts = blocks.map((block) => {
    const lines = block.split("\n").filter((line) => line.startsWith("data:"));
    const text = lines.map((line) => line.slice(5).replace(/^ /, "")).join("\n");
    return { text, isError: /^event: ?error$/m.test(block) };
  });
  const filled = texts.filter(({ text }) => text.trim() !== "");
  const end = filled.findIndex(({ text }) => text.trim() === "[DONE]");
  const documents = (end < 0 ? filled : filled.slice(0, end)).map(({ text, isError }) => {
    const document = parsed(text);
    return isError && !document?.error && document?.type !== "error" ? { error: document ?? text } : document;
  });
  return { documents, hasEndMarker: end >= 0 };
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObjectText(text) {
  const value = parsed(text);
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const asText = (value) => (typeof value === "string" ? value : "");
const asList = (value) =>
  Array.isArray(value) ? value.filter((each) => typeof each === "object" && each !== null) : [];
const asNumber = (value) => (typeof value === "number" ? value : 0);

/** A chat completion, from its chunks or from a whole body. */
function completionOf(documents, stream, hasEndMarker) {
  const reply = { kind: "reply", text: "", reasoning: "", calls: [], usage: [0, 0, 0, 0], finish: undefined };
  let refusal = "";
  let legacy;
  let choices = 0;
  const ids = new Set(documents.map(({ id }) => id).filter(Boolean));
  if (ids.size > 1) return skipped("several replies in one recording");
  if (documents.some(({ object }) => object === "text_completion"))
    return skipped("a completion of a text, not of a chat");
  for (const document of documents) {
    // Groq puts the usage under a key of its own.
    const usage = document.usage ?? document.x_groq?.usage;
    if (usage) reply.usage = chatUsage(usage);
    const choice = asList(document.choices).find(({ index = 0 }) => index === 0);
    if (choice === undefined) continue;
    choices += 1;
    const message = (stream ? (choice.delta ?? choice.message) : (choice.message ?? choice.delta)) ?? {};
    const { text, thinking } = contentOf(message.content);
    reply.text += text;
    refusal += asText(message.refusal);
    reply.reasoning += thinking;
    for (const [key, value] of Object.entries(message))
      if (key.startsWith("reasoning")) reply.reasoning += asText(value);
    for (const piece of asList(message.tool_calls)) {
      const type = piece.type || "function";
      if (type !== "function") return skipped(`a call of the type ${type}`);
      addPiece(reply.calls, piece, stream);
    }
    if (message.function_call) {
      legacy ??= { id: "", name: "", arguments: "" };
      legacy.name += asText(message.function_call.name);
      legacy.arguments += asText(message.function_call.arguments);
    }
    if (choice.finish_reason) reply.finish = choice.finish_reason;
  }
  if (choices === 0) return skipped("no choice");
  // Three servers end a stream without a finish reason. The last chunk has the usage, or the calls before the end marker are complete.
  const endsCalls = hasEndMarker && reply.calls.length > 0 && reply.calls.every((call) => isObjectText(call.arguments));
  if (stream && reply.finish === undefined && !documents.at(-1).usage && !endsCalls)
    return { kind: "error", why: "a stream without an end" };
  partThinking(reply);
  if (legacy && legacy.name !== "" && reply.calls.length === 0) reply.calls.push(legacy);
  return ended(reply, refusal);
}

/** Moves thinking that the server left at the very beginning of the text, closed or not, to the reasoning. */
function partThinking(reply) {
  const block = /^\s*<(think|thinking|reasoning|thought)>([^]*?)(?:<\/\1>\s*|$)/i;
  for (let found = block.exec(reply.text); found !== null; found = block.exec(reply.text)) {
    reply.reasoning += found[2];
    reply.text = reply.text.slice(found[0].length);
  }
}

function ended(reply, refusal) {
  const isRefused =
    /^(content_filter|safety)$/i.test(reply.finish ?? "") || (refusal !== "" && reply.calls.length === 0);
  const isCut = ["length", "max_tokens"].includes(reply.finish);
  const finish = isRefused ? "refused" : isCut ? "cut" : "complete";
  return { ...reply, text: reply.text || refusal, finish };
}

function contentOf(content) {
  if (typeof content === "string") return { text: content, thinking: "" };
  const parts = asList(content);
  const texts = parts
    .filter(({ type = "text" }) => type === "text" || type === "output_text")
    .map(({ text }) => asText(text));
  const thoughts = parts.filter(({ type }) => type === "thinking").flatMap(({ thinking }) => asList(thinking));
  return { text: texts.join(""), thinking: thoughts.map(({ text }) => asText(text)).join("") };
}

/** Adds a piece to the call with its index. A piece with another id than that call begins a new one. */
function addPiece(calls, { index, id, function: called = {} }, stream) {
  const isSame = (call) => call.index === index && (!id || !call.id || call.id === id);
  let call = stream ? calls.findLast(isSame) : undefined;
  if (call === undefined) calls.push((call = { index, id: "", name: "", arguments: "" }));
  call.id ||= asText(id);
  if (called.name && called.name !== call.name) call.name += called.name;
  call.arguments +=
    typeof called.arguments === "object" && called.arguments
      ? JSON.stringify(called.arguments)
      : asText(called.arguments);
}

function chatUsage({
  prompt_tokens: input,
  completion_tokens: output,
  prompt_tokens_details: prompt,
  completion_tokens_details: completion,
  total_tokens: total,
}) {
  // xAI and Google count reasoning in the total alone, and Mistral counts audio there.
  const rest = Math.max(0, asNumber(total) - asNumber(input) - asNumber(output));
  if (rest > 0 && prompt?.audio_tokens === rest) input += rest;
  else if (rest > 0) output += rest;
  return [input, output, prompt?.cached_tokens, completion?.reasoning_tokens].map(asNumber);
}

/** A response of the Responses API, from the event that ends the stream or from a whole body. */
function responseOf(documents, stream) {
  const lasts = documents.filter(({ type }) => /^response\.(completed|incomplete|failed)$/.test(type));
  if (stream && lasts.length > 1) return skipped("several replies in one recording");
  const response = stream ? lasts[0]?.response : documents[0];
  if (response === undefined) return { kind: "error", why: "no event ends the stream" };
  if (response.object !== "response") return skipped("the body is no response");
  if (["failed", "cancelled", "queued", "in_progress"].includes(response.status))
    return { kind: "error", why: response.status };
  const done = documents.filter(({ type }) => type === "response.output_item.done").map(({ item }) => item);
  const items = asList(response.output).length > 0 ? asList(response.output) : done;
  const others = items.find(
    (item) => item.type !== "function_call" && item.call_id !== undefined && !item.type.endsWith("_output"),
  );
  if (others) return skipped(`an item of the type ${others.type}`);
  const parts = items.filter(({ type }) => type === "message").flatMap(({ content }) => asList(content));
  const text = parts.map((part) => asText(part.text)).join("");
  const deltas = documents
    .filter(({ type }) => type === "response.output_text.delta")
    .map(({ delta }) => asText(delta));
  if (deltas.length > 0 && deltas.join("") !== text)
    return skipped("the pieces of the recorded text differ from its whole");
  const refusal = parts.map((part) => asText(part.refusal)).join("");
  const calls = items
    .filter(({ type }) => type === "function_call")
    .map((item) => {
      return { id: asText(item.call_id), name: asText(item.name), arguments: asText(item.arguments) };
    });
  const { input_tokens, output_tokens, input_tokens_details, output_tokens_details } = response.usage ?? {};
  const usage = [
    input_tokens,
    output_tokens,
    input_tokens_details?.cached_tokens,
    output_tokens_details?.reasoning_tokens,
  ];
  const why = response.incomplete_details?.reason;
  const finish = why === undefined ? "stop" : why === "content_filter" ? why : "length";
  return ended({ kind: "reply", text, reasoning: undefined, calls, usage: usage.map(asNumber), finish }, refusal);
}
