// An agent that streams to a browser: each event that the page needs is one server-sent event.

import { createAgent, tool, type Event } from "lastcall";
import { openai } from "lastcall/model";
import { converse } from "lastcall/tools";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";

const weather = tool({
  name: "weather",
  description: "Tells the weather of a city.",
  input: z.object({ city: z.string() }),
  run: ({ city }) => ({ city, sky: "rain" }),
});
const agent = createAgent({ model: openai(), tools: [weather, converse()], onText: "converse" });

/** The part of an event that the page shows. Words that were shown may be taken back: then the model says them anew. */
function forPage(event: Event): object | undefined {
  if (event.type === "text-delta") return { say: event.text };
  if (event.type === "call-start" && event.call.name !== "converse") return { work: event.call.name };
  if (event.type === "reply-retracted" || event.type === "claim-retracted") return { takeBack: true };
  if (event.type === "run-end") return { end: event.outcome.status };
  return undefined;
}

const page = `<!doctype html><form><input name="words" autofocus></form><p id="work"></p><p id="answer"></p><script>
const words = new URLSearchParams(location.search).get("words");
const source = words && new EventSource("/stream?words=" + encodeURIComponent(words));
if (source) source.onmessage = ({ data }) => {
  const { say, work: tool, takeBack, end } = JSON.parse(data);
  if (takeBack) answer.textContent = "";
  if (say) answer.textContent += say;
  if (tool) work.textContent = tool + " ...";
  if (end) source.close(); // Otherwise the browser would connect again.
};
</script>`;

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
  if (pathname !== "/stream") return void response.writeHead(200, { "content-type": "text/html" }).end(page);
  const left = new AbortController();
  response.on("close", () => {
    left.abort("the browser left");
  });
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  const onEvent = (event: Event): void => {
    const shown = forPage(event);
    if (shown) response.write(`data: ${JSON.stringify(shown)}\n\n`);
  };
  void agent.run(searchParams.get("words") ?? "Hello.", { signal: left.signal, onEvent }).then((outcome) => {
    response.end();
    console.log("message" in outcome ? outcome.message : outcome.value.message);
  });
});

server.listen(Number(process.argv[2] ?? 3000), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}`);
});
