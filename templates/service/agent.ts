// The agent of the service: it sorts tickets, asks if a ticket says too little, and ends with a value that programs read.

import { createAgent, tool, type Model } from "lastcall";
import { askQuestion } from "lastcall/tools";
import { z } from "zod";

const statusOf = tool({
  name: "status_of",
  description: "Tells how a part of the product is doing.",
  input: z.object({ part: z.enum(["login", "billing", "search"]) }),
  effect: "none",
  run: ({ part }) => (part === "billing" ? "billing: errors since 09:40" : `${part}: no problem is known`),
});

const fileTicket = tool({
  name: "file_ticket",
  description: "Ends the run: files the ticket with a team.",
  input: z.object({
    team: z.enum(["accounts", "billing", "search"]),
    urgency: z.enum(["now", "today", "later"]),
    summary: z.string(),
  }),
  isLoopBreaking: true,
});

export const clerkWith = (model: Model) =>
  createAgent({
    model,
    instructions: "You sort support tickets. Look at the status of the part, then file the ticket.",
    tools: [statusOf, fileTicket, askQuestion()],
  });
