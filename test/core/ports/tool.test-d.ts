/* eslint-disable @typescript-eslint/switch-exhaustiveness-check -- that the compiler notices what is left out is the point */
import { describe, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { createAgent, tool, type Model, type Outcome, type Stopped, type Tool } from "../../../src/index.js";
import {
  giveUp,
  taskCompletion,
  type askQuestion,
  type Question,
  type TaskCompletion,
} from "../../../src/tools/index.js";

declare const model: Model;
declare function look(value: unknown): void;

const readFile = tool({
  name: "read_file",
  description: "Reads.",
  input: z.object({ path: z.string() }),
  run: ({ path }) => `content of ${path}`,
});
const submitReport = tool({
  name: "submit_report",
  description: "Hands in the report.",
  input: z.object({ title: z.string(), pages: z.number().default(1) }),
  isLoopBreaking: true,
});
const publish = tool({
  name: "publish",
  description: "Publishes.",
  input: z.object({ draft: z.string() }),
  isLoopBreaking: true,
  run: async ({ draft }) => ({ url: new URL(draft).href, at: Date.now() }),
});
const pickSeat = tool({
  name: "pick_seat",
  description: "Lets the user choose.",
  input: z.object({ seats: z.array(z.string()) }),
  isLoopBreaking: true,
  awaitsReply: true,
});
const resign = tool({
  name: "resign",
  description: "Gives up.",
  input: z.object({ why: z.enum(["broken", "unclear"]) }),
  isLoopBreaking: true,
  givesUp: true,
});

const agent = createAgent({ model, tools: [readFile, submitReport, publish, pickSeat, resign] });
type Mine = Awaited<ReturnType<typeof agent.run>>;
type By<Status extends Mine["status"]> = Extract<Mine, { readonly by: string; readonly status: Status }>["by"];

function never(value: never): never {
  throw new Error(String(value));
}

describe("the outcome's type", () => {
  it("names exactly the loop-breaking tools, each under its ending of the run", () => {
    expectTypeOf<Mine["status"]>().toEqualTypeOf<"completed" | "waiting" | "stopped" | "aborted" | "failed">();
    expectTypeOf<By<"completed">>().toEqualTypeOf<"submit_report" | "publish">();
    expectTypeOf<By<"waiting">>().toEqualTypeOf<"pick_seat">();
  });

  it("is the same for run, for a stream's outcome, for its return value and, without the session, for the last event", async () => {
    const stream = agent.stream("Go.");
    expectTypeOf(await stream.outcome).toEqualTypeOf<Mine>();
    expectTypeOf((await stream.return()).value).toEqualTypeOf<Mine>();
    for await (const event of stream) {
      if (event.type !== "run-end") continue;
      const { outcome } = event;
      expectTypeOf<keyof typeof outcome>().toEqualTypeOf<
        "status" | "inputs" | "joined" | "usage" | "cost" | "iterations" | "speaker"
      >();
      if (outcome.status === "completed") expectTypeOf(outcome.by).toEqualTypeOf<"submit_report" | "publish">();
      if (outcome.status === "waiting") expectTypeOf(outcome.by).toEqualTypeOf<"pick_seat">();
    }
  });

  it("allows an exhaustive switch by status and by tool", () => {
    const describeOutcome = (outcome: Mine): string => {
      switch (outcome.status) {
        case "completed":
          switch (outcome.by) {
            case "submit_report":
              return `${outcome.value.title}: ${outcome.value.pages.toFixed()}`;
            case "publish":
              return outcome.value.url;
            default:
              return never(outcome);
          }
        case "waiting":
          return `${outcome.id}: ${outcome.value.seats.join()}`;
        case "stopped":
          return outcome.partial.claim === undefined ? outcome.partial.text : outcome.partial.claim.by;
        case "aborted":
          return outcome.partial.text;
        case "failed":
          return outcome.fault.message;
        default:
          return never(outcome);
      }
    };
    expectTypeOf(describeOutcome).returns.toBeString();
  });

  it("does not let a status be forgotten", () => {
    const describeOutcome = (outcome: Mine): string => {
      switch (outcome.status) {
        case "completed":
        case "waiting":
          return outcome.by;
        case "stopped":
        case "failed":
          return outcome.status;
        default:
          // @ts-expect-error "aborted" is left.
          return never(outcome);
      }
    };
    expectTypeOf(describeOutcome).returns.toBeString();
  });

  it("does not let a tool be forgotten", () => {
    const describeCompletion = (outcome: Extract<Mine, { status: "completed" }>): string => {
      switch (outcome.by) {
        case "submit_report":
          return outcome.value.title;
        default:
          // @ts-expect-error "publish" is left.
          return never(outcome);
      }
    };
    // @ts-expect-error Without a default, "publish" is a way to return nothing.
    const withoutDefault = (outcome: Extract<Mine, { status: "completed" }>): string => {
      switch (outcome.by) {
        case "submit_report":
          return outcome.value.title;
      }
    };
    expectTypeOf(describeCompletion).returns.toBeString();
    expectTypeOf(withoutDefault).returns.toBeString();
  });

  it("has no fields, tools and statuses that do not exist", () => {
    const misread = (outcome: Mine): void => {
      // @ts-expect-error Only completed and waiting outcomes have a value.
      look(outcome.value);
      if (outcome.status === "completed" && outcome.by === "submit_report") {
        // @ts-expect-error The report has a title.
        look(outcome.value.titel);
        // @ts-expect-error The url belongs to publish.
        look(outcome.value.url);
      }
      if (outcome.status === "completed") {
        // @ts-expect-error read_file does not end the run.
        look(outcome.by === "read_file");
        // @ts-expect-error pick_seat waits.
        look(outcome.by === "pick_seat");
      }
      // @ts-expect-error There is no such status.
      look(outcome.status === "done");
    };
    expectTypeOf(misread).parameter(0).toEqualTypeOf<Mine>();
  });
});

describe("the value's type", () => {
  type ValueBy<Name extends string> = Extract<Mine, { readonly by: Name }>["value"];

  it("is the validated input with its defaults if run is left out", () => {
    expectTypeOf<ValueBy<"submit_report">>().toEqualTypeOf<{ title: string; pages: number }>();
  });

  it("is the return value of run, out of its promise", () => {
    expectTypeOf<ValueBy<"publish">>().toEqualTypeOf<{ url: string; at: number }>();
  });

  it("is the return value of a generator, not its events", () => {
    const slow = tool({
      name: "slow",
      description: "",
      input: z.object({ a: z.string() }),
      isLoopBreaking: true,
      async *run({ a }) {
        yield "progress";
        return a.length;
      },
    });
    expectTypeOf(slow).toEqualTypeOf<Tool<"slow", { a: string }, number, "completed">>();
  });

  it("is the input if run returns nothing, and either type if it sometimes does", () => {
    const input = z.object({ a: z.string() });
    const breaking = { description: "", input, isLoopBreaking: true } as const;
    const nothing = tool({ ...breaking, name: "nothing", run: () => undefined });
    expectTypeOf(nothing).toEqualTypeOf<Tool<"nothing", { a: string }, { a: string }, "completed">>();
    const promised = tool({ ...breaking, name: "promised", run: async (): Promise<void> => undefined });
    expectTypeOf(promised).toEqualTypeOf<Tool<"promised", { a: string }, { a: string }, "completed">>();
    const sometimes = tool({ ...breaking, name: "sometimes", run: ({ a }) => (a === "" ? undefined : a.length) });
    expectTypeOf(sometimes).toEqualTypeOf<Tool<"sometimes", { a: string }, number | { a: string }, "completed">>();
  });

  it("gives run the validated input", () => {
    tool({
      name: "typed",
      description: "",
      input: z.object({ at: z.coerce.date(), size: z.string().transform(Number) }),
      run(input, { signal, callId }) {
        expectTypeOf(input).toEqualTypeOf<{ at: Date; size: number }>();
        expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
        expectTypeOf(callId).toBeString();
        // @ts-expect-error There is no such field.
        look(input.length);
      },
    });
  });
});

describe("the flags of a tool", () => {
  const input = z.object({ final: z.boolean(), note: z.string() });

  it("a predicate makes a tool loop-breaking, and sees the validated input", () => {
    const sometimes = tool({
      name: "sometimes",
      description: "",
      input,
      isLoopBreaking: (given) => {
        expectTypeOf(given).toEqualTypeOf<{ final: boolean; note: string }>();
        return given.final;
      },
      run: ({ note }) => note,
    });
    expectTypeOf(sometimes.ending).toEqualTypeOf<"completed">();
    type Ended = Extract<Outcome<readonly [typeof sometimes]>, { readonly status: "completed" }>;
    expectTypeOf<Ended["by"]>().toEqualTypeOf<"sometimes">();
    expectTypeOf<Ended["value"]>().toBeString();
  });

  it("without isLoopBreaking, or with false, a tool ends nothing", () => {
    const plain = tool({ name: "plain", description: "", input });
    const explicit = tool({ name: "explicit", description: "", input, isLoopBreaking: false });
    expectTypeOf(plain.ending).toEqualTypeOf<"never">();
    expectTypeOf(explicit.ending).toEqualTypeOf<"never">();
    type Ended = Outcome<readonly [typeof plain, typeof explicit]>;
    expectTypeOf<Ended["status"]>().toEqualTypeOf<"stopped" | "aborted" | "failed">();
  });

  it("awaitsReply makes the run wait, and nothing else by that tool", () => {
    expectTypeOf(pickSeat.ending).toEqualTypeOf<"waiting">();
    type Ended = Outcome<readonly [typeof pickSeat]>;
    expectTypeOf<Ended["status"]>().toEqualTypeOf<"waiting" | "stopped" | "aborted" | "failed">();
    type Waits = Extract<Ended, { readonly status: "waiting" }>;
    expectTypeOf<Waits["value"]>().toEqualTypeOf<{ seats: string[] }>();
    expectTypeOf<Waits["id"]>().toBeString();
  });

  it("givesUp puts the claim into the partial result of a stopped run", () => {
    expectTypeOf(resign.ending).toEqualTypeOf<"stopped">();
    type Ended = Outcome<readonly [typeof readFile, typeof resign]>;
    expectTypeOf<Ended["status"]>().toEqualTypeOf<"stopped" | "aborted" | "failed">();
    type Claim = NonNullable<Extract<Ended, { readonly status: "stopped" }>["partial"]["claim"]>;
    expectTypeOf<Claim>().toEqualTypeOf<{ readonly by: "resign"; readonly value: { why: "broken" | "unclear" } }>();
  });

  it("the built-in tools are typed like custom tools", () => {
    type Ended = Outcome<readonly [ReturnType<typeof taskCompletion>, ReturnType<typeof askQuestion>]>;
    expectTypeOf<Extract<Ended, { status: "completed" }>["value"]>().toEqualTypeOf<TaskCompletion>();
    expectTypeOf<Extract<Ended, { status: "waiting" }>["value"]>().toEqualTypeOf<Question>();
    expectTypeOf(giveUp().ending).toEqualTypeOf<"stopped">();
  });
});

describe("errors at compile time", () => {
  const input = z.object({ a: z.string(), n: z.number() });

  it("awaitsReply or givesUp without isLoopBreaking", () => {
    // @ts-expect-error Only a loop-breaking tool can await a reply.
    tool({ name: "x", description: "", input, awaitsReply: true });
    // @ts-expect-error Only a loop-breaking tool can give up.
    tool({ name: "x", description: "", input, givesUp: true });
    // @ts-expect-error The flags say that the tool ends nothing.
    tool({ name: "x", description: "", input, isLoopBreaking: false, awaitsReply: true });
  });

  it("an option that does not exist, on a tool and on an agent", () => {
    // @ts-expect-error It is called isLoopBreaking.
    tool({ name: "x", description: "", input, isLoopbreaking: true });
    // @ts-expect-error It is called timeout.
    tool({ name: "x", description: "", input, isLoopBreaking: true, timeOut: 5 });
    // @ts-expect-error It is called instructions.
    createAgent({ model, tools: [taskCompletion()], system: "Be brief." });
    // @ts-expect-error It is called identical.
    createAgent({ model, tools: [taskCompletion()], circuit: { max: 3 } });
    // @ts-expect-error A stall has numbers, or is false.
    createAgent({ model, tools: [taskCompletion()], circuit: { stall: 3 } });
  });

  it("a tool without its description or its input", () => {
    // @ts-expect-error The model has to know what it does.
    tool({ name: "x", input });
    // @ts-expect-error A tool has a schema, be it empty.
    tool({ name: "x", description: "" });
    // @ts-expect-error The input is a schema, not the shape of one.
    tool({ name: "x", description: "", input: { a: z.string() } });
  });

  it("an effect that does not exist, and a streamed field that the input does not have", () => {
    // @ts-expect-error It is "write".
    tool({ name: "x", description: "", input, effect: "writes" });
    // @ts-expect-error There is no field b.
    tool({ name: "x", description: "", input, streams: "b" });
    // @ts-expect-error There is no field b.
    tool({ name: "x", description: "", input, isLoopBreaking: true, streams: "b" });
  });

  it("an agent without a model or without tools, and a run without input", () => {
    // @ts-expect-error There is no model.
    createAgent({ tools: [taskCompletion()] });
    // @ts-expect-error There are no tools.
    createAgent({ model });
    // @ts-expect-error There is no input.
    void agent.run();
  });
});

describe("a list of tools that is known only at run time", () => {
  it("gives an outcome in which the tool is any text and the value unknown", async () => {
    const tools: Tool[] = [taskCompletion(), readFile];
    const outcome = await createAgent({ model, tools }).run("Go.");
    expectTypeOf<(typeof outcome)["status"]>().toEqualTypeOf<
      "completed" | "waiting" | "stopped" | "aborted" | "failed"
    >();
    if (outcome.status === "completed" || outcome.status === "waiting") {
      expectTypeOf(outcome.by).toEqualTypeOf<string>();
      expectTypeOf(outcome.value).toBeUnknown();
    }
    if (outcome.status === "stopped") {
      expectTypeOf(outcome).toEqualTypeOf<Stopped<{ readonly by: string; readonly value: unknown }>>();
    }
  });

  it("keeps the names of a list that is spread into another", () => {
    const shared = [readFile, submitReport] as const;
    const _spread = createAgent({ model, tools: [...shared, pickSeat] });
    type Ended = Awaited<ReturnType<typeof _spread.run>>;
    expectTypeOf<Extract<Ended, { readonly by: string }>["by"]>().toEqualTypeOf<"submit_report" | "pick_seat">();
  });
});

describe("the run of a loop-breaking tool", () => {
  interface Tree {
    readonly kids: readonly Tree[];
    name?: string;
  }
  const base = { description: "Ends.", input: z.object({ a: z.string() }), isLoopBreaking: true } as const;

  it("may make what JSON keeps, or nothing", () => {
    tool({ ...base, name: "object", run: ({ a }) => ({ a, more: undefined }) });
    tool({ ...base, name: "object-or-nothing", run: ({ a }) => (a === "" ? undefined : { a }) });
    tool({ ...base, name: "tree", run: ({ a }): Tree => ({ kids: [], name: a }) });
    tool({ ...base, name: "list", run: ({ a }) => Promise.resolve([a, 1, null] as const) });
    tool({ ...base, name: "unknown", run: (): unknown => 1 });
    tool({ ...base, name: "nothing", run: () => undefined });
    tool({
      ...base,
      name: "throws",
      run: () => {
        throw new Error("no");
      },
    });
  });

  it("may not make what is something else when it is read from a journal", () => {
    // @ts-expect-error -- a date is read back as text
    tool({ ...base, name: "date", run: () => ({ at: new Date() }) });
    // @ts-expect-error -- JSON has no maps
    tool({ ...base, name: "map", run: () => Promise.resolve(new Map<string, string>()) });
    // @ts-expect-error -- JSON has no sets, at any depth
    tool({ ...base, name: "set", run: () => [{ at: [new Set<string>()] }] });
    tool({ ...base, name: "working", isLoopBreaking: false, run: () => ({ at: new Date() }) });
  });
});
