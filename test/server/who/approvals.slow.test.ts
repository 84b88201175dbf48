// Four eyes and a quorum of two over kill -9 of the server: a call runs once, after two others said yes, whatever dies when.

import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { Databases } from "../../host/databases.js";
import { hasSqlite, noSqlite, temporaryFolder } from "../../memory/store-places.js";
import { noPostgres } from "../../postgres/server.js";
import "../../dist.js";
import { share } from "../../turn.js";

const databases = new Databases();
afterAll(() => databases.stop(), 30_000);

/** A server that can be killed, and the ways to ask whichever lives. */
class Place {
  #child: ChildProcess | undefined;
  #url = "";
  readonly #given: readonly string[];

  constructor(...given: readonly string[]) {
    this.#given = given;
  }

  async start(): Promise<void> {
    this.#child = fork(join(import.meta.dirname, "approvals-server.mjs"), this.#given);
    const [{ url }] = (await once(this.#child, "message")) as [{ url: string }];
    this.#url = url;
  }

  async kill(): Promise<void> {
    const exit = once(this.#child!, "exit");
    this.#child!.kill("SIGKILL");
    await exit;
  }

  async restart(): Promise<void> {
    await this.kill();
    await this.start();
  }

  async ask(person: string, path: string, body?: unknown): Promise<{ status: number; text: string }> {
    const response = await fetch(new URL(path, this.#url), {
      method: body === undefined ? "GET" : "POST",
      headers: { "x-person": person, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  }

  /** Asks while the server is killed, and again until a server answers. */
  async askThroughKill(
    person: string,
    path: string,
    body: unknown,
    delay: number,
  ): Promise<{ status: number; text: string }> {
    const asked = this.ask(person, path, body).catch(() => undefined);
    await sleep(delay);
    await this.restart();
    return (await asked) ?? this.ask(person, path, body);
  }
}

interface Summary {
  readonly status: string;
  readonly waiting?: { readonly id: string; readonly approval: { readonly digest: string; readonly quorum: unknown } };
}

const stores = [
  { name: "files", skip: false, place: (folder: string) => Promise.resolve(join(folder, "sessions")) },
  { name: "SQLite", skip: !hasSqlite, place: (folder: string) => Promise.resolve(join(folder, "sessions.sqlite")) },
  { name: "Postgres", skip: noPostgres !== "", place: () => databases.make() },
];
const left: Readonly<Record<string, string>> = { SQLite: noSqlite, Postgres: noPostgres };

for (const { name, skip, place: placeOf } of stores)
  test.skipIf(skip)(
    `a payment on ${name} needs two others, over the deaths of its server${left[name] ?? ""}`,
    async () => {
      await using folder = await temporaryFolder();
      const log = join(folder.path, "paid");
      await writeFile(log, "");
      const paid = async () => (await readFile(log, "utf8")).split("\n").slice(0, -1);
      const place = new Place(name, await placeOf(folder.path), log);
      await place.start();
      try {
        for (const [round, delay] of share([...[0, 3, 8, 20, 45].entries()], 3)) {
          const before = (await paid()).length;
          const begun = await place.ask("ann@acme", "/sessions", {
            input: "pay 100",
            inputId: `round ${String(round)}`,
          });
          const { session } = JSON.parse(begun.text) as { session: string };
          const summary = async () => JSON.parse((await place.ask("ann@acme", `/sessions/${session}`)).text) as Summary;
          await expect.poll(async () => (await summary()).status, { timeout: 20_000 }).toBe("waiting");
          await place.restart();
          const { waiting } = await summary();
          const yes = { callId: waiting!.id, digest: waiting!.approval.digest, allowed: true };
          const path = `/sessions/${session}/approvals`;
          expect(await place.ask("ann@acme", path, yes)).toMatchObject({ status: 403 });
          expect(await place.ask("ben@initech", path, yes)).toMatchObject({ status: 409 });
          expect([202, 403]).toContain((await place.askThroughKill("ben@acme", path, yes, delay)).status);
          const people = { needed: 2, given: [{ id: "ben", tenant: "acme" }], missing: 1 };
          await expect
            .poll(async () => (await summary()).waiting?.approval.quorum, { timeout: 20_000 })
            .toEqual(people);
          await place.restart();
          expect((await summary()).waiting?.approval.quorum).toEqual(people);
          const again = await place.ask("ben@acme", path, yes);
          expect([again.status, again.text]).toEqual([403, expect.stringContaining("has said yes")]);
          expect(await paid()).toHaveLength(before);
          const isKilled = round % 2 === 1;
          const last = isKilled ? place.askThroughKill("cas@acme", path, yes, delay) : place.ask("cas@acme", path, yes);
          expect([202, 409]).toContain((await last).status);
          await expect.poll(async () => (await summary()).status, { timeout: 20_000 }).toBe("completed");
          const now = (await paid()).slice(before);
          if (!isKilled) expect(now).toHaveLength(1);
          expect(now.length).toBeLessThanOrEqual(1);
          for (const line of now) expect(line).toMatch(/ for ann$/);
        }
      } finally {
        await place.kill();
      }
    },
    180_000,
  );
