// A chat bot with a session for each user in one process. One agent serves them all, side by side.

import { createAgent, tool } from "lastcall";
import { fileStore, openSession } from "lastcall/memory";
import { openai } from "lastcall/model";
import { converse } from "lastcall/tools";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { z } from "zod";

const store = fileStore("sessions");
const todos = new Map<string, string[]>(); // A database, in earnest.

/** The tool knows the user from the context, which the model neither sees nor chooses. So no model can write on another's list. */
const addTodo = tool({
  name: "add_todo",
  description: "Puts something on the user's list.",
  input: z.object({ what: z.string() }),
  context: z.object({ user: z.string() }),
  run({ what }, { context: { user } }) {
    const list = [...(todos.get(user) ?? []), what];
    todos.set(user, list);
    return list;
  },
});
const agent = createAgent({ model: openai(), tools: [addTodo, converse()], onText: "converse" });

/** The answer to a message. It is empty for a message that came while the bot worked for its user: the answer to the first is for both. */
async function answer(user: string, words: string): Promise<string> {
  const outcome = await agent.run(words, { session: openSession({ store, id: user }), context: { user } });
  if (outcome.status !== "waiting") return `Sorry: ${outcome.message}`;
  return outcome.joined === true ? "" : outcome.value.message;
}

const message = z.object({ user: z.email(), words: z.string().min(1) });

const server = createServer((request, response) => {
  void (async () => {
    const given = message.safeParse(await json(request).catch(() => undefined));
    if (!given.success) return response.writeHead(400).end(z.prettifyError(given.error));
    return response.end(await answer(given.data.user, given.data.words));
  })();
});
server.listen(Number(process.argv[2] ?? 3000), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}`);
});
