// The example of many machines: both commands as the page says, over a real Postgres.

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { useDatabase } from "../postgres/database.js";
import { noPostgres } from "../postgres/server.js";

const folder = join(import.meta.dirname, "../../examples/many-machines");

/** A service of the file for containers. */
interface Service {
  readonly command?: string;
  readonly environment?: Record<string, string>;
  readonly volumes?: readonly string[];
}

const { services, volumes } = parse(readFileSync(join(folder, "compose.yaml"), "utf8"), { merge: true }) as {
  readonly services: Record<string, Service>;
  readonly volumes: object;
};

test("the file for containers declares its volumes, and hands all programs the database", () => {
  expect(Object.keys(services)).toEqual(["postgres", "migrate", "worker", "server"]);
  for (const [name, { environment, volumes: used = [] }] of Object.entries(services)) {
    const named = used.map((volume) => volume.split(":")[0]!).filter((volume) => !volume.startsWith("."));
    for (const volume of named) expect(volumes, name).toHaveProperty(volume);
    if (name !== "postgres") expect(environment, name).toHaveProperty("LASTCALL_STORE");
  }
});

describe.skipIf(noPostgres)(`the example${noPostgres}`, () => {
  const database = useDatabase();

  test("starts the commands of the containers", async () => {
    const token = "a-token-that-nobody-guesses";
    const begin = (name: string): ChildProcess => {
      const { command = "", environment = {} } = services[name]!;
      const [program, ...words] = command.split(" ");
      expect(program).toBe("node");
      const here = Object.entries(environment).map(([variable, value]) => [
        variable,
        value.startsWith("postgres://")
          ? database.server.url
          : value.replace("0.0.0.0", "127.0.0.1").replace(/^\$\{LASTCALL_SERVER_TOKEN:\?.*\}$/, token),
      ]);
      const env = { ...process.env, PORT: "0", ...(Object.fromEntries(here) as Record<string, string>) };
      return spawn(process.execPath, words, { env, cwd: join(folder, "../.."), stdio: ["ignore", "pipe", "pipe"] });
    };
    expect((await once(begin("migrate"), "exit"))[0]).toBe(0);
    const workers = [begin("worker"), begin("worker")];
    const server = begin("server");
    let said = "";
    const all = [...workers, server];
    for (const { stdout, stderr } of all)
      for (const output of [stdout, stderr]) output!.setEncoding("utf8").on("data", (more: string) => (said += more));
    await expect.poll(() => said.match(/worker \d+ works/g)?.length, { timeout: 30_000 }).toBe(2);
    await expect.poll(() => /http:\S+/.exec(said)?.[0], { timeout: 30_000 }).toBeDefined();
    const page = /http:\S+/.exec(said)![0];
    expect((await fetch(new URL("/health/ready", page))).status).toBe(200);
    const post = (token: string): Promise<Response> =>
      fetch(new URL("/sessions", page), {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
        body: JSON.stringify({ input: "Pack and send the order." }),
      });
    expect((await post("not this one")).status).toBe(401);
    const { session } = (await (await post(token)).json()) as { session: string };
    const authorization = `Bearer ${token}`;
    const look = async (): Promise<unknown> =>
      (await fetch(new URL(`/sessions/${session}`, page), { headers: { authorization } })).json();
    await expect.poll(look, { timeout: 30_000 }).toMatchObject({ status: "waiting", waiting: { by: "ask_question" } });
    for (const child of all) {
      child.kill("SIGTERM");
      await once(child, "exit");
    }
  }, 90_000);

  test("shows a run that survives the kill of its worker", async () => {
    const env = { ...process.env, DATABASE_URL: database.server.url, PORT: "0" };
    const begin = (file: string): ChildProcess =>
      spawn(process.execPath, [join(folder, file)], { env, stdio: ["ignore", "pipe", "inherit"] });
    const started = begin("start.mjs");
    let said = "";
    started.stdout?.setEncoding("utf8").on("data", (more: string) => (said += more));
    await expect.poll(() => said.match(/worker \d+ works/g)?.length, { timeout: 30_000 }).toBe(2);
    const surviving = begin("survive.mjs");
    const [told, [code]] = await Promise.all([text(surviving.stdout!), once(surviving, "exit")]);
    expect({ code, told }).toMatchObject({ code: 0 });
    expect(told).toMatch(
      /parcel 1 is packed by process (\d+)[^]*worker \1 is killed with -9[^]*outcome is unknown[^]*parcel 3 is packed[^]*it asks: All three are packed[^]*the run is completed/,
    );
    expect(told.match(/parcel 2 is packed/g)).toBe(null);
    const page = /Studio: (\S+)/.exec(said)?.[1] ?? "";
    expect((await fetch(page)).status).toBe(200);
    started.kill("SIGINT");
    expect(await once(started, "exit")).toEqual([0, null]);
  }, 90_000);
});
