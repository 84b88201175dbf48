// A worker of workerd: one Durable Object has the handler, so that a run outlives the request that began it.

import { createAgent } from "lastcall";
import { memoryStore } from "lastcall/memory";
import { openai } from "lastcall/model";
import { createHandler } from "lastcall/server";
import { taskCompletion } from "lastcall/tools";

export class Agents {
  #handler;

  constructor(_state, { OPENAI_BASE_URL: baseURL }) {
    this.#handler = createHandler({
      agents: {
        worker: createAgent({
          model: openai({ model: "scripted", baseURL, apiKey: "none" }),
          tools: [taskCompletion()],
        }),
      },
      store: memoryStore(),
      path: "/agents",
      authenticate: () => true,
      maxStreams: 1,
      // workerd notices that a client left when it next writes to it.
      keepAlive: 500,
    });
  }

  fetch(request) {
    return this.#handler(request);
  }
}

export default {
  fetch(request, { AGENTS }) {
    if (new URL(request.url).pathname === "/own") return new Response("own");
    return AGENTS.get(AGENTS.idFromName("all")).fetch(request);
  },
};
