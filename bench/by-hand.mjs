// The baseline: a loop written by hand on the openai package. It streams, and ends at task_completion.

import OpenAI from "openai";

const parameters = (key) => ({ type: "object", properties: { [key]: { type: "string" } }, required: [key] });
const tools = [
  { type: "function", function: { name: "lookup", description: "Looks a key up", parameters: parameters("key") } },
  {
    type: "function",
    function: { name: "task_completion", description: "Ends the task", parameters: parameters("result") },
  },
];

/** Makes a function that runs the task once and returns the number of requests and the result. */
export function prepare(baseURL, lookup) {
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
      for (const call of message.tool_calls) {
        const input = JSON.parse(call.function.arguments);
        if (call.function.name === "task_completion") return { iterations: iteration, result: input.result };
        messages.push({ role: "tool", tool_call_id: call.id, content: await lookup(input) });
      }
    }
  };
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
