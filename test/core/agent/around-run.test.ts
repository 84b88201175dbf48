import { describe, expect, test } from "vitest";
import type { RunInput } from "../../../src/core/agent/answer.js";
import { runUnlessAnswered } from "../../../src/core/agent/run-to-end.js";
import type { AnyOutcome, Hook, RunStart } from "../../../src/core/index.js";
import { call, scriptedModel, type Script } from "../../../src/testing/index.js";
import { askQuestion, taskCompletion } from "../../../src/tools/index.js";
import { drain } from "../drain.js";
import { input } from "../journal.js";
import { openRun, replied, resultsIn, worker } from "../open-run.js";

const done = [call("task_completion", { result: "Done." })];
const go: RunInput = { input: "go" };

/** Runs to the end with these hooks, on a session that has these records. */
async function ran(
  hooks: readonly Hook[],
  { script = [done], start = go }: { readonly script?: Script; readonly start?: RunInput } = {},
  records: Parameters<typeof openRun>[1] = [],
) {
  const tools = [worker("edit", "write"), askQuestion(), taskCompletion()];
  const opened = openRun({ model: scriptedModel(script), tools, hooks }, records);
  const { events, value: outcome } = await drain(runUnlessAnswered(opened.run, start));
  return { ...opened, events: events.map(({ type }) => type), outcome };
}

/** A hook that writes down how each run begins and ends. */
function watching(): Hook & { readonly starts: RunStart[]; readonly outcomes: AnyOutcome[] } {
  const starts: RunStart[] = [];
  const outcomes: AnyOutcome[] = [];
  return {
    starts,
    outcomes,
    async *run(start, next) {
      starts.push(start);
      outcomes.push(yield* next());
    },
  };
}

describe("a run hook", () => {
  test("sees the record that begins the run, and the outcome when it is in the journal", async () => {
    let recorded: string | undefined;
    let added: () => readonly { readonly type: string }[] = () => [];
    const hook = watching();
    const last: Hook = {
      async *run(_start, next) {
        yield* next();
        recorded = added().at(-1)?.type;
      },
    };
    const tools = [taskCompletion()];
    const opened = openRun({ model: scriptedModel([done]), tools, hooks: [hook, last] });
    ({ added } = opened);
    const { value: outcome } = await drain(runUnlessAnswered(opened.run, go));
    const { life } = added()[0] as unknown as { readonly life: string };
    expect(hook.starts).toHaveLength(1);
    expect(hook.starts[0]).toMatchObject({
      key: `s/${life}/1`,
      session: "s",
      model: { name: "scripted", provider: "scripted:" },
      record: { type: "input", text: "go", seq: 0 },
    });
    expect(hook.outcomes).toEqual([outcome]);
    expect(recorded).toBe("outcome");
  });

  test("surrounds the hooks around requests and calls, and the first of the list is the outermost", async () => {
    const order: string[] = [];
    const named = (name: string): Hook => ({
      async *run(_start, next) {
        order.push(`${name} begins`);
        yield* next();
        order.push(`${name} ends`);
      },
      async *request(request, next) {
        order.push(`${name} request`);
        return yield* next(request);
      },
    });
    await ran([named("first"), named("second")]);
    expect(order).toEqual([
      "first begins",
      "second begins",
      "first request",
      "second request",
      "second ends",
      "first ends",
    ]);
  });

  test("sees every event of the run but the one that begins it, and may yield its own", async () => {
    const seen: string[] = [];
    const hook: Hook = {
      async *run(_start, next) {
        const rest = next();
        for (;;) {
          const step = await rest.next();
          if (step.done === true) break;
          seen.push(step.value.type);
          yield step.value;
        }
        yield { type: "notice", about: "stall", text: "its own" };
      },
    };
    const { events, outcome } = await ran([hook]);
    expect(outcome.status).toBe("completed");
    expect(events).toEqual(["run-start", ...seen, "notice"]);
    expect(seen).toEqual(expect.arrayContaining(["iteration-start", "reply-end", "claim-accepted", "iteration-end"]));
  });

  test("surrounds a run that its process left once more, with the record of the resume", async () => {
    const hook = watching();
    const records = [input(1, "go"), replied(1, [call("edit")])];
    const { outcome } = await ran([hook], { start: { input: undefined } }, records);
    expect(outcome.status).toBe("completed");
    expect(hook.starts.map(({ key, record }) => [key, record.type])).toEqual([["s/1", "resume"]]);
  });

  test("is not called for a run whose input can't be taken, nor for an outcome that the journal has already", async () => {
    const hook = watching();
    expect((await ran([hook], { script: [], start: { input: "x", answers: "s/1/call:9:0" } })).outcome.status).toBe(
      "failed",
    );
    const first = await ran([]);
    const again = await ran([hook], { script: [], start: { input: undefined } }, first.added());
    expect(again.outcome.status).toBe("completed");
    expect(hook.starts).toEqual([]);
  });

  test("redacts by the secrets of the agent, as the journal does", async () => {
    let shown = "";
    const hook: Hook = {
      async *run({ secrets }, next) {
        shown = secrets.text("the vault is open-sesame-1");
        yield* next();
      },
    };
    const tools = [taskCompletion()];
    const model = scriptedModel([done]);
    const { run } = openRun({ model, tools, hooks: [hook], secrets: { values: ["open-sesame-1"] } });
    await drain(runUnlessAnswered(run, go));
    expect(shown).toBe("the vault is [redacted: value]");
  });

  test("that throws before the run has ended ends it with a fault, and the journal tells it", async () => {
    const hook: Hook = {
      async *run(_start, next) {
        for (let rest = next(); ;) {
          const step = await rest.next();
          if (step.done === true) return;
          if (step.value.type === "call-start") throw new Error("the hook is broken");
          yield step.value;
        }
      },
    };
    const { outcome, added } = await ran([hook], { script: [[call("edit")]] });
    expect(outcome).toMatchObject({
      status: "failed",
      fault: { code: "bug", message: expect.stringMatching("the hook is broken") },
    });
    expect(resultsIn(added()).map(([, how]) => how)).toEqual(["interrupted"]);
    expect(added().at(-1)).toMatchObject({ type: "outcome", status: "failed", reason: "bug" });
  });

  test("that throws afterwards warns, and the outcome stays", async () => {
    const hook: Hook = {
      async *run(_start, next) {
        yield* next();
        throw new Error("the disk is full");
      },
    };
    const { outcome, clock, added } = await ran([hook]);
    expect(outcome.status).toBe("completed");
    expect(clock.warnings.map(({ message }) => message)).toEqual([
      "A hook threw after the run had ended: the disk is full. The outcome stays; mend the hook.",
    ]);
    expect(added().filter(({ type }) => type === "outcome")).toHaveLength(1);
  });

  test.each<[string, NonNullable<Hook["run"]>, RegExp]>([
    [
      "leaves before the run has ended",
      async function* () {
        yield* [];
      },
      /returned before the run had ended/,
    ],
    [
      "reads the run twice",
      async function* (_start, next) {
        const rest = next();
        await rest.next();
        yield* next();
      },
      /called `next` twice/,
    ],
  ])("that %s is told so", async (_what, run, message) => {
    const { outcome, added } = await ran([{ run }]);
    expect(outcome).toMatchObject({
      status: "failed",
      fault: { code: "configuration", message: expect.stringMatching(message) },
    });
    expect(added().at(-1)).toMatchObject({ type: "outcome", status: "failed", reason: "configuration" });
  });
});
