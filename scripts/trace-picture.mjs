// Draws docs/watching.svg: the spans of a real run as a timeline. The run has a scripted model; its tools and checks take time.

import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node";
import { createAgent, tool } from "lastcall";
import { otel } from "lastcall/otel";
import { allowAll } from "lastcall/permission";
import { call, scriptedModel } from "lastcall/testing";
import { taskCompletion } from "lastcall/tools";
import { z } from "zod";

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const exporter = new InMemorySpanExporter();
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
provider.register();
const database = provider.getTracer("db");

function worker(name, effect, ms, query) {
  const run = async () => {
    await wait(ms / 4);
    await database.startActiveSpan(query, async (span) => {
      await wait(ms / 2);
      span.end();
    });
    await wait(ms / 4);
    return "done";
  };
  return tool({ name, description: name, input: z.object({ path: z.string() }), effect, run });
}

let isMended = false;
const check = {
  name: "npm test",
  verify: async () => {
    await wait(60);
    const passed = isMended;
    return { passed, output: passed ? "12 passed" : "1 failed" };
  },
};
const mend = worker("edit_file", "write", 50, "write file");
const agent = createAgent({
  model: scriptedModel([
    {
      text: "I read both.",
      delay: 70,
      calls: [call("read_file", { path: "a.ts" }), call("read_file", { path: "b.ts" })],
    },
    { text: "It works.", delay: 60, calls: [call("task_completion", { result: "Done." })] },
    { text: "I mend it.", delay: 80, calls: [call("edit_file", { path: "a.ts" })] },
    { text: "Now it works.", delay: 50, calls: [call("task_completion", { result: "Done." })] },
  ]),
  tools: [
    worker("read_file", "read", 90, "read disk"),
    { ...mend, run: (input, own) => ((isMended = true), mend.run(input, own)) },
    taskCompletion(),
  ],
  checks: [check],
  permission: allowAll(),
  hooks: [await otel({ agent: "engineer" })],
});
const outcome = await agent.run("Make the test pass.");
if (outcome.status !== "completed") throw new Error(`the run ended ${outcome.status}`);

const ms = ([seconds, nanoseconds]) => seconds * 1000 + nanoseconds / 1e6;
const spans = exporter.getFinishedSpans();
const rows = [];
const walk = (parent, depth) => {
  const children = spans.filter((span) => span.parentSpanContext?.spanId === parent);
  for (const span of children.sort((a, b) => ms(a.startTime) - ms(b.startTime))) {
    rows.push({ span, depth });
    walk(span.spanContext().spanId, depth + 1);
  }
};
walk(undefined, 0);

const [begin, end] = [ms(rows[0].span.startTime), ms(rows[0].span.endTime)];
const [left, width, height] = [290, 560, 24];
const x = (at) => left + ((at - begin) / (end - begin)) * width;
const escape = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;");
const colourOf = ({ name, status, attributes }) => {
  if (status.code === 2 || attributes["lastcall.passed"] === false) return "#c0392b";
  if (name.startsWith("chat")) return "#2e6fb7";
  if (name.startsWith("execute_tool")) return "#2f8f5b";
  if (name.startsWith("lastcall.check")) return "#8e6bbf";
  return name.startsWith("invoke_agent") ? "#55606e" : "#9aa5b1";
};
const noteOf = ({ attributes: has }) =>
  has["lastcall.outcome"] !== undefined
    ? `${has["lastcall.outcome"]}, ${has["lastcall.verified"]}`
    : (has["error.type"] ?? has["lastcall.claim"] ?? { true: "passed", false: "failed" }[has["lastcall.passed"]] ?? "");
const bars = rows.map(({ span, depth }, index) => {
  const y = 16 + index * height;
  const [from, to] = [x(ms(span.startTime)), x(ms(span.endTime))];
  const note = [`${Math.round(ms(span.duration))} ms`, noteOf(span)].filter((word) => word !== "").join(", ");
  const isLate = to > left + width - 150;
  const at = isLate ? `x="${(from - 6).toFixed(1)}" text-anchor="end"` : `x="${(to + 6).toFixed(1)}"`;
  const label = depth === 0 ? `x="${left + 8}" fill="#fff"` : `${at} fill="#55606e"`;
  return `<text x="${10 + depth * 16}" y="${y + 13}" fill="#1f2933">${escape(span.name)}</text>
<rect x="${from.toFixed(1)}" y="${y}" width="${Math.max(2, to - from).toFixed(1)}" height="17" rx="3" fill="${colourOf(span)}"/>
<text ${label} y="${y + 13}" font-size="11">${escape(note)}</text>`;
});
const size = `width="${left + width + 20}" height="${rows.length * height + 28}"`;
const svg = `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="sans-serif" font-size="13" role="img" aria-label="The spans of a run as a timeline">
<rect width="100%" height="100%" fill="#fff"/>
${bars.join("\n")}
</svg>
`;
writeFileSync(fileURLToPath(new URL("../docs/watching.svg", import.meta.url)), svg);
