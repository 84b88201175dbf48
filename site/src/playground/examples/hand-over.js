// Three agents. The desk hands the run over to billing, which
// goes on in it. Billing delegates a search to a third agent,
// which has a session of its own.

import { createAgent, tool } from "lastcall";
import { call, scriptedModel } from "lastcall/testing";
import {
  delegate,
  handOver,
  taskCompletion,
} from "lastcall/tools";
import { z } from "zod";

const found = tool({
  name: "found",
  description: "Ends the search",
  input: z.object({
    order: z.string(),
    charges: z.array(z.int()),
  }),
  isLoopBreaking: true,
});

const books = createAgent({
  instructions: "You search the books.",
  model: scriptedModel([
    [call("found", { order: "7", charges: [1999, 1999] })],
  ]),
  tools: [found],
});

const refunded = tool({
  name: "refunded",
  description: "Ends the case with a refund",
  input: z.object({ order: z.string(), cents: z.int() }),
  isLoopBreaking: true,
});

const billing = createAgent({
  instructions: "You do refunds.",
  model: scriptedModel([
    [
      call("search_books", {
        task: "How often was order 7 charged?",
      }),
    ],
    [call("refunded", { order: "7", cents: 1999 })],
  ]),
  tools: [
    delegate(books, {
      name: "search_books",
      description: "Searches the books.",
    }),
    refunded,
  ],
});

export const agent = createAgent({
  instructions: "You find the right agent for the customer.",
  model: scriptedModel([
    [
      call("hand_over", {
        to: "billing",
        message: "Charged twice for order 7.",
      }),
    ],
  ]),
  tools: [
    handOver(
      { billing },
      { when: { billing: "refunds and invoices" } },
    ),
    taskCompletion(),
  ],
});

export const task = "You charged me twice for order 7.";
