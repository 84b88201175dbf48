// A tool whose schema uses more of zod: defaults, transforms, dates, a rule over two fields, cases, and recursion.

import { createAgent, tool } from "lastcall";
import { openai } from "lastcall/model";
import { z } from "zod";

const reminder = z.discriminatedUnion("by", [
  z.object({ by: z.literal("mail"), address: z.email() }),
  z.object({ by: z.literal("phone"), number: z.string().regex(/^\+\d{6,15}$/) }),
]);

const step = z.object({
  title: z.string().trim().min(1),
  hours: z.union([z.number(), z.string().regex(/^\d+$/).transform(Number)]).default(1), // Small models write "3" for 3.
  get parts(): z.ZodDefault<z.ZodArray<typeof step>> {
    return z.array(step).default([]);
  },
});

const makePlan = tool({
  name: "make_plan",
  description: "Ends the task with a plan.",
  input: z
    .object({ from: z.coerce.date(), to: z.coerce.date(), steps: z.array(step).min(1), remind: reminder.optional() })
    .refine(({ from, to }) => from <= to, { message: "`to` must not be before `from`", path: ["to"] }),
  isLoopBreaking: true,
});

const agent = createAgent({ model: openai(), tools: [makePlan] });
const outcome = await agent.run(process.argv[2] ?? "Plan the move of our office.", {
  onEvent(event) {
    // The model reads every broken rule, with its path, and calls again.
    if (event.type === "iteration-end") for (const { message } of event.failures) console.log(`told: ${message}`);
  },
});

/** The hours of a step and of all its parts. */
function hoursOf({ hours, parts }: z.infer<typeof step>): number {
  return hours + parts.reduce((sum, part) => sum + hoursOf(part), 0);
}

if (outcome.status === "completed") {
  const { from, to, steps, remind } = outcome.value; // Dates and numbers, as the schema makes them.
  const days = (to.getTime() - from.getTime()) / 86_400_000;
  console.log(`${String(days)} days from ${from.toISOString().slice(0, 10)}`);
  for (const each of steps) console.log(`${each.title}: ${String(hoursOf(each))} h`);
  if (remind !== undefined) console.log(remind.by === "mail" ? `mail to ${remind.address}` : `call ${remind.number}`);
} else console.error(outcome.message);
