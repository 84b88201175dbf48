// What the model of the chaos suite says: it is told by the messages alone how far it is, so it can be asked by any process at any time.

import { call, type ProviderRequest, type ScriptedReply } from "../../src/testing/index.js";

/**
 * `work`: every kind of call, a question, and a claim that is checked. `fold`: a prompt that outgrows its window. `park`: two calls that
 * wait for an approval.
 */
export type Story = "work" | "fold" | "park";

type Body = ProviderRequest["body"];

/** The tokens that each reply of `work` reports. */
const reported: { readonly inputTokens: number; readonly outputTokens: number } = {
  inputTokens: 100,
  outputTokens: 10,
};

/** How many pages `fold` writes. */
export const pages = 8;

/** The next reply. */
export function storyFor(story: Story, body: Body): ScriptedReply {
  if (body.model === "summary")
    return { text: `I wrote the pages 1 to ${String(lastPage(body))}.`, usage: usageFor(body) };
  if (story === "park") return { ...park(body), usage: reported };
  return story === "work" ? { ...work(body), usage: reported } : { ...fold(body), usage: usageFor(body) };
}

/** As many replies as it has given, so far is it. */
function work({ messages }: Body): ScriptedReply {
  const replies = messages.filter(({ role }) => role === "assistant").length;
  const step = [
    { text: "I begin with both of them.", calls: [call("deploy", { what: "a" }), call("deploy", { what: "b" })] },
    { calls: [call("mark", { what: "c" }), call("look", { what: "d" })] },
    { calls: [call("ask_question", { question: "Which one?" })] },
    { calls: [call("sign", { what: "e" })] },
    // The outcome of the signature is not known.
    { calls: [call("task_completion", { result: "Looked it up." })] },
  ][replies];
  return { piece: 6, ...(step ?? { calls: [call("ask_question", { question: "Is this the end?" })] }) };
}

/** A call that can't be repeated beside a read, one that can, and the end. */
function park({ messages }: Body): ScriptedReply {
  const replies = messages.filter(({ role }) => role === "assistant").length;
  const step = [
    { calls: [call("look", { what: "d" }), call("deploy", { what: "a" })] },
    { calls: [call("mark", { what: "c" })] },
    { calls: [call("task_completion", { result: "Shipped." })] },
  ][replies];
  return { piece: 6, ...(step ?? { calls: [call("task_completion", { result: "Looked it up." })] }) };
}

/** A page in each reply, with words that nothing but a fold can shorten. */
function fold(body: Body): ScriptedReply {
  const page = lastPage(body) + 1;
  if (page > pages) return { calls: [call("task_completion", { result: "All pages." })] };
  return {
    text: `Page ${String(page)}: ${"words and more words ".repeat(90)}`,
    calls: [call("deploy", { what: String(page) })],
  };
}

/** What is said of each page in the prompt, or in the summary of it. */
function lastPage({ messages }: Body): number {
  const text = JSON.stringify(messages.slice(1));
  return Math.max(0, ...[...text.matchAll(/(?:Page |pages 1 to )(\d+)/g)].map(([, page]) => Number(page)));
}

/** About what a server would count. */
function usageFor({ messages }: Body): typeof reported {
  return { inputTokens: Math.ceil(JSON.stringify(messages).length / 4) + 300, outputTokens: 500 };
}
