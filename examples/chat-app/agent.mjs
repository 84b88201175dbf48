// The agent of the page: it asks a question, and has a tool that needs an approval. Without a key, a script plays the model.

import { createAgent, tool } from "lastcall";
import { openai } from "lastcall/model";
import { call, scriptedModel } from "lastcall/testing";
import { askQuestion, converse, taskCompletion } from "lastcall/tools";
import { z } from "zod";

const findTables = tool({
  name: "find_tables",
  description: "Finds the times at which a table is free tonight",
  input: z.object({ guests: z.int().min(1) }),
  effect: "read",
  run: ({ guests }) => (guests > 6 ? "Nothing is free for so many." : "18:30, 19:00 and 21:15"),
});

const bookTable = tool({
  name: "book_table",
  description: "Books a table for tonight",
  input: z.object({ guests: z.int().min(1), at: z.string().describe("A time such as 19:00") }),
  effect: "write",
  preview: ({ guests, at }) => `A table for ${guests} tonight at ${at}`,
  run: ({ guests, at }) => `Booked for ${guests} at ${at}`,
});

/** A model that is played: it reads the last words as a person would, as far as this example needs it. */
const played = scriptedModel(({ lastText }) => {
  if (/\bfree\b|18:30/.test(lastText))
    return say(
      "There is room at 18:30, 19:00 and 21:15. I take 19:00.",
      call("book_table", { guests: 4, at: "19:00" }),
    );
  if (/^Booked/.test(lastText))
    return say("", call("task_completion", { result: "Your table is booked for 19:00. Enjoy your evening!" }));
  if (/denied|ERROR/.test(lastText))
    return say("", call("converse", { message: "Then I book nothing. Shall I look for another time?" }));
  const [guests] = /\d+/.exec(lastText) ?? [];
  if (guests !== undefined) return say("I look for a table.", call("find_tables", { guests: Number(guests) }));
  return say("Gladly.", call("ask_question", { question: "For how many people?", suggestions: ["2", "4", "6"] }));
});

function say(text, ...calls) {
  return { text, calls, piece: 4, pause: 25 };
}

export const host = createAgent({
  model: process.env.OPENAI_API_KEY || process.env.OPENAI_BASE_URL ? openai() : played,
  instructions: "You book tables at a small restaurant. Ask for what you don't know, find a free time, and book it.",
  tools: [findTables, bookTable, askQuestion(), converse(), taskCompletion()],
  // The answer comes from the page, whenever somebody gives it.
  permission: () => ({ later: true, reason: "It books in your name." }),
});
