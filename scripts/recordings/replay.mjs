// Replays recorded answers from a loopback server through openai(), and compares each with the plain reading.

import { createServer } from "node:http";
import { once } from "node:events";
import { readPlainly } from "./plain-reader.mjs";

/**
 * Replays the recordings one after the other.
 * @param {Iterable<object>} recordings
 * @param {(options: object) => object} openai
 * @returns {AsyncGenerator<{ recording: object, skipped?: string, problems: string[] }>}
 */
export async function* replayRecordings(recordings, openai) {
  let current;
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => {
      const type = current.stream ? "text/event-stream" : "application/json";
      response.writeHead(statusOf(current), { "content-type": type });
      response.end(current.body);
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const baseURL = `http://127.0.0.1:${String(server.address().port)}/v1`;
  try {
    for (const recording of recordings) {
      current = recording;
      const plain = readPlainly({ ...recording, status: statusOf(recording) });
      if (plain.kind === "skipped") yield { recording, skipped: plain.why, problems: [] };
      else yield { recording, problems: compare(plain, await ask(openai, baseURL, { recording, plain })) };
    }
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const statusOf = ({ status }) => Number(status) || 200;

/** The reply that the library reads, its events and its fault. */
async function ask(openai, baseURL, { recording, plain }) {
  const offered = (recording.request?.tools ?? []).map((each) => each.function ?? each).filter(({ name }) => name);
  const tools = new Map((plain.calls ?? []).map(({ name }) => [name, {}]));
  for (const { name, parameters } of offered) tools.set(name, parameters ?? {});
  const settings = { baseURL, model: "m", apiKey: "key", api: recording.api, forcing: "auto", textCalls: false };
  const model = openai({ ...settings, steady: false, idleTimeout: 5000 });
  const described = [...tools].map(([name, parameters]) => ({ name, description: "", parameters }));
  const request = { key: "s/1/model:1", system: "s", messages: [{ role: "user", text: "u" }], tools: described };
  const seen = { text: "", reasoning: "", isRetracted: false };
  try {
    const source = model.respond({ ...request, needsCall: false }, new AbortController().signal);
    for (;;) {
      const { done, value } = await source.next();
      if (done) return { ...seen, reply: value };
      if (value.type === "text-delta") seen.text += value.text;
      if (value.type === "reasoning-delta") seen.reasoning += value.text;
      if (value.type === "reply-retracted") seen.isRetracted = true;
    }
  } catch (thrown) {
    return { ...seen, fault: thrown };
  }
}

/** The differences between the two readings, one line each. */
function compare(plain, { reply, fault, text, reasoning, isRetracted }) {
  if (plain.kind === "error") return fault === undefined ? [`${plain.why}: read as a reply`] : [];
  if (fault !== undefined) return [`refused: ${fault.code}: ${fault.message}`];
  if (plain.kind === "mistake") {
    const isTold = reply.calls.length === 0 || reply.calls.every(({ type }) => type === "unreadable-call");
    return isTold ? [] : ["a call that the provider refused is read as a call"];
  }
  const { inputTokens, outputTokens, cachedInputTokens, reasoningTokens } = reply.usage;
  const pairs = [
    ["text", plain.text, reply.text],
    ["shown text", plain.finish === "refused" || isRetracted ? text : plain.text, text],
    ["finish", plain.finish, reply.finish],
    ["usage", plain.usage, [inputTokens, outputTokens, cachedInputTokens, reasoningTokens]],
    ["reasoning", plain.reasoning ?? reasoning, reasoning],
    ["calls", plain.calls.map(callOf), reply.calls.map((call, index) => readOf(call, { plain, index }))],
  ];
  return pairs.flatMap(([name, wanted, read]) => {
    const [one, other] = [wanted, read].map((value) => JSON.stringify(value).slice(0, 200));
    return JSON.stringify(wanted) === JSON.stringify(read) ? [] : [`${name}: recorded ${one}, read ${other}`];
  });
}

const callOf = ({ id, name, arguments: written }) => [id, name, inputOf(written)];

/** A call as read. A call of a reply that was cut is unreadable, and an argument that was mended has no plain reading. */
function readOf(call, { plain, index }) {
  const written = plain.calls[index]?.arguments ?? "";
  const isCut = plain.finish === "cut" && call.type === "unreadable-call";
  const input =
    isCut || call.repairs !== undefined ? inputOf(written) : call.type === "call" ? call.input : "unreadable";
  return [call.providerId ?? "", call.name, input];
}

function inputOf(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text.trim() === "" ? {} : `not JSON: ${text}`;
  }
}
