// An approval over HTTP: it survives kill -9, counts once, and pays once.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call, scriptedProvider, type ScriptedProvider } from "../../src/testing/index.js";
import { projectWith, type Project } from "./example.js";

/** A model that proposes a refund, and then says what came of it. */
const model = (): Promise<ScriptedProvider> =>
  scriptedProvider(({ lastText }) =>
    lastText.includes('"paid"')
      ? [call("task_completion", { result: lastText.includes('"paid":true') ? "Paid." : "Not paid." })]
      : [call("propose_refund", { order: "A-1", cents: 4000 })],
  );

async function start(project: Project, provider: ScriptedProvider) {
  const server = project.start(["0"], provider);
  await server.seen("http://");
  const url = `${server.stdout().trim()}/ticket-1`;
  return {
    async send(method: string, body?: object): Promise<readonly [number, Readonly<Record<string, unknown>>]> {
      const response = await fetch(url, { method, ...(body && { body: JSON.stringify(body) }) });
      return [response.status, (await response.json()) as Readonly<Record<string, unknown>>];
    },
    async [Symbol.asyncDispose]() {
      server.child.kill("SIGKILL");
      await server.ended;
    },
  };
}

async function paymentsIn({ path }: Project): Promise<readonly unknown[]> {
  const folder = join(path, "payments");
  const files = await readdir(folder).catch(() => []);
  return Promise.all(files.map(async (file) => JSON.parse(await readFile(join(folder, file), "utf8")) as unknown));
}

test("it is asked in one process and approved in another, twice, and paid once", async () => {
  await using project = await projectWith("approval-over-http");
  await using provider = await model();
  let id: unknown;
  {
    await using desk = await start(project, provider);
    const [status, body] = await desk.send("POST", { words: "My lamp, order A-1, came broken." });
    expect([status, body["approve"]]).toEqual([202, { order: "A-1", cents: 4000 }]);
    ({ id } = body);
  }
  await using desk = await start(project, provider);
  expect(await desk.send("GET")).toMatchObject([
    200,
    { waiting: { id, by: "propose_refund", value: { cents: 4000 } } },
  ]);
  expect(await paymentsIn(project)).toEqual([]);
  const both = await Promise.all([desk.send("PUT", { id, approved: true }), desk.send("PUT", { id, approved: true })]);
  expect(both).toEqual([
    [200, { result: "Paid." }],
    [200, { result: "Paid." }],
  ]);
  expect(await desk.send("PUT", { id, approved: false })).toEqual([200, { result: "Paid." }]);
  expect(await paymentsIn(project)).toEqual([{ order: "A-1", cents: 4000 }]);
  expect(await desk.send("GET")).toEqual([200, { waiting: null }]);
});

test("a process that is killed between the payment and the model's reply pays nothing more when it is asked again", async () => {
  await using project = await projectWith("approval-over-http");
  await using provider = await scriptedProvider([
    [call("propose_refund", { order: "A-1", cents: 4000 })],
    { calls: [], delay: 60_000 },
    [call("task_completion", { result: "Paid." })],
  ]);
  let id: unknown;
  {
    await using desk = await start(project, provider);
    id = (await desk.send("POST", { words: "My lamp, order A-1, came broken." }))[1]["id"];
    const decided = desk.send("PUT", { id, approved: true }).catch(() => "killed");
    await expect.poll(() => provider.requests.length, { timeout: 10_000 }).toBe(2);
    await desk[Symbol.asyncDispose]();
    expect(await decided).toBe("killed");
  }
  await using desk = await start(project, provider);
  expect(await desk.send("PUT", { id, approved: true })).toEqual([200, { result: "Paid." }]);
  expect(await paymentsIn(project)).toEqual([{ order: "A-1", cents: 4000 }]);
});

test("a no pays nothing, and a decision about something else changes nothing", async () => {
  await using project = await projectWith("approval-over-http");
  await using provider = await model();
  await using desk = await start(project, provider);
  const [, { id }] = await desk.send("POST", { words: "My lamp, order A-1, came broken." });
  expect((await desk.send("PUT", { id: "other", approved: true }))[0]).toBe(409);
  expect((await desk.send("PUT", { id, approved: "yes" }))[0]).toBe(400);
  expect(await desk.send("PUT", { id, approved: false, note: "no receipt" })).toEqual([200, { result: "Not paid." }]);
  expect(await paymentsIn(project)).toEqual([]);
});
