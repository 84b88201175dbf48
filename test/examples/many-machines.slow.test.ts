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

test("the file for containers starts programs that are there, and hands all of them the database", () => {
  const { services } = parse(readFileSync(join(folder, "compose.yaml"), "utf8"), { merge: true }) as {
    readonly services: Record<string, { readonly command?: string; readonly environment?: Record<string, string> }>;
  };
  expect(Object.keys(services)).toEqual(["postgres", "migrate", "worker", "studio"]);
  for (const [name, { command = "", environment }] of Object.entries(services)) {
    if (name === "postgres") continue;
    const [, program = ""] = command.split(" ");
    expect(readFileSync(join(folder, "../..", program), "utf8")).not.toBe("");
    expect(environment).toHaveProperty("LASTCALL_STORE");
  }
});

describe.skipIf(noPostgres)(`the example${noPostgres}`, () => {
  const database = useDatabase();

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
