// The model: a real one if there is a key or an address, else a script that needs neither.

import { openai } from "lastcall/model";
import { call, scriptedModel } from "lastcall/testing";

const { OPENAI_API_KEY, OPENAI_BASE_URL } = process.env;
export const isReal = Boolean(OPENAI_API_KEY) || Boolean(OPENAI_BASE_URL);

/** Plays the model by the last words of the conversation: an order's number, the result of a tool, or anything else. */
export const script = () =>
  scriptedModel(({ lastText }) => {
    if (lastText.includes("Paid back")) return [call("task_completion", { result: "Your money is on its way." })];
    if (lastText.startsWith("ERROR")) return [call("task_completion", { result: "We can't pay this back." })];
    const [order] = /[A-Z]-\d+/.exec(lastText) ?? [];
    if (order === undefined)
      return [call("ask_question", { question: "Which order is it about?", suggestions: ["A-17", "B-42"] })];
    const [, cents] = /"paidCents":(\d+)/.exec(lastText) ?? [];
    return [cents === undefined ? call("find_order", { order }) : call("refund", { order, cents: Number(cents) })];
  });

export const model = isReal ? openai() : script();
