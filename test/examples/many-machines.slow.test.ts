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
  expect(Object.keys(services)).toEqual(["postgres", "migrate", "worker", "studio"]);
  for (const [name, { environment, volumes: used = [] }] of Object.entries(services)) {
    const named = used.map((volume) => volume.split(":")[0]!).filter((volume) => !volume.startsWith("."));
    for (const volume of named) expect(volumes, name).toHaveProperty(volume);
    if (name !== "postgres") expect(environment, name).toHaveProperty("LASTCALL_STORE");
  }
});

describe.skipIf(noPostgres)(`the example${noPostgres}`, () => {
  const database = useDatabase();

  test("starts the commands of the containers", async () => {
    const begin = (name: string): ChildProcess => {
      const { command = "", environment = {} } = services[name]!;
      const [program, ...words] = command.replace("0.0.0.0", "127.0.0.1").replace("8123", "0").split(" ");
      expect(program).toBe("node");
      const here = Object.entries(environment).map(([variable, value]) => [
        variable,
        value.startsWith("postgres://") ? database.server.url : value,
      ]);
      const env = { ...process.env, ...(Object.fromEntries(here) as Record<string, string>) };
      return spawn(process.execPath, words, { env, cwd: join(folder, "../.."), stdio: ["ignore", "pipe", "pipe"] });
    };
    expect((await once(begin("migrate"), "exit"))[0]).toBe(0);
    const workers = [begin("worker"), begin("worker")];
    const studio = begin("studio");
    let said = "";
    const all = [...workers, studio];
    for (const { stdout, stderr } of all)
      for (const output of [stdout, stderr]) output!.setEncoding("utf8").on("data", (more: string) => (said += more));
    await expect.poll(() => said.match(/worker \d+ works/g)?.length, { timeout: 30_000 }).toBe(2);
    await expect.poll(() => /http:\S+/.exec(said)?.[0], { timeout: 30_000 }).toBeDefined();
    const page = /http:\S+/.exec(said)![0];
    expect((await fetch(new URL("/health/ready", page))).status).toBe(200);
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
