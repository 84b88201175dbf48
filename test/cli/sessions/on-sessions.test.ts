// The orders about stored sessions: the store that they look in, and that none of them deletes by mistake.

import { mkdir, readdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { call, scriptedProvider } from "../../../src/testing/index.js";
import { runHere, temporary, type Ended } from "../command.js";
import { down, up } from "../serve/command-server.js";

interface Place extends AsyncDisposable {
  readonly path: string;
  readonly workdir: string;
  readonly env: Readonly<Record<string, string>>;
  /** The words of a run in the folder. */
  readonly work: readonly string[];
  go(...args: readonly string[]): Promise<Ended>;
}

/** A person's own folder of settings with this config file, a folder to work in, and a model that asks and then is done. */
async function place(config: string): Promise<Place> {
  const folder = await temporary();
  const provider = await scriptedProvider(({ lastText }) =>
    lastText === "blue"
      ? [call("task_completion", { result: "Painted." })]
      : [call("ask_question", { question: "Which colour?" })],
  );
  const own = join(folder.path, "config/lastcall");
  const workdir = join(folder.path, "work");
  await mkdir(own, { recursive: true });
  await mkdir(workdir);
  await writeFile(join(own, "config.yaml"), config);
  const env = { XDG_CONFIG_HOME: join(folder.path, "config"), XDG_STATE_HOME: join(folder.path, "state") };
  return {
    path: folder.path,
    workdir,
    env,
    work: ["--base-url", provider.url, "--model", "m", "--workdir", workdir, "--no-sandbox"],
    go: (...args) => runHere(args, env),
    async [Symbol.asyncDispose]() {
      await provider.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const idIn = ({ stderr }: Ended): string => /lastcall resume (\S+)/.exec(stderr)?.[1] ?? "";

describe("a session that a config file keeps elsewhere", () => {
  test("is found by every order, with a path that starts at the folder of that file", async () => {
    await using here = await place("sessions: ../../mine\n");
    const id = idIn(await here.go("Paint", ...here.work));
    expect(id).not.toBe("");
    expect(await readdir(join(here.path, "mine"))).not.toEqual([]);
    expect((await here.go("sessions")).stdout).toContain(id);
    expect((await here.go("show", id)).stdout).toContain("Which colour?");
    expect((await here.go("repair", id)).stdout).toContain(`The session ${id} is whole`);
    const copy = (await here.go("fork", id)).stdout.trim();
    expect(await here.go("resume", id, "blue", ...here.work)).toMatchObject({ code: 0, stdout: "Painted.\n" });
    const talk = ["chat", copy, ...here.work];
    expect((await runHere(talk, here.env, "blue\n")).code).toBe(0);
    const fresh = ["Paint", "--notes-from", id, ...here.work, "--no-save"];
    expect((await here.go(...fresh)).stderr).not.toContain("There is no session");
    expect((await here.go("sessions", "--no-config")).stdout).toBe("");
    expect((await here.go("sessions", "--no-config")).stderr).toContain("There are no sessions");
    expect((await here.go("sessions", "--no-config", "--quiet")).stderr).toBe("");
    const listed = (await here.go("sessions")).stdout.trim().split("\n");
    expect(listed.map((line) => line.split(" ")[0]).sort()).toEqual([id, copy].sort());
    await expect(readdir(join(here.path, "state"))).rejects.toThrow("ENOENT");
  });

  test("is shown by the studio", async () => {
    await using here = await place("sessions: ../../mine\n");
    const id = idIn(await here.go("Paint", ...here.work));
    const server = await up(["studio"], here.env);
    expect((await server.api.sessions()).map((session) => session.id)).toEqual([id]);
    expect(await down(server)).toBe(0);
  });

  test("is found in a folder whose file a person trusts, and goes on where it was found", async () => {
    await using here = await place("");
    await writeFile(join(here.workdir, "lastcall.config.yaml"), "sessions: kept\n");
    const named = ["--config", join(here.workdir, "lastcall.config.yaml")];
    const id = idIn(await here.go("Paint", ...here.work, ...named));
    expect((await here.go("sessions", ...named)).stdout).toContain(id);
    // Nobody trusted the file, so no order uses it without its name, and the list says so.
    const unnamed = await here.go("sessions", "--workdir", here.workdir);
    expect(unnamed).toMatchObject({ stdout: "", stderr: expect.stringContaining("lastcall.config.yaml is not used") });
    const elsewhere = await here.go("Paint", ...here.work);
    const again = await here.go("resume", idIn(elsewhere), "blue", ...here.work);
    expect(again.stderr.split("lastcall.config.yaml is not used")).toHaveLength(2);
    expect((await here.go("resume", id, "blue", ...here.work, ...named)).code).toBe(0);
  });

  test("in a database is asked for there, and a given folder wins over it", async () => {
    await using here = await place("store: mysql://x/y\n");
    for (const order of [
      ["sessions"],
      ["show", "x"],
      ["resume", "x"],
      ["store", "migrate"],
      ["studio"],
      ["prune", "1d"],
    ])
      expect((await here.go(...order)).stderr).toContain("postgres://user@host/database");
    const given = await here.go("sessions", "--sessions", join(here.path, "s"));
    expect(given).toMatchObject({ code: 0, stderr: expect.stringContaining("There are no sessions in files in") });
  });
});

test("prune with an option that it does not take deletes nothing", async () => {
  await using here = await place("");
  await here.go("Paint", ...here.work);
  const folder = join(here.path, "state/lastcall");
  const age = new Date(Date.now() - 90 * 24 * 3_600_000);
  for (const name of await readdir(folder, { recursive: true })) await utimes(join(folder, name), age, age);
  const before = await readdir(folder, { recursive: true });
  const { code, stderr } = await here.go("prune", "30d", "--dry-run");
  expect({ code, stderr }).toMatchObject({ code: 4, stderr: expect.stringContaining("Nothing was done") });
  expect(await readdir(folder, { recursive: true })).toEqual(before);
});
