// A session in one file at the command: written as a page, imported elsewhere, and gone on with there.

import { readFileSync, statSync, writeFileSync } from "node:fs";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call, scriptedProvider } from "../../../src/testing/index.js";
import { unpacked } from "../../../src/memory/session/packed-session.js";
import "../../dist.js";
import { runHere, temporary } from "../command.js";

const key = "our-own-key-in-no-known-form";

/** A session that asks a question, in a store of its own, and the way to another store. */
async function place() {
  const folder = await temporary();
  const provider = await scriptedProvider(({ lastText }) =>
    lastText === "blue"
      ? [call("task_completion", { result: "Painted." })]
      : [call("ask_question", { question: `Which colour? ${key}` })],
  );
  const [here, there] = [join(folder.path, "here"), join(folder.path, "there")];
  const workdir = join(folder.path, "work");
  await mkdir(workdir);
  const env = { XDG_CONFIG_HOME: folder.path, XDG_STATE_HOME: folder.path, OUR_API_KEY: key };
  const model = ["--base-url", provider.url, "--model", "m", "--workdir", workdir, "--no-sandbox"];
  expect((await runHere(["Paint the door", ...model, "--sessions", here], env)).code).toBe(3);
  const id = (await runHere(["sessions", "--sessions", here], env)).stdout.split(/\s/)[0] ?? "";
  return {
    ...{ id, model, here, there, folder: folder.path },
    go: (...args: readonly string[]) => runHere(args, env),
    async [Symbol.asyncDispose]() {
      await provider.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

test("show --html writes a page for its owner alone, which import reads, and the session goes on there", async () => {
  await using at = await place();
  const { id, go, here, there } = at;
  const file = join(at.folder, "session.html");
  const written = await go("show", id, "--html", file, "--sessions", here);
  expect([written.code, written.stdout]).toEqual([0, `${file}\n`]);
  expect(written.stderr).toContain("look at it first");
  if (process.platform !== "win32") expect(statSync(file).mode & 0o777).toBe(0o600);
  const page = readFileSync(file, "utf8");
  const [, data = ""] = /id="lastcall-session">([^<]+)</.exec(page) ?? [];
  for (const text of [page, JSON.stringify(await unpacked(data))]) expect(text).not.toContain(key);
  const imported = await go("sessions", "import", file, "--sessions", there);
  expect([imported.code, imported.stdout]).toEqual([0, `${id}\n`]);
  expect(imported.stderr).toContain(`lastcall resume ${id}`);
  const json = await go("show", id, "--json", "--sessions", there);
  expect(json.stdout).toContain("Which colour? [redacted: value]");
  const more = await go("resume", id, "blue", ...at.model, "--sessions", there);
  expect([more.code, more.stdout.trim()]).toEqual([0, "Painted."]);
});

test("the JSON of show is imported as well, under a new id beside the session, and is the same there", async () => {
  await using at = await place();
  const { id, go, here, there } = at;
  const file = join(at.folder, "session.json");
  const json = (await go("show", id, "--json", "--sessions", here)).stdout;
  writeFileSync(file, json);
  expect((await go("sessions", "import", file, "--sessions", there)).stdout).toBe(`${id}\n`);
  expect((await go("show", id, "--json", "--sessions", there)).stdout).toBe(json);
  const beside = await go("sessions", "import", file, "--sessions", here);
  expect(beside.code).toBe(0);
  expect(beside.stdout.trim()).not.toBe(id);
  const words = (await go("show", beside.stdout.trim(), "--sessions", here)).stdout;
  expect(words).toBe((await go("show", id, "--sessions", here)).stdout);
});

test("a file that is something else is neither overwritten nor imported, and the store stays empty", async () => {
  await using at = await place();
  const { id, go, here, there } = at;
  const other = join(at.folder, "notes.txt");
  writeFileSync(other, "my notes");
  const refused = await go("show", id, "--html", other, "--sessions", here);
  expect([refused.code, readFileSync(other, "utf8")]).toEqual([4, "my notes"]);
  expect(refused.stderr).toContain("is no page of a session: nothing was written");
  for (const [words, why] of [
    [[other], "This file is no session"],
    [[join(at.folder, "gone")], "can't be read"],
    [[at.folder], "can't be read"],
  ] as const) {
    const told = await go("sessions", "import", ...words, "--sessions", there);
    expect([told.code, told.stdout]).toEqual([4, ""]);
    expect(told.stderr).toContain(why);
  }
  expect(await readdir(there).catch(() => [])).toEqual([]);
  const again = join(at.folder, "again.html");
  for (let times = 0; times < 2; times += 1)
    expect((await go("show", id, "--html", again, "--sessions", here)).code).toBe(0);
  expect((await readdir(at.folder)).filter((name) => name.startsWith("again.html"))).toEqual(["again.html"]);
  expect((await go("show", id, "--html", join(at.folder, "no/folder.html"), "--sessions", here)).code).toBe(4);
});
