// Telemetry of lastcall serve and lastcall studio: the built command, a real receiver of OTLP, and a real Postgres.

import { describe, expect, onTestFinished, test } from "vitest";
import { pgStore } from "../../../src/postgres/index.js";
import { call } from "../../../src/testing/index.js";
import { useDatabase } from "../../postgres/database.js";
import { noPostgres, startPostgres } from "../../postgres/server.js";
import { commandWithout, run, runHere, start } from "../command.js";
import { attributeOf, otlpReceiver, type OtlpReceiver, type SentPoint } from "../otlp-receiver.js";
import { done, down, placeFor, untilStatus, up, type Up } from "./command-server.js";

const asks = [call("ask_question", { question: "Which colour?" })];

/** Variables that make the SDK send soon. */
const soon = { OTEL_BSP_SCHEDULE_DELAY: "100", OTEL_METRIC_EXPORT_INTERVAL: "1000" };
/** Variables that make the SDK send at the end alone. */
const late = { OTEL_BSP_SCHEDULE_DELAY: "60000" };
/** Milliseconds that a command may take for its telemetry at its end. */
const patience = 5000;

/** The spans of runs that came, in any order. */
function runsIn({ spans }: OtlpReceiver) {
  return spans()
    .filter(({ name }) => name === "invoke_agent lastcall")
    .map((span) => ({
      session: attributeOf(span, "gen_ai.conversation.id"),
      outcome: attributeOf(span, "lastcall.outcome"),
      trace: span.traceId,
      parent: span.parentSpanId,
    }));
}

function sessionsIn(receiver: OtlpReceiver): readonly unknown[] {
  return runsIn(receiver).map(({ session }) => session);
}

function valueOf({ asInt, asDouble, count }: SentPoint): number {
  return Number(asInt ?? asDouble ?? count);
}

function sum(points: readonly SentPoint[]): number {
  return points.map(valueOf).reduce((all, value) => all + value, 0);
}

/** Answers the question of a session, and waits until its run has ended. */
async function answer({ api }: Up, id: string): Promise<void> {
  await api.send(id, "blue", (await api.session(id)).waiting?.id);
  await untilStatus(api, id, "completed");
}

test("all sessions of a studio are traced, one after the other and at once", async () => {
  const receiver = await otlpReceiver();
  const slow = { calls: done, delay: 1000 };
  await using place = await placeFor([asks, asks, asks, asks, done, done, slow, slow]);
  for (let made = 0; made < 4; made += 1) expect((await runHere([...place.options, "Paint the fence"])).code).toBe(3);
  const studio = await up(["studio", ...place.sessions, "--no-sandbox"], { ...receiver.env, ...soon });
  const ids = (await studio.api.sessions()).map(({ id }) => id);
  for (const id of ids.slice(0, 2)) {
    await answer(studio, id);
    await expect.poll(() => sessionsIn(receiver), { timeout: 10_000 }).toContain(id);
  }
  await Promise.all(ids.slice(2).map((id) => answer(studio, id)));
  await expect.poll(() => sessionsIn(receiver).toSorted(), { timeout: 10_000 }).toEqual(ids.toSorted());
  const runs = runsIn(receiver);
  expect(runs.map(({ outcome, parent }) => [outcome, parent])).toEqual(ids.map(() => ["completed", undefined]));
  expect(new Set(runs.map(({ trace }) => trace)).size).toBe(4);
  await expect.poll(() => sum(receiver.points("lastcall.runs")), { timeout: 10_000 }).toBe(4);
  expect(await down(studio, "SIGTERM")).toBe(0);
  expect((await studio.ended).stderr).not.toMatch(/telemetry|OTEL/i);
});

test("the agent of a server and a session of the command are watched, and appends to files are timed", async () => {
  const receiver = await otlpReceiver();
  await using place = await placeFor([asks, done, done]);
  expect((await runHere([...place.options, "Paint the fence"])).code).toBe(3);
  const server = await up(["serve", ...place.options], { ...receiver.env, ...soon });
  const [{ id } = { id: "" }] = await server.api.sessions();
  await answer(server, id);
  await server.api.send("gate", "Paint the gate");
  await untilStatus(server.api, "gate", "completed");
  await expect.poll(() => sessionsIn(receiver), { timeout: 10_000 }).toEqual([id, "gate"]);
  const appends = () => sum(receiver.points("lastcall.store.append.duration"));
  await expect.poll(appends, { timeout: 10_000 }).toBeGreaterThan(0);
  expect(await down(server, "SIGTERM")).toBe(0);
  // A folder does not know how its sessions stand.
  expect(receiver.metrics()).not.toContain("lastcall.store.sessions");
  expect((await server.ended).stderr).not.toMatch(/telemetry|OTEL/i);
});

test("SIGTERM sends the rest, and a run that it suspends is part of that", async () => {
  const receiver = await otlpReceiver();
  await using place = await placeFor([done, { calls: done, delay: 60_000 }]);
  const server = await up(["serve", ...place.options], { ...receiver.env, ...late });
  await server.api.send("fence", "Paint the fence");
  await untilStatus(server.api, "fence", "completed");
  await server.api.send("gate", "Paint the gate");
  await expect.poll(() => place.provider.requests.length, { timeout: 10_000 }).toBe(2);
  expect(receiver.bodies).toEqual([]);
  const began = performance.now();
  expect(await down(server, "SIGTERM")).toBe(0);
  expect(performance.now() - began).toBeLessThan(patience);
  const ends = runsIn(receiver).map(({ session, outcome }) => [session, outcome]);
  expect(ends).toEqual([
    ["fence", "completed"],
    ["gate", "aborted"],
  ]);
  expect(receiver.metrics()).toEqual(expect.arrayContaining(["lastcall.runs", "lastcall.store.append.duration"]));
});

test("a receiver that answers nothing keeps a server that ends for the patience alone, and is one line", async () => {
  const receiver = await otlpReceiver({ isSilent: true });
  await using place = await placeFor([done]);
  const server = await up(["serve", ...place.options], { ...receiver.env, ...late });
  await server.api.send("fence", "Paint the fence");
  await untilStatus(server.api, "fence", "completed");
  const began = performance.now();
  expect(await down(server, "SIGTERM")).toBe(0);
  expect(performance.now() - began).toBeLessThan(patience + 2000);
  expect(receiver.bodies.map(([path]) => path)).toContain("/v1/traces");
  expect((await server.ended).stderr.match(/Not all of the telemetry could be sent/g)).toHaveLength(1);
});

test("nothing is sent or said if OpenTelemetry is switched off", async () => {
  const receiver = await otlpReceiver();
  await using place = await placeFor([done]);
  const server = await up(["serve", ...place.options], { ...receiver.env, ...soon, OTEL_SDK_DISABLED: "true" });
  await server.api.send("fence", "Paint the fence");
  await untilStatus(server.api, "fence", "completed");
  expect(await down(server, "SIGTERM")).toBe(0);
  expect(receiver.bodies).toEqual([]);
  expect((await server.ended).stderr).not.toMatch(/telemetry|OTEL|traced/i);
});

test("a studio without the packages says so once for all its sessions", async () => {
  const receiver = await otlpReceiver();
  await using place = await placeFor([asks, asks, done, done]);
  for (let made = 0; made < 2; made += 1) expect((await runHere([...place.options, "Paint the fence"])).code).toBe(3);
  const command = [await commandWithout("@opentelemetry"), "studio", ...place.sessions, "--no-sandbox"];
  const studio = await up(command, receiver.env, "node");
  for (const { id } of await studio.api.sessions()) await answer(studio, id);
  expect(await down(studio, "SIGTERM")).toBe(0);
  expect((await studio.ended).stderr.match(/nothing is traced/g)).toHaveLength(1);
});

describe.skipIf(noPostgres)(`over Postgres${noPostgres}`, () => {
  const database = useDatabase();

  test("a studio tells of sessions by state, the age of the queue, appends and take-overs", async () => {
    const receiver = await otlpReceiver();
    await using place = await placeFor([asks, { calls: done, delay: 60_000 }, done]);
    const schema = await database.schema();
    const store = ["--store", `${database.server.url}?schema=${schema}`];
    expect((await run([...place.work, ...store, "Paint the fence"])).code).toBe(3);
    const killed = start([...place.work, ...store, "Paint the gate"]);
    await expect.poll(() => place.provider.requests.length, { timeout: 20_000 }).toBe(2);
    killed.child.kill("SIGKILL");
    await killed.ended;

    const studio = await up(["studio", ...store, "--no-sandbox"], { ...receiver.env, ...soon });
    await pgStore(database.pool, { schema }).send("words", { id: "m", text: "{}" });
    const states = (): Readonly<Record<string, unknown>> => {
      const points = receiver.points("lastcall.store.sessions");
      const stateOf = (point: SentPoint): string => String(attributeOf(point, "lastcall.session.state"));
      return Object.fromEntries(points.map((point) => [stateOf(point), valueOf(point)] as const));
    };
    const soonTells = (name: string) => expect.poll(() => sum(receiver.points(name)), { timeout: 10_000 });
    await soonTells("lastcall.store.sessions_with_messages").toBe(1);
    expect(states()).toMatchObject({ waiting: 1 });
    for (const age of ["lastcall.store.oldest_wait", "lastcall.store.oldest_message"])
      await soonTells(age).toBeGreaterThan(0);

    const gate = (await studio.api.sessions()).find(({ title }) => title === "Paint the gate");
    await studio.api.resume(gate?.id ?? "");
    await untilStatus(studio.api, gate?.id ?? "", "completed");
    await soonTells("lastcall.store.takeovers").toBe(1);
    await expect.poll(states, { timeout: 10_000 }).toEqual({ waiting: 1, held: 0, left_alone: 0 });
    expect(sum(receiver.points("lastcall.store.append.duration"))).toBeGreaterThan(0);
    expect(await down(studio, "SIGTERM")).toBe(0);
    expect((await studio.ended).stderr).not.toMatch(/telemetry|OTEL/i);
  });

  test("a database that is gone does not keep a server that ends, and the rest is sent", async () => {
    const gone = await startPostgres();
    onTestFinished(() => gone.stop());
    const receiver = await otlpReceiver();
    await using place = await placeFor([done]);
    const store = ["--store", gone.url];
    expect((await run(["store", "migrate", ...store])).code).toBe(0);
    const server = await up(["serve", ...place.work, ...store], { ...receiver.env, ...late });
    await server.api.send("fence", "Paint the fence");
    await untilStatus(server.api, "fence", "completed");
    await gone.stop();
    const began = performance.now();
    expect(await down(server, "SIGTERM")).toBe(0);
    expect(performance.now() - began).toBeLessThan(patience);
    expect(sessionsIn(receiver)).toEqual(["fence"]);
    expect(receiver.metrics()).toContain("lastcall.store.append.duration");
    expect((await server.ended).stderr).not.toMatch(/telemetry|OTEL/i);
  });
});
