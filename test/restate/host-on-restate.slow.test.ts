// The parts of the host on Restate that no other host has: its server dies, forgets, and reaches the workers over one address.

import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import { createAgent } from "../../src/index.js";
import { hostOnRestate } from "../../src/restate/index.js";
import type { Host } from "../../src/host/index.js";
import { fileStore } from "../../src/memory/index.js";
import { scriptedModel } from "../../src/testing/index.js";
import { taskCompletion } from "../../src/tools/index.js";
import { HostPlace, type HostKind } from "../host/host-place.js";
import { noRestate, startRestate, type RestateServer } from "./server.js";

let server: Promise<RestateServer> | undefined;
let queues = 0;
afterAll(async () => (await server)?.stop(), 30_000);

const agents = { worker: createAgent({ model: scriptedModel([]), tools: [taskCompletion()] }) };

/** A place of workers, the host of a process that only gives inputs, and the server of all places. */
class Front implements AsyncDisposable {
  readonly place: HostPlace;
  readonly host: Host;
  readonly server: RestateServer;

  private constructor(place: HostPlace, host: Host, restate: RestateServer) {
    this.place = place;
    this.host = host;
    this.server = restate;
  }

  static async open(kind: Pick<HostKind, "workers" | "delay">): Promise<Front> {
    const restate = await (server ??= startRestate());
    const { ingress, admin } = restate;
    const queue = `only${String((queues += 1))}`;
    const place = await HostPlace.open({ kind: "restate", restate: { ingress, admin }, options: { queue }, ...kind });
    const host = await hostOnRestate({ agents, store: place.store, ingress, admin, queue, work: false });
    return new Front(place, host, restate);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.host.close();
    await this.place[Symbol.asyncDispose]();
  }
}

describe.skipIf(noRestate !== "")(`a host on Restate${noRestate}`, () => {
  test("delivers what the first version left with the server, and takes the same input given again for the same", async () => {
    await using front = await Front.open({ workers: 1 });
    const { host, place, server: restate } = front;
    const left = { session: "new", agent: "worker", input: "go", inputId: "first", first: "new/i%3Afirst", times: 0 };
    const url = `${restate.ingress}/only${String(queues)}.worker/new/deliver/send`;
    const headers = { "content-type": "application/json", "idempotency-key": left.first };
    const sent = await fetch(url, { method: "POST", headers, body: JSON.stringify(left) });
    expect(sent.status).toBe(202);
    const run = await host.give({ session: "new", input: "go", inputId: "first" });
    expect(await run.ended()).toMatchObject({ status: "waiting" });
    expect((await place.records("new")).filter(({ type }) => type === "input")).toHaveLength(1);
    expect(await place.check()).toBe(0);
  });

  test("goes on after a kill of the server, with runs at work and with sessions that wait", async () => {
    await using front = await Front.open({ workers: 2, delay: 300 });
    const { host, place, server: restate } = front;
    const waits = await (await host.give({ session: "w", input: "go" })).ended();
    const runs = await Promise.all([1, 2, 3].map((n) => host.give({ session: `s${String(n)}`, input: "go" })));
    const ends = Promise.all(runs.map((run) => run.ended()));
    await place.until(() => place.noted().filter(({ what }) => what === "begin").length > 6);
    await restate.kill();
    await sleep(500);
    await restate.start();
    expect((await ends).map(({ status }) => status)).toEqual(["waiting", "waiting", "waiting"]);
    const answered = await host.give({ session: "w", answers: waits.waiting!.id, input: "yes" });
    expect(await answered.ended()).toMatchObject({ status: "completed" });
    expect(await place.check()).toBe(0);
  });

  test("keeps an input while no process works, and gives one at its time", async () => {
    await using front = await Front.open({ workers: 1 });
    const { host, place } = front;
    const at = Date.now() + 2500;
    for (const _twice of [1, 2]) await host.schedule({ name: "once", at, input: "go" });
    await place.halt();
    const run = await host.give({ session: "s", input: "go" });
    await sleep(500);
    expect(await place.records("s")).toEqual([]);
    await place.begin();
    expect(await run.ended()).toMatchObject({ status: "waiting" });
    const planned = `once@${new Date(at).toISOString()}`;
    await place.until(async () => (await place.records(planned)).at(-1)?.type === "outcome");
    const [input] = await place.records(planned);
    expect(input!.at).toBeGreaterThanOrEqual(at);
    const withdrawn = await host.give({ session: "slow-t", input: "go" });
    expect(await host.abort("slow-t", "not now")).toBe(true);
    expect(await withdrawn.ended()).toMatchObject({ status: "aborted" });
    expect(await place.check()).toBe(0);
  });

  test("ends a run whose process is dead, for the reason of its abort", async () => {
    await using front = await Front.open({ workers: 1 });
    const { host, place } = front;
    const run = await host.give({ session: "slow-1", input: "go" });
    await place.until(() => place.noted().some(({ what }) => what === "request"));
    place.signal("SIGKILL");
    expect(await host.abort("slow-1", "nobody needs it")).toBe(true);
    expect(await run.ended()).toMatchObject({ status: "aborted" });
    await place.until(async () => (await place.records("slow-1")).at(-1)?.type === "outcome");
    const last = (await place.records("slow-1")).at(-1);
    expect(last).toMatchObject({ status: "aborted", message: expect.stringContaining("nobody needs it") });
    expect(await place.check()).toBe(0);
  });

  test("tells the end from the journal once Restate has forgotten the input", async () => {
    await using front = await Front.open({ workers: 1 });
    const { host, place, server: restate } = front;
    const input = { session: "s", input: "go", inputId: "first" };
    const run = await host.give(input);
    expect(await run.ended()).toMatchObject({ status: "waiting" });
    const ask = async (path: string, method: string, body?: object): Promise<{ rows: { id: string }[] }> => {
      const headers = { "content-type": "application/json", accept: "application/json" };
      const response = await fetch(`${restate.admin}/${path}`, { method, headers, body: JSON.stringify(body) });
      expect(response.ok).toBe(true);
      return JSON.parse((await response.text()) || "{}") as { rows: { id: string }[] };
    };
    const query = { query: "select id from sys_invocation where status = 'completed'" };
    for (const { id } of (await ask("query", "POST", query)).rows) await ask(`invocations/${id}/purge`, "PATCH");
    await place.until(async () => (await ask("query", "POST", query)).rows.length === 0);
    expect(await run.ended()).toMatchObject({ status: "waiting", joined: true });
    const before = await place.records("s");
    expect(await (await host.give(input)).ended()).toMatchObject({ status: "waiting", joined: true });
    expect(await place.records("s")).toEqual(before);
  });

  test("tries again while the store fails", async () => {
    await using front = await Front.open({ workers: 1 });
    const { host, place } = front;
    expect(await (await host.give({ session: "s", input: "go" })).ended()).toMatchObject({ status: "waiting" });
    const run = await host.give({ session: "t", input: "go" });
    await place.breakStore(800);
    expect(await run.ended()).toMatchObject({ status: "waiting" });
    expect(await place.check()).toBeLessThanOrEqual(1);
  });

  test("starts in two processes at once on a fresh server", async () => {
    const fresh = await startRestate();
    try {
      const { ingress, admin } = fresh;
      await using place = await HostPlace.open({ kind: "restate", workers: 2, restate: { ingress, admin } });
      expect(await place.run({ session: "s", input: "go" })).toMatchObject({ status: "waiting" });
      expect(await place.check()).toBe(0);
    } finally {
      await fresh.stop();
    }
  });

  test("keeps no input without a server, and says so", async () => {
    const nowhere = { ingress: "http://127.0.0.1:1", admin: "http://127.0.0.1:1" };
    const host = await hostOnRestate({ agents, store: fileStore("never-written"), ...nowhere, work: false });
    await expect(host.give({ input: "go" })).rejects.toMatchObject({ code: "store" });
    await expect(host.give({ input: "go", priority: 1 })).rejects.toThrow("hostOnRestate has no priority");
    await host.close();
  });
});
