// The scripted provider, a process of its own. It answers requests 1 to N-1 of a run with calls of lookup, and request N with task_completion.
//
// The script is in the address: /s/n=50,calls=8/v1/chat/completions. The step is read from the last tool_call_id of the request, so that
// any number of runs can share one address. The clock of the log is process.hrtime, which all processes of a machine share.
//
//   n        requests of a run              calls   calls per reply (1)                latency  ms before a reply begins (0)
//   args     bytes of text per call (0)     deltas  pieces of each call's arguments    gap      ms between two calls of a reply (0)
//   words    deltas of text before the calls (0)

import { createServer } from "node:http";

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const now = () => Number(process.hrtime.bigint()) / 1e6;

/** The requests since the last reset, for GET /log. */
let log = [];
let runs = 0;

const frame = (rest) =>
  `data: ${JSON.stringify({ id: "reply", object: "chat.completion.chunk", model: "scripted", ...rest })}\n\n`;
const delta = (delta, finish_reason = null) => frame({ choices: [{ index: 0, delta, finish_reason }] });

/** One call as a provider streams it: its name, then its arguments in `deltas` pieces, or in pieces of three characters. */
function callFrames({ id, index, name, input }, deltas) {
  const text = JSON.stringify(input);
  const size = deltas === undefined ? 3 : Math.ceil(text.length / deltas);
  const frames = [delta({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] })];
  for (let at = 0; at < text.length; at += size) {
    frames.push(delta({ tool_calls: [{ index, function: { arguments: text.slice(at, at + size) } }] }));
  }
  return frames.join("");
}

function callsOf({ n, calls = 1, args = 0 }, run, step) {
  const id = (index) => `call_${run}_${step}_${index}`;
  if (step >= n) return [{ id: id(0), index: 0, name: "task_completion", input: { result: "found" } }];
  const text = args > 0 ? { text: "a page ".repeat(Math.ceil(args / 7)).slice(0, args) } : {};
  return Array.from({ length: calls }, (_, index) => {
    return { id: id(index), index, name: "lookup", input: { key: `k${step}-${index}`, ...text } };
  });
}

/** The run and the step that a request belongs to. */
function placeOf(body) {
  const mark = '"tool_call_id":"call_';
  const at = body.lastIndexOf(mark);
  if (at < 0) return { run: (runs += 1), step: 1 };
  const [run, step] = body
    .latin1Slice(at + mark.length, at + mark.length + 24)
    .split("_")
    .map(Number);
  return { run, step: step + 1 };
}

async function reply(script, body, response, entry) {
  const { run, step } = placeOf(body);
  Object.assign(entry, { run, step, bytes: body.length });
  if (script.latency > 0) await pause(script.latency);
  if (response.destroyed) return;
  response.writeHead(200, { "content-type": "text/event-stream" });
  const calls = callsOf(script, run, step);
  const text = step < script.n ? delta({ content: "word " }).repeat(script.words ?? 0) : "";
  let pending = delta({ role: "assistant", content: null }) + text;
  for (const call of calls) {
    if (script.gap > 0 && call.index > 0) {
      response.write(pending);
      entry.firstCall ??= now();
      pending = "";
      await pause(script.gap);
    }
    pending += callFrames(call, script.deltas);
  }
  const usage = { prompt_tokens: 100 * step, completion_tokens: 16, total_tokens: 100 * step + 16 };
  entry.ended = now();
  response.end(`${pending}${delta({}, "tool_calls")}${frame({ choices: [], usage })}data: [DONE]\n\n`);
}

/** The settings of an address. */
function scriptOf(url) {
  const pairs = url
    .split("/")[2]
    .split(",")
    .map((pair) => pair.split("="));
  return Object.fromEntries(pairs.map(([key, value]) => [key, Number(value)]));
}

const server = createServer((request, response) => {
  if (request.url === "/log") {
    response.end(JSON.stringify(log));
    log = [];
    return;
  }
  const entry = { arrived: now() };
  log.push(entry);
  const parts = [];
  request.on("data", (part) => parts.push(part));
  request.on("end", () => void reply(scriptOf(request.url), Buffer.concat(parts), response, entry));
});
server.keepAliveTimeout = 120_000;
server.listen(0, "127.0.0.1", 8192, () => process.send(server.address().port));
process.on("message", () => process.send(process.cpuUsage()));
process.on("disconnect", () => process.exit());
