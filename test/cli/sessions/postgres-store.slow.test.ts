// Sessions of the command in Postgres: the built command, a real server, a scripted provider.

import { describe, expect, test } from "vitest";
import { call, scriptedProvider } from "../../../src/testing/index.js";
import { useDatabase } from "../../postgres/database.js";
import { noPostgres } from "../../postgres/server.js";
import { run, runHere } from "../command.js";

test("an address of something else, and an order without an address, are told of", async () => {
  const other = await runHere(["--store", "mysql://x/y", "sessions"]);
  expect(other).toMatchObject({ code: 4, stderr: expect.stringContaining("postgres://user@host/database") });
  const none = await runHere(["store", "migrate"]);
  expect(none).toMatchObject({ code: 4, stderr: expect.stringContaining("give --store postgres://") });
  const both = await runHere(["--store", "postgres://x/y", "--sessions", "here", "sessions"]);
  expect(both).toMatchObject({ code: 4, stderr: expect.stringContaining("--store keeps sessions in a database") });
  expect(await runHere(["store", "drop"])).toMatchObject({
    code: 4,
    stderr: expect.stringContaining("it has migrate"),
  });
});

describe.skipIf(noPostgres)(`the command${noPostgres}`, () => {
  const database = useDatabase();

  test("keeps a session in Postgres, and another process goes on with it", async () => {
    const provider = await scriptedProvider([
      [call("ask_question", { question: "Which colour?" })],
      [call("task_completion", { result: "It is blue." })],
    ]);
    const env = {
      OPENAI_API_KEY: "k",
      OPENAI_BASE_URL: provider.url,
      OPENAI_MODEL: "m",
      LASTCALL_STORE: database.server.url,
    };
    const missing = await run(["sessions"], env);
    expect(missing).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(/no tables of lastcall: .*lastcall store migrate/),
    });
    expect(await run(["store", "migrate"], env)).toMatchObject({ code: 0, stdout: "The tables are made.\n" });
    expect(await run(["store", "migrate"], env)).toMatchObject({ stdout: "The tables are there, in version 4.\n" });
    const asked = await run(["Paint it."], env);
    expect(asked).toMatchObject({ code: 3 });
    const listed = await run(["sessions"], env);
    const [id = ""] = listed.stdout.split(" ");
    expect(listed.stdout).toContain("Paint it.");
    const { rows } = await database.pool.query<{ session: string }>("SELECT session FROM lastcall.sessions");
    expect(rows).toEqual([{ session: id }]);
    const done = await run(["resume", id, "Blue."], env);
    expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining("It is blue.") });
    const elsewhere = await run(["sessions", "--store", `${database.server.url}?schema=other`], env);
    expect(elsewhere.stderr).toContain("schema other");
    await provider.close();
  });
});
