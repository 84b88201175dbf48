import { describe, expect, it } from "vitest";
import { createAgent, tool, type Event } from "../../src/index.js";
import { noUsage, type WrittenReply } from "../../src/core/index.js";
import { ladder } from "../../src/model/forcing.js";
import { type Forcing } from "../../src/model/data/rung.js";
import { openai, type OpenAIOptions } from "../../src/model/index.js";
import { serverAt } from "../../src/model/http/servers.js";
import { call, scriptedProvider, type Script, type ScriptedProvider } from "../../src/testing/index.js";
import { taskCompletion } from "../../src/tools/index.js";
import { ask, requestOf } from "../ai-sdk/request.js";

const unknown = { name: "a server", starts: "required", leaksCalls: false } as const;
const words: WrittenReply = { text: "Hello.", calls: [], finish: "complete", usage: noUsage };
const calling: WrittenReply = { ...words, calls: [{ type: "call", name: "x", input: {} }] };

function refusal(status: number, message: string): Error {
  return Object.assign(new Error(message), { status });
}

describe("a ladder", () => {
  it("goes from required to auto after one reply without a call, and to xml after two more in a row", () => {
    const steps = ladder("ladder", unknown, undefined);
    expect(steps.rung).toBe("required");
    expect(steps.answered(words, true)).toMatchObject({ type: "forcing-step", from: "required", to: "auto" });
    expect(steps.answered(words, true)).toBeUndefined();
    expect(steps.answered(calling, true)).toBeUndefined();
    expect(steps.answered(words, true)).toBeUndefined();
    expect(steps.answered(words, true)).toMatchObject({ from: "auto", to: "xml" });
    expect(steps.answered(words, true)).toBeUndefined();
    expect(steps.rung).toBe("xml");
  });

  it("does not count replies that were cut or refused, nor where none needs a call", () => {
    const steps = ladder("ladder", unknown, undefined);
    expect(steps.answered({ ...words, finish: "cut" }, true)).toBeUndefined();
    expect(steps.answered({ ...words, finish: "refused" }, true)).toBeUndefined();
    expect(steps.answered(words, false)).toBeUndefined();
    expect(steps.rung).toBe("required");
  });

  it.each<[number, string, Forcing | undefined]>([
    [400, "Invalid tool_choice type: 'object'. Supported string values: none, auto, required", "auto"],
    [400, "Thinking mode does not support this tool_choice", "auto"],
    [400, "Thinking may not be enabled when tool_choice forces tool use.", "auto"],
    [500, "tool_choice_not_satisfied", "auto"],
    [400, "registry.ollama.ai/library/gemma:2b does not support tools", "xml"],
    [400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set', "xml"],
    [500, "tools param requires --jinja flag", "xml"],
    [404, "No endpoints found that support tool use", undefined],
    [400, "max_tokens is too large", undefined],
    [400, "Invalid schema for function 'lookup'", undefined],
    [429, "tool_choice: slow down", undefined],
    [500, "Internal server error", undefined],
  ])("takes %i %s for a step to %s", (status, message, to) => {
    expect(ladder("ladder", unknown, undefined).refused(refusal(status, message))?.to).toBe(to);
  });

  it("goes on to xml where the choice is refused a second time, and no further", () => {
    const steps = ladder("ladder", unknown, undefined);
    const objection = refusal(400, "tool_choice is not supported");
    expect(steps.refused(objection)?.to).toBe("auto");
    expect(steps.refused(objection)?.to).toBe("xml");
    expect(steps.refused(objection)).toBeUndefined();
  });

  it.each<Forcing>(["required", "auto", "xml"])("stays where it is pinned: %s", (pinned) => {
    const steps = ladder(pinned, unknown, undefined);
    for (let n = 0; n < 5; n += 1) expect(steps.answered(words, true)).toBeUndefined();
    expect(steps.refused(refusal(400, "tool_choice is not supported"))).toBeUndefined();
    expect(steps.rung).toBe(pinned);
  });

  it("reads calls in the text below required, where the server leaks them, and where it is told to", () => {
    expect(ladder("required", unknown, undefined).readsText(false)).toBe(false);
    expect(ladder("required", unknown, true).readsText(false)).toBe(true);
    expect(ladder("required", { ...unknown, leaksCalls: true }, undefined).readsText(false)).toBe(true);
    expect(ladder("auto", unknown, undefined).readsText(false)).toBe(true);
    expect(ladder("auto", unknown, false).readsText(false)).toBe(false);
    expect(ladder("xml", unknown, false).readsText(false)).toBe(true);
    expect(ladder("required", unknown, undefined).readsText(true)).toBe(true);
    expect(ladder("required", unknown, false).readsText(true)).toBe(false);
  });
});

describe("known servers", () => {
  it("are found by host, or by port on this machine", () => {
    expect(serverAt("https://api.openai.com/v1").name).toBe("OpenAI");
    expect(serverAt("http://localhost:11434/v1")).toMatchObject({ name: "Ollama", starts: "auto", leaksCalls: true });
    expect(serverAt("http://127.0.0.1:1234/v1")).toMatchObject({ name: "LM Studio", leaksCalls: true });
    expect(serverAt("http://example.com:11434/v1")).toEqual({
      name: "example.com:11434",
      starts: "required",
      leaksCalls: false,
    });
  });
});

/** Runs an agent against a provider with this script. */
async function run(
  script: Script,
  options: OpenAIOptions = {},
): Promise<{ readonly events: Event[]; readonly status: string; readonly requests: ScriptedProvider["requests"] }> {
  await using provider = await scriptedProvider(script);
  const lookup = tool({
    name: "lookup",
    description: "Looks up.",
    input: { type: "object", properties: { key: { type: "string" } }, required: ["key"] },
    run: () => "found",
  });
  const agent = createAgent({
    model: openai({ baseURL: provider.url, steady: false, ...options }),
    tools: [lookup, taskCompletion()],
  });
  const events: Event[] = [];
  const { status } = await agent.run("Look a up.", { onEvent: (event) => void events.push(event) });
  return { events, status, requests: provider.requests };
}

const done = call("task_completion", { result: "done" });
const xmlDone =
  "<tool>\n<tool_name>task_completion</tool_name>\n<arguments>\n<result>done</result>\n</arguments>\n</tool>";
const choices = (requests: ScriptedProvider["requests"]): readonly unknown[] =>
  requests.map(({ body }) => body.tool_choice ?? "none");

describe("an agent on a server that does not go along", () => {
  it("that refuses the choice is asked again at once, without an iteration lost", async () => {
    const objection = { status: 400, message: "tool_choice 'required' is not supported with thinking" };
    const { events, status, requests } = await run([objection, [call("lookup", { key: "a" })], [done]]);
    expect(status).toBe("completed");
    expect(choices(requests)).toEqual(["required", "auto", "auto"]);
    expect(events.filter(({ type }) => type === "forcing-step")).toMatchObject([{ from: "required", to: "auto" }]);
    expect(events.filter(({ type }) => type === "circuit-failure")).toEqual([]);
    expect(JSON.stringify(requests[1]?.body.messages[0])).toContain("function call");
    expect(JSON.stringify(requests[0]?.body.messages[0])).not.toContain("function call");
  });

  it("that takes no tools gets them in the prompt, and calls and results travel as text", async () => {
    const objection = { status: 400, message: "this model does not support tools" };
    const { status, requests } = await run([
      objection,
      "Let me see.\n<tool>\n<tool_name>lookup</tool_name>\n<arguments>\n<key>a &amp; b</key>\n</arguments>\n</tool>",
      xmlDone,
    ]);
    expect(status).toBe("completed");
    const [, second, third] = requests;
    expect(second?.body).not.toHaveProperty("tools");
    expect(second?.body).not.toHaveProperty("tool_choice");
    expect(JSON.stringify(second?.body.messages[0])).toContain("<tool_name>lookup</tool_name>");
    const roles = third?.body.messages.map(({ role }) => role);
    expect(roles).toEqual(["system", "user", "assistant", "user"]);
    expect(JSON.stringify(third?.body.messages[3])).toContain("found");
  });

  it("gets the system prompt that a hook changed, on XML too, and no words about tools without tools", async () => {
    await using provider = await scriptedProvider(["One.", "Two.", "Three."]);
    const model = openai({ baseURL: provider.url, forcing: "xml", steady: false });
    const request = requestOf();
    await ask(model, request);
    await ask(model, { ...request, system: "Another day." });
    await ask(model, { ...request, tools: [], needsCall: false });
    const systems = provider.requests.map(({ body }) => String(body.messages[0]?.content));
    expect(systems[0]).toMatch(/^Look things up\.\n\nYou call tools by writing XML/);
    expect(systems[1]).toMatch(/^Another day\.\n\nYou call tools by writing XML/);
    expect(systems[2]).toBe("Look things up.");
  });

  it("that ignores the choice again and again comes to XML, and the streak counts for the circuit", async () => {
    const { events, status, requests } = await run(["Hello!", "Hello!", "Hello!", xmlDone]);
    expect(status).toBe("completed");
    expect(choices(requests)).toEqual(["required", "auto", "auto", "none"]);
    expect(events.filter(({ type }) => type === "circuit-failure").length).toBe(3);
    expect(events.filter(({ type }) => type === "forcing-step").map((event) => "to" in event && event.to)).toEqual([
      "auto",
      "xml",
    ]);
  });

  it("shows watchers the words around a call in the text, and of the call what it streams", async () => {
    const reply = `I am done.\n\n${xmlDone}`;
    for (const piece of [1, 2, 7, reply.length]) {
      const { events, status } = await run([{ text: reply, piece, pause: 1 }], { forcing: "xml" });
      expect(status).toBe("completed");
      const shown = events
        .map((event) => (event.type === "text-delta" && event.claim === undefined ? event.text : ""))
        .join("");
      expect(shown.trim()).toBe("I am done.");
      const claimed = events.filter((event) => event.type === "text-delta" && event.claim);
      expect(claimed.map((event) => "text" in event && event.text).join("")).toBe("done");
      if (piece < 4) expect(claimed.length).toBeGreaterThan(1);
    }
  });
});

it("a misspelt way of forcing, or API, was taken as it was in plain JavaScript", () => {
  expect(() => openai({ apiKey: "k", forcing: "requierd" as never })).toThrow('Did you mean "required"?');
  expect(() => openai({ apiKey: "k", api: "completions" as never })).toThrow(
    'api of openai is "completions": give one of "chat"',
  );
});
