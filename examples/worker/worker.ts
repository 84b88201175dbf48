// A booking desk in Cloudflare's workerd: each customer is a Durable Object with a session, and a question outlives the process that asked it.

import { createAgent, tool } from "lastcall";
import { openSession } from "lastcall/memory";
import { openai } from "lastcall/model";
import { askQuestion, taskCompletion } from "lastcall/tools";
import { z } from "zod";
import { durableStore, type DurableStorage } from "./durable-store.js";

interface Environment {
  readonly OPENAI_API_KEY: string;
  readonly OPENAI_BASE_URL: string;
  readonly DESKS: {
    idFromName(name: string): unknown;
    get(id: unknown): { fetch(request: Request): Promise<Response> };
  };
}

const bookTable = tool({
  name: "book_table",
  description: "Books a table.",
  input: z.object({ people: z.int().positive(), time: z.string() }),
  idempotent: true,
  run: ({ people, time }) => `A table for ${String(people)} at ${time} is booked.`,
});

/** The desk of one customer: POST begins with words, GET shows the open question, PUT answers it. */
export class Desk {
  readonly #agent;
  readonly #session;

  constructor({ storage }: { readonly storage: DurableStorage }, environment: Environment) {
    const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseURL } = environment;
    this.#agent = createAgent({
      model: openai({ apiKey, baseURL }),
      instructions: "You book tables. Ask for what you were not told.",
      tools: [bookTable, askQuestion(), taskCompletion()],
    });
    this.#session = openSession({ store: durableStore(storage), id: "desk" });
  }

  async fetch(request: Request): Promise<Response> {
    const asked = await this.#agent.waiting(this.#session);
    if (request.method === "GET") return Response.json({ question: asked?.value.question ?? null });
    if (request.method === "PUT" && asked === undefined) return new Response("No question is open.", { status: 409 });
    const outcome = await this.#agent.run(await request.text(), {
      session: this.#session,
      ...(request.method === "PUT" && { answers: asked?.id }),
    });
    if (outcome.status === "waiting") return Response.json({ question: outcome.value.question }, { status: 202 });
    if (outcome.status === "completed") return Response.json({ result: outcome.value.result });
    return Response.json({ error: outcome.message }, { status: 500 });
  }
}

export default {
  fetch(request: Request, { DESKS }: Environment): Promise<Response> {
    return DESKS.get(DESKS.idFromName(new URL(request.url).pathname)).fetch(request);
  },
};
