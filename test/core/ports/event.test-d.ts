// The events of an agent, typed by its tools.
import { expectTypeOf, it } from "vitest";
import { z } from "zod";
import { createAgent, tool, type Event, type Model } from "../../../src/index.js";
import { taskCompletion, type TaskCompletion } from "../../../src/tools/index.js";

declare const model: Model;

const look = tool({ name: "look", description: "Looks.", input: z.object({}) });
const pick = tool({
  name: "pick",
  description: "Picks a day.",
  input: z.object({ day: z.coerce.date() }),
  isLoopBreaking: true,
});
const agent = createAgent({ model, tools: [look, pick, taskCompletion()] });

it("claim-accepted has the value of the tool that it names", async () => {
  for await (const event of agent.stream("Go.")) {
    if (event.type !== "claim-accepted") continue;
    expectTypeOf(event.tool).toEqualTypeOf<"pick" | "task_completion">();
    if (event.tool === "pick") expectTypeOf(event.value).toEqualTypeOf<{ day: Date }>();
    else expectTypeOf(event.value).toEqualTypeOf<TaskCompletion>();
    // @ts-expect-error look ends nothing.
    expectTypeOf(event.tool === "look");
  }
});

it("a watcher of any agent can watch this one", () => {
  const watch = (event: Event): void => {
    if (event.type === "claim-accepted") expectTypeOf(event.value).toBeUnknown();
  };
  void agent.run("Go.", { onEvent: watch });
});
