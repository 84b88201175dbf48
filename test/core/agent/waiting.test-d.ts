// The call that a session waits for, typed by the tools of the agent.
import { describe, expectTypeOf, it } from "vitest";
import { z } from "zod";
import {
  createAgent,
  tool,
  type Model,
  type OpenSession,
  type Session,
  type Tool,
  type WaitingCall,
} from "../../../src/index.js";
import type { StoredSessionHandle } from "../../../src/memory/index.js";
import { askQuestion, taskCompletion, type Question } from "../../../src/tools/index.js";

declare const model: Model;
declare const session: StoredSessionHandle;
declare const plain: Session;

const refund = tool({
  name: "refund",
  description: "Proposes to pay money back.",
  input: z.object({ order: z.string(), cents: z.int() }),
  isLoopBreaking: true,
  awaitsReply: true,
});
const agent = createAgent({ model, tools: [refund, askQuestion(), taskCompletion()] });

describe("agent.waiting", () => {
  it("has a case for each tool that awaits a reply, and none for the others", async () => {
    const due = await agent.waiting(session);
    if (due === undefined) return;
    expectTypeOf(due.by).toEqualTypeOf<"refund" | "ask_question">();
    expectTypeOf(due.id).toBeString();
    if (due.by === "refund") expectTypeOf(due.value).toEqualTypeOf<{ order: string; cents: number }>();
    else expectTypeOf(due.value).toEqualTypeOf<Question>();
    // @ts-expect-error task_completion does not wait.
    expectTypeOf(due.by === "task_completion");
    // @ts-expect-error Only refund has cents.
    expectTypeOf(due.value.cents);
  });

  it("takes a session as plain data, and not one that nobody can read", async () => {
    expectTypeOf(await agent.waiting(plain)).toEqualTypeOf(await agent.waiting(session));
    // @ts-expect-error A session of another kind that only runs can open.
    await agent.waiting({} as OpenSession);
  });

  it("is never there if no tool awaits a reply, and anything if the tools are known only at run time", async () => {
    const _never = createAgent({ model, tools: [taskCompletion()] });
    expectTypeOf<Awaited<ReturnType<typeof _never.waiting>>>().toEqualTypeOf<undefined>();
    const some = createAgent({ model, tools: [taskCompletion()] as readonly Tool[] });
    expectTypeOf(await some.waiting(session)).toEqualTypeOf<WaitingCall | undefined>();
  });

  it("is what the outcome has", async () => {
    const outcome = await agent.run("Go.");
    if (outcome.status === "waiting") expectTypeOf<typeof outcome>().toExtend<WaitingCall>();
  });
});
