// The baseline: a loop written by hand on the openai package. It streams, runs the calls of a reply side by side, and ends at task_completion.
// With `flush` it appends a line to a file before each call and waits for the disk: the least that keeps a call from being made twice.

import { fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const string = { type: "string" };
const function_ = (name, description, properties, required) => ({
  type: "function",
  function: { name, description, parameters: { type: "object", properties, required } },
});
const tools = [
  function_("lookup", "Looks a key up", { key: string, text: string }, ["key"]),
  function_("task_completion", "Ends the task", { result: string }, ["result"]),
];

let log;

/** Opens a file in a folder of its own, which is removed as the process ends. */
function openLog() {
  const folder = mkdtempSync(join(tmpdir(), "lastcall-bench-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return openSync(join(folder, "log"), "a");
}

/** Makes a function that runs the task once. `openai` is the address of the package, for another version than the installed one. */
export async function prepare({ baseURL, lookup, openai = "openai", flush }) {
  if (flush) log ??= openLog();
  const { default: OpenAI } = await import(openai);
  const client = new OpenAI({ baseURL, apiKey: "none", maxRetries: 0 });
  return async () => {
    const messages = [
      { role: "system", content: "You look keys up." },
      { role: "user", content: "Look them all up." },
    ];
    for (let iteration = 1; ; iteration += 1) {
      const body = {
        model: "scripted",
        messages,
        tools,
        tool_choice: "required",
        stream: true,
        stream_options: { include_usage: true },
      };
      const message = await collect(await client.chat.completions.create(body));
      messages.push(message);
      const [first] = message.tool_calls;
      if (first.function.name === "task_completion") {
        return { iterations: iteration, result: JSON.parse(first.function.arguments).result };
      }
      messages.push(...(await Promise.all(message.tool_calls.map((call) => answer(call, lookup)))));
    }
  };
}

async function answer({ id, function: { arguments: text } }, lookup) {
  if (log !== undefined) {
    writeSync(log, `${JSON.stringify({ id, arguments: text })}\n`);
    fdatasyncSync(log);
  }
  return { role: "tool", tool_call_id: id, content: await lookup(JSON.parse(text)) };
}

/** Assembles the message from its chunks. */
async function collect(chunks) {
  const message = { role: "assistant", content: null, tool_calls: [] };
  for await (const { choices } of chunks) {
    const delta = choices[0]?.delta;
    if (delta?.content) message.content = (message.content ?? "") + delta.content;
    for (const { index, id, function: piece } of delta?.tool_calls ?? []) {
      message.tool_calls[index] ??= { id, type: "function", function: { name: piece.name, arguments: "" } };
      message.tool_calls[index].function.arguments += piece.arguments ?? "";
    }
  }
  return message;
}
