// A session as the page follows it, over a real server that goes away and comes back.

import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createAgent, replay, tool, type JournalRecord } from "../../../src/index.js";
import { memoryStore, openSession } from "../../../src/memory/index.js";
import { createHandler, serve } from "../../../src/server/index.js";
import { verifyClaim } from "../../../src/studio/data/receipts.js";
import { search } from "../../../src/studio/data/search.js";
import { seriesOf } from "../../../src/studio/data/series.js";
import { ApiError, ServerApi } from "../../../src/studio/data/server-api.js";
import { ShownSession } from "../../../src/studio/data/shown-session.js";
import { Timeline } from "../../../src/studio/data/timeline.js";
import { call, scriptedModel, type Step } from "../../../src/testing/index.js";
import { askQuestion, taskCompletion } from "../../../src/tools/index.js";
import { freePort } from "../../free-port.js";

const token = "a-token-that-nobody-guesses";
const done: Step = [call("task_completion", { result: "Done." })];

function made(script: readonly Step[]) {
  const store = memoryStore();
  const agent = createAgent({
    model: scriptedModel(script),
    tools: [askQuestion(), taskCompletion()],
    checks: [{ name: "tests", verify: async () => ({ passed: true, output: "y".repeat(5000) }) }],
  });
  const handler = createHandler({ agents: { worker: agent }, store, token });
  onTestFinished(() => void handler.close());
  return { store, handler };
}

/** Follows until the rows say so. */
async function followed(shown: ShownSession, isEnough: () => boolean): Promise<void> {
  const stop = new AbortController();
  await new Promise<void>((resolve) => {
    const look = (): void => {
      if (isEnough()) resolve();
    };
    void shown.follow(look, stop.signal);
  });
  stop.abort();
}

const ends = (shown: ShownSession): number => shown.timeline.records.filter(({ type }) => type === "outcome").length;

describe("a session that is shown", () => {
  test("has the rows of its journal, and follows what comes, also over a server that was gone", async () => {
    const port = await freePort();
    const { store, handler } = made([[call("ask_question", { question: "Which?" })], done]);
    let server = await serve(handler, { port });
    onTestFinished(() => server.close());
    const api = new ServerApi(server.url, token, fetch);
    await api.send("s", "go");
    const shown = new ShownSession("s", api);
    const problems: string[] = [];
    await followed(shown, () => ends(shown) === 1);
    const all = followed(shown, () => {
      problems.push(shown.problem);
      return ends(shown) === 2;
    });
    await sleep(50);
    await server.close();
    const started = await handler.host.give({ session: "s", input: "The first." });
    await started.ended();
    await sleep(50);
    server = await serve(handler, { port });
    await all;
    expect(problems.some((problem) => problem !== "")).toBe(true);
    const { records } = await openSession({ store, id: "s" }).toJSON();
    expect(shown.timeline.records.map(({ seq }) => seq)).toEqual(records.map(({ seq }) => seq));
    const whole = new Timeline();
    for (const record of records) whole.add(record);
    expect(shown.timeline.iterations.map(({ calls }) => calls)).toEqual(whole.iterations.map(({ calls }) => calls));
  });

  test("is whole although its last records come first", async () => {
    const look = tool({
      ...{ name: "look", description: "Looks", input: z.object({ at: z.int() }), effect: "read", pollable: true },
      run: ({ at }) => `seen ${String(at)}`,
    });
    const steps = Array.from({ length: 700 }, (_, at): Step => [call("look", { at }), call("look", { at: -at })]);
    const store = memoryStore();
    const model = scriptedModel([...steps, done]);
    const agent = createAgent({ model, tools: [look, taskCompletion()], limits: { maxIterations: 1000 } });
    const handler = createHandler({ agents: { worker: agent }, store });
    const { url, close } = await serve(handler);
    onTestFinished(close);
    await (await handler.host.give({ session: "s", input: "go" })).ended();
    const shown = new ShownSession("s", new ServerApi(url, undefined, fetch));
    const firsts: (number | undefined)[] = [];
    await followed(shown, () => {
      firsts.push(shown.timeline.records[0]?.seq);
      return shown.isWhole;
    });
    const { records } = await openSession({ store, id: "s" }).toJSON();
    expect(records.length).toBeGreaterThan(2500);
    expect(firsts[0]).toBeGreaterThan(0);
    expect(shown.timeline.records.map(({ seq }) => seq)).toEqual(records.map(({ seq }) => seq));
  });

  test("says what is wrong when the server refuses", async () => {
    const { handler } = made([]);
    const { url, close } = await serve(handler);
    onTestFinished(close);
    const shown = new ShownSession("s", new ServerApi(url, "another", fetch));
    await followed(shown, () => shown.problem !== "");
    expect(shown.problem).toBe(
      "The token is missing or wrong. Open the address that the server printed when it started.",
    );
    await expect(
      new ServerApi(url, token, fetch).approve("s", { callId: "c", digest: "d", allowed: true }),
    ).rejects.toThrow(ApiError);
  });
});

describe("what a page makes of a session", () => {
  async function finished(): Promise<{ readonly api: ServerApi; readonly records: readonly JournalRecord[] }> {
    const { handler } = made([[call("unknown", {})], done]);
    const { url, close } = await serve(handler);
    onTestFinished(close);
    const api = new ServerApi(url, token, fetch);
    await api.send("s", "go");
    const shown = new ShownSession("s", api);
    await followed(shown, () => ends(shown) === 1 && shown.isWhole);
    return { api, records: shown.timeline.records };
  }

  test("its receipts hold, and an output that was changed does not", async () => {
    const { api, records } = await finished();
    const claim = records.find(({ type }) => type === "claim")!;
    const means = { whole: (seq: number) => api.record("s", seq), redacted: async () => [], canDigest: true };
    expect(await verifyClaim(records, claim.seq, means)).toMatchObject([{ holds: true, reason: "" }]);
    const forged = async (seq: number): Promise<JournalRecord> => {
      const record = await api.record("s", seq);
      return record.type === "check" && record.when === "claim" ? { ...record, output: "all passed" } : record;
    };
    expect(await verifyClaim(records, claim.seq, { ...means, whole: forged })).toMatchObject([
      { holds: false, reason: "the output in the journal does not have its digest" },
    ]);
    const [plain] = await verifyClaim(records, claim.seq, { ...means, canDigest: false });
    expect(plain).toMatchObject({ holds: false, reason: expect.stringContaining("open it over https") });
    expect(replay(records).ended).toBe("completed");
  });

  test("its plots have a point for each iteration", async () => {
    const timeline = new Timeline();
    for (const record of (await finished()).records) timeline.add(record);
    const plots = seriesOf(timeline.iterations);
    expect(plots.map(({ title }) => title)).toEqual(["Tokens", "Latency", "Failures"]);
    for (const { x, lines } of plots) for (const { values } of lines) expect(values.length).toBe(x.length);
    expect(plots.at(-1)?.lines[0]?.values).toEqual([1, 0]);
  });

  test("its rows are found by their words", async () => {
    const timeline = new Timeline();
    for (const record of (await finished()).records) timeline.add(record);
    const found = search(timeline.rows, "UNKNOWN unknown_tool");
    expect(found.map((at) => timeline.rows[at]?.kind)).toEqual(["iteration"]);
    expect(search(timeline.rows, "nothing-like-this")).toEqual([]);
  });
});
