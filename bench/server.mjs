// The scripted provider: it answers requests 1 to N-1 of a run with a call of lookup, and request N with task_completion.
// It runs in its own process. N is part of the URL (/s/<client>/n=<N>/v1/chat/completions), so bodies need not be parsed.

import { createServer } from "node:http";

/** The number of requests in the current run, by URL. */
const steps = new Map();

const frame = (rest) =>
  `data: ${JSON.stringify({ id: "reply", object: "chat.completion.chunk", model: "scripted", ...rest })}\n\n`;
const delta = (delta, finish_reason = null) => frame({ choices: [{ index: 0, delta, finish_reason }] });
const part = (call) => delta({ tool_calls: [{ index: 0, ...call }] });

/** One reply as a provider streams it, with arguments in chunks of three characters. */
function reply(step, name, input) {
  const pieces = JSON.stringify(input).match(/.{1,3}/gs);
  return [
    delta({ role: "assistant", content: null }),
    part({ id: `call_${step}`, type: "function", function: { name, arguments: "" } }),
    ...pieces.map((text) => part({ function: { arguments: text } })),
    delta({}, "tool_calls"),
    frame({ choices: [], usage: { prompt_tokens: 100 * step, completion_tokens: 16, total_tokens: 100 * step + 16 } }),
    "data: [DONE]\n\n",
  ].join("");
}

const server = createServer((request, response) => {
  const count = Number(/\/n=(\d+)\//.exec(request.url)?.[1]);
  const step = (steps.get(request.url) ?? 0) + 1;
  steps.set(request.url, step % count);
  request.resume().on("end", () => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(
      step < count ? reply(step, "lookup", { key: `k${step}` }) : reply(step, "task_completion", { result: "found" }),
    );
  });
});
server.keepAliveTimeout = 120_000;
server.listen(0, "127.0.0.1", () => process.send(server.address().port));
process.on("disconnect", () => process.exit());
