/* eslint-disable @typescript-eslint/switch-exhaustiveness-check -- that the compiler notices what is left out is the point */
// The approver's call, typed by the tools of the agent.
import { describe, expectTypeOf, it } from "vitest";
import { z } from "zod";
import {
  createAgent,
  everyOf,
  tool,
  type AnyOutcome,
  type Approver,
  type FrozenCall,
  type FrozenCallOf,
  type Model,
  type Tool,
} from "../../src/index.js";
import { allowAll, gate } from "../../src/permission/index.js";
import { askFirst } from "../../src/approval/index.js";
import { taskCompletion } from "../../src/tools/index.js";

declare const model: Model;

const refund = tool({
  name: "refund",
  description: "Pays money back.",
  input: z.object({ order: z.string(), cents: z.int(), at: z.coerce.date() }),
  effect: "network",
  run: ({ cents }) => cents,
});
const remove = tool({
  name: "remove",
  description: "Deletes.",
  input: z.object({ path: z.string() }),
  effect: "write",
});
const tools = [refund, remove, taskCompletion()];
const unknownTools: readonly Tool[] = tools;
type Mine = FrozenCallOf<typeof tools>;

describe("the call that an approver gets", () => {
  it("has the input of the tool that its name says, as validated", () => {
    const approver = (call: Mine): boolean => {
      if (call.name === "refund") {
        expectTypeOf(call.input).toEqualTypeOf<{ order: string; cents: number; at: Date }>();
        // @ts-expect-error The path belongs to remove.
        return call.input.path === "";
      }
      // @ts-expect-error There is no such tool.
      return call.name === "refunds";
    };
    createAgent({ model, tools, permission: approver });
    createAgent({ model, tools, permission: gate({ root: ".", approver }) });
    expectTypeOf<Mine["name"]>().toEqualTypeOf<"refund" | "remove" | "task_completion">();
  });

  it("is typed without a word in the options of an agent, and the outcome tells whether a run can wait", async () => {
    const mine = [refund, remove, taskCompletion()] as const;
    const strict = createAgent({ model, tools: mine, permission: (call) => call.name !== "remove" });
    const patient = createAgent({
      model,
      tools: mine,
      permission: async (call) =>
        call.name === "refund" && call.input.cents > 1000 ? { later: true, reason: "a person looks" } : true,
    });
    const mixed = createAgent({
      model,
      tools: mine,
      permission: ({ name, input }, { why }) =>
        name !== "remove" || Promise.resolve({ allowed: input.path !== "", reason: why, always: true }),
    });
    type Status = AnyOutcome["status"];
    expectTypeOf((await strict.run("go")).status).toEqualTypeOf<Exclude<Status, "waiting">>();
    expectTypeOf((await mixed.run("go")).status).toEqualTypeOf<Exclude<Status, "waiting">>();
    expectTypeOf((await patient.run("go")).status).toEqualTypeOf<Status>();
    // @ts-expect-error There is no such tool.
    createAgent({ model, tools: mine, permission: (call) => call.name === "paid" });
    // @ts-expect-error Words are no answer.
    createAgent({ model, tools: mine, permission: () => "yes" });
  });

  it("can be named by the approver's type, or where the permission is made", () => {
    const approver: Approver<Mine> = (call, { why }) => call.name === "refund" && call.input.cents < why.length;
    createAgent({ model, tools, permission: approver });
    createAgent({ model, tools, permission: gate<Mine>({ root: ".", approver: ({ name }) => name !== "remove" }) });
  });

  it("lets a switch forget no tool", () => {
    const approver = (call: Mine): boolean => {
      switch (call.name) {
        case "refund":
          return call.input.cents < 1000;
        case "task_completion":
          return true;
        default:
          // @ts-expect-error "remove" is left.
          return call satisfies never;
      }
    };
    createAgent({ model, tools, permission: approver });
  });

  it("is typed in a permission that stands in the options of the agent", () => {
    createAgent({
      model,
      tools: [refund, taskCompletion()],
      permission: {
        decide: (call) => ({
          allowed: call.name === "refund" && call.input.cents < 1000,
          reason: "so much is allowed",
        }),
      },
    });
  });

  it("is a call of any tool without a type", () => {
    askFirst((call) => {
      expectTypeOf(call).toEqualTypeOf<FrozenCall>();
      expectTypeOf(call.input).toBeUnknown();
      return true;
    });
    expectTypeOf<FrozenCallOf<readonly Tool[]>>().toEqualTypeOf<FrozenCall>();
  });
});

describe("the permission of an agent", () => {
  const permission = askFirst((call: Mine) => call.name !== "remove");

  it("does not compile if it knows less than the agent's tools", () => {
    const other = tool({ name: "other", description: "", input: z.object({}) });
    // @ts-expect-error Nothing was said about "other".
    createAgent({ model, tools: [...tools, other], permission });
    // @ts-expect-error The tools are known only at run time.
    createAgent({ model, tools: unknownTools, permission });
    // @ts-expect-error The combination knows no more.
    createAgent({ model, tools: [...tools, other], permission: everyOf([permission]) });
  });

  it("may know more tools, or any", () => {
    createAgent({ model, tools: [refund, taskCompletion()], permission });
    createAgent({ model, tools, permission: everyOf([permission, askFirst((call: Mine) => call.name !== "remove")]) });
    createAgent({ model, tools, permission: everyOf([permission, allowAll(), gate({ root: "." })]) });
    createAgent({ model, tools, permission: allowAll() });
    createAgent({ model, tools, permission: () => true });
    createAgent({ model, tools: unknownTools, permission: gate({ root: ".", approver: () => true }) });
  });
});
