// lastcall serve and lastcall studio: the built command behind HTTP, with a real provider and real files.

import { chmod, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { call } from "../../../src/testing/index.js";
import { runHere } from "../command.js";
import { done, down, placeFor, untilStatus, up } from "./command-server.js";
import { noLinux } from "../../no-linux.js";

const asks = [call("ask_question", { question: "Which colour?" })];
const writes = [call("run_command", { command: "echo '> made' && : > made" })];

describe("lastcall studio", () => {
  test("shows the sessions of the command, approves a call and answers a question with the options that a session keeps", async () => {
    await using place = await placeFor([writes, asks, done]);
    const { folder, options, sessions, provider } = place;
    const { code } = await runHere([...options, "--park", "Paint the fence"]);
    expect(code).toBe(3);
    const studio = await up(["studio", ...sessions, "--no-sandbox"]);
    const [session] = await studio.api.sessions();
    expect(session).toMatchObject({ status: "waiting", title: "Paint the fence", waiting: { by: "run_command" } });
    const { id, waiting } = session!;
    expect(provider.requests.length).toBe(1);
    const digest = waiting?.approval?.digest ?? "";
    await expect(
      studio.api.approve(id, { callId: waiting!.id, digest: "0".repeat(64), allowed: true }),
    ).rejects.toThrow(`The call ${waiting!.id} has the digest ${digest}`);
    expect(await readdir(folder.path)).not.toContain("made");
    await studio.api.approve(id, { callId: waiting!.id, digest, allowed: true });
    await expect.poll(async () => (await studio.api.session(id)).waiting?.by, { timeout: 20_000 }).toBe("ask_question");
    expect(await readdir(folder.path)).toContain("made");
    await studio.api.send(id, "blue", (await studio.api.session(id)).waiting?.id);
    await untilStatus(studio.api, id, "completed");
    expect(JSON.stringify(provider.requests.at(-1)?.body)).toContain("blue");
    expect(await down(studio)).toBe(0);
  });

  test("takes back what a task of the command has changed in the folder of its session, and makes it again", async () => {
    await using place = await placeFor([writes, done]);
    const { options, sessions, folder } = place;
    expect((await runHere([...options, "--yes", "Paint the fence"])).code).toBe(0);
    const studio = await up(["studio", ...sessions]);
    const [session] = await studio.api.sessions();
    const id = session?.id ?? "";
    expect(await studio.api.changes(id, { path: "made" })).toMatchObject({ paths: ["made"], isAtWork: false });
    const { plan, changed } = await studio.api.turnBack(id, "undo", { dryRun: true });
    expect([changed, await readdir(folder.path)]).toEqual([["made"], expect.arrayContaining(["made"])]);
    await studio.api.turnBack(id, "undo", { plan });
    expect(await readdir(folder.path)).not.toContain("made");
    await expect(studio.api.turnBack(id, "undo", {})).rejects.toThrow("has changed nothing");
    // The command and the studio have one record.
    expect((await runHere(["redo", id, ...sessions])).stdout).toContain("Made again: 1 path");
    expect(await studio.api.changes(id, {})).toMatchObject({ paths: ["made"], undone: [] });
    expect(await readdir(folder.path)).toContain("made");
    await down(studio);
  });

  test("grants a session no rights that this command line does not give", async () => {
    await using place = await placeFor([writes, done, writes]);
    const { options, sessions, folder } = place;
    expect((await runHere([...options, "--yes", "Paint the fence"])).code).toBe(0);
    await rm(join(folder.path, "made"));
    const studio = await up(["studio", ...sessions, "--no-sandbox"]);
    const [session] = await studio.api.sessions();
    await studio.api.send(session!.id, "Paint it again");
    await untilStatus(studio.api, session!.id, "waiting");
    expect((await studio.api.session(session!.id)).waiting).toMatchObject({ by: "run_command" });
    expect(await readdir(folder.path)).not.toContain("made");
    await down(studio);
  });

  test("does not run a module that has changed since the session began", async () => {
    await using place = await placeFor([asks, done]);
    const { options, sessions, folder } = place;
    const agent = await folder.put("paint-shop.mjs", 'export default { instructions: "Paint." };');
    expect((await runHere([...options, "--agent", agent, "Paint the fence"])).code).toBe(3);
    await writeFile(agent, 'console.log("owned"); export default { instructions: "Paint." };');
    const studio = await up(["studio", ...sessions]);
    const [session] = await studio.api.sessions();
    await expect(studio.api.send(session!.id, "blue")).rejects.toThrow("is not as it was when this session began");
    await down(studio);
    expect((await studio.ended).stdout + (await studio.ended).stderr).not.toContain("owned");
  });

  test("takes no inputs with --read-only", async () => {
    await using place = await placeFor([asks]);
    expect((await runHere([...place.options, "Paint the fence"])).code).toBe(3);
    const studio = await up(["studio", "--read-only", ...place.sessions]);
    const [session] = await studio.api.sessions();
    await expect(studio.api.send(session!.id, "blue")).rejects.toThrow("This server only shows");
    expect(await studio.api.agents()).toEqual({ agents: [], readOnly: true, changes: true });
    await down(studio);
  });

  test("is linked at the end of a task while it is up, and not any more when it was killed", async () => {
    await using place = await placeFor([done, done]);
    const studio = await up(["studio", ...place.sessions]);
    const linked = await runHere([...place.options, "Paint the fence"]);
    const [, id = ""] = /studio\/#\/s\/(\S+)/.exec(linked.stderr) ?? [];
    expect((await studio.api.session(decodeURIComponent(id))).title).toBe("Paint the fence");
    expect(linked.stderr).not.toContain(studio.token);
    await down(studio, "SIGKILL");
    expect((await runHere([...place.options, "Paint it again"])).stderr).not.toContain("studio/#/s/");
  });
});

describe("lastcall serve", () => {
  test("runs the agent of a module for those who have the token, and nobody else", async () => {
    await using place = await placeFor([done]);
    const agent = await place.folder.put("paint-shop.mjs", 'export default { instructions: "Paint." };');
    const server = await up(["serve", ...place.options, "--agent", agent]);
    expect(await server.api.agents()).toEqual({ agents: ["paint-shop"], readOnly: false, changes: true });
    await server.api.send("fence", "Paint the fence");
    await untilStatus(server.api, "fence", "completed");
    expect((await fetch(new URL("sessions", server.url))).status).toBe(401);
    expect((await fetch(new URL("studio/", server.url))).status).toBe(200);
    expect(await down(server)).toBe(0);
    expect((await server.ended).stderr).toContain("fence: completed");
  });

  test("goes on after a kill with the run that was left, and an interrupt suspends it", async () => {
    const late = { calls: done, delay: 60_000 };
    await using place = await placeFor([asks, late, late, done]);
    const first = await up(["serve", ...place.options]);
    await first.api.send("fence", "Paint the fence");
    await untilStatus(first.api, "fence", "waiting");
    await first.api.send("fence", "blue");
    await untilStatus(first.api, "fence", "open");
    await down(first, "SIGKILL");
    const second = await up(["serve", ...place.options]);
    await second.seen("goes on with fence");
    await expect.poll(() => place.provider.requests.length).toBe(3);
    expect(await down(second)).toBe(0);
    const third = await up(["serve", ...place.options]);
    await untilStatus(third.api, "fence", "completed");
    await down(third);
    const listed = await runHere(["sessions", ...place.sessions]);
    expect(listed.stdout).toMatch(/^fence .* completed/m);
  });

  test("leaves a session that lastcall resume goes on with, by the name of its agent and no file", async () => {
    await using place = await placeFor([asks, done]);
    const server = await up(["serve", ...place.options]);
    await server.api.send("fence", "Paint the fence");
    await untilStatus(server.api, "fence", "waiting");
    await down(server);
    const { code, stderr } = await runHere(["resume", "fence", "blue", ...place.options]);
    expect({ code, stderr }).toMatchObject({ code: 0 });
  });

  test("the token may be of the environment, and is not printed then", async () => {
    await using place = await placeFor([]);
    const token = "a-token-that-nobody-guesses";
    const server = await up(["serve", ...place.options], { LASTCALL_SERVER_TOKEN: token });
    expect(server.token).toBe("${LASTCALL_SERVER_TOKEN}");
    expect(await server.api.sessions()).toEqual([]);
    await down(server);
    expect((await server.ended).stderr).not.toContain(token);
  });

  test("a name under which it is reached is served with --host, and no other", async () => {
    await using place = await placeFor([]);
    const server = await up(["serve", ...place.options, "--host", "agents.example"]);
    expect(server.url).toMatch(/^http:\/\/agents\.example:\d+\/$/);
    const { port } = new URL(server.url);
    const status = (host: string): Promise<number> =>
      new Promise((resolve, reject) => {
        const headers = { host, authorization: `Bearer ${server.token}` };
        request({ host: "127.0.0.1", port, path: "/sessions", headers, setHost: false }, (answer) => {
          answer.resume();
          resolve(answer.statusCode ?? 0);
        })
          .on("error", reject)
          .end();
      });
    expect(await Promise.all(["agents.example", `127.0.0.1:${port}`, "evil.example"].map(status))).toEqual([
      ...[200, 200, 403],
    ]);
    await down(server);
  });
});

test.each([
  [["serve", "--json"], "--json prints one outcome"],
  [["serve", "--no-save"], "lastcall serve takes no --no-save, which goes with a task and lastcall review."],
  [["serve", "--read-only"], "takes no --read-only, which goes with lastcall studio."],
  [["studio", "now"], "lastcall studio takes no other words"],
  [["do it", "--open"], "A task takes no --open, which goes with lastcall serve and lastcall studio."],
  [["do it", "--host", "x"], "A task takes no --host, which goes with lastcall serve and lastcall studio."],
])("words that a server can't have are told: %j", async (args, words) => {
  const { code, stderr } = await runHere([...args, "--no-config", "--base-url", "http://127.0.0.1:1", "--model", "m"]);
  expect({ code, stderr }).toMatchObject({ code: 4, stderr: expect.stringContaining(words) as string });
});

test("a token that is short, or a port that is taken, is told", async () => {
  await using place = await placeFor([]);
  const short = await runHere(["studio", ...place.sessions], { LASTCALL_SERVER_TOKEN: "secret" });
  expect(short).toMatchObject({ code: 4, stderr: expect.stringContaining("fewer than 16 characters") as string });
  const { port } = new URL(place.provider.url);
  const taken = await runHere(["studio", ...place.sessions, "--port", port]);
  expect(taken).toMatchObject({ code: 4, stderr: expect.stringContaining("can't be listened on") as string });
});

test("an address that this machine does not have can't be listened on", async () => {
  await using place = await placeFor([]);
  const { code, stderr } = await runHere(["studio", ...place.sessions, "--listen", "203.0.113.1"]);
  expect({ code, stderr }).toMatchObject({
    code: 4,
    stderr: expect.stringContaining("203.0.113.1:0 can't be") as string,
  });
});

test.skipIf(noLinux !== "")(`--open opens the page with its token${noLinux}`, async () => {
  await using place = await placeFor([]);
  const opened = join(place.folder.path, "opened");
  const program = await place.folder.put("xdg-open", `#!/bin/sh\necho "$1" > ${opened}\n`);
  await chmod(program, 0o755);
  const PATH = `${place.folder.path}:${process.env["PATH"] ?? ""}`;
  const studio = await up(["studio", "--open", ...place.sessions], { PATH });
  await expect
    .poll(async () => readFile((await readFile(opened, "utf8")).trim(), "utf8").catch(() => ""), { timeout: 10_000 })
    .toContain(`content="0; url=${studio.url}studio/#token=${studio.token}"`);
  await down(studio);
});
