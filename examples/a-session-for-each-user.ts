// A chat bot with a session for each user in one process. Messages of one user are answered in order, those of many side by side.

import { createAgent, tool } from "lastcall";
import { fileStore, openSession } from "lastcall/memory";
import { openai } from "lastcall/model";
import { converse } from "lastcall/tools";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { z } from "zod";

const model = openai();
const store = fileStore("sessions");
const todos = new Map<string, string[]>(); // A database, in earnest.

/** Answers a message of a user. The tools know the user, so no model can write on another's list. */
async function answer(user: string, words: string): Promise<string> {
  const addTodo = tool({
    name: "add_todo",
    description: "Puts something on the user's list.",
    input: z.object({ what: z.string() }),
    run({ what }) {
      const list = [...(todos.get(user) ?? []), what];
      todos.set(user, list);
      return list;
    },
  });
  const agent = createAgent({ model, tools: [addTodo, converse()], onText: "converse" });
  const outcome = await agent.run(words, { session: openSession({ store, id: user }) });
  return outcome.status === "waiting" ? outcome.value.message : `Sorry: ${outcome.message}`;
}

/**
 * Does the work after the user's previous work. Without this, a message that comes while a run is at work joins that run: fine for a
 * conversation in one window, but here each message gets an answer of its own.
 */
const last = new Map<string, Promise<unknown>>();
async function inTurn<Result>(user: string, work: () => Promise<Result>): Promise<Result> {
  const turn = (last.get(user) ?? Promise.resolve()).then(work, work);
  last.set(user, turn);
  return turn.finally(() => last.get(user) === turn && last.delete(user));
}

const message = z.object({ user: z.string().regex(/^[A-Z0-9]{1,20}$/), words: z.string().min(1) });

const server = createServer((request, response) => {
  void (async () => {
    const given = message.safeParse(await json(request).catch(() => undefined));
    if (!given.success) return response.writeHead(400).end(z.prettifyError(given.error));
    const { user, words } = given.data;
    return response.end(await inTurn(user, () => answer(user, words)));
  })();
});
server.listen(Number(process.argv[2] ?? 3000), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}`);
});
