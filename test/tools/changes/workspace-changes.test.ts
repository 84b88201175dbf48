// The changes of runs in a workspace are taken back, made again and shown. The changes of other people stay.

import { once } from "node:events";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent, tool, type Tool } from "../../../src/index.js";
import { command as check, postEdit } from "../../../src/checks/index.js";
import { memoryStore, openSession } from "../../../src/memory/index.js";
import { allowAll } from "../../../src/permission/index.js";
import { call, scriptedModel } from "../../../src/testing/index.js";
import {
  delegate,
  forgetChanges,
  inBackground,
  taskCompletion,
  workspaceChanges,
  workspaceTools,
} from "../../../src/tools/index.js";
import { conflictAt } from "../../../src/tools/changes/undone.js";
import { randomFrom } from "../../chaos/scale.js";
import { command, done, place, placeAt } from "./place.js";
import { fill, leftOut, newFolder, picture } from "./world.js";

test("the files of a session have what was there before each of its changes, since somebody else's last change", async () => {
  const { root, changes, run } = placeAt(newFolder(), newFolder());
  writeFileSync(join(root, "a"), "1");
  writeFileSync(join(root, "b"), "1");
  const write = (path: string, content: string) => [call("write_file", { path, content })];
  const steps = [write("a", "2"), write("a", "3"), write("b", "2"), write("b", "3"), write(".env", "KEY=1")];
  await run("s", steps, (step) => {
    if (step === 4) writeFileSync(join(root, "b"), "other");
  });
  const told = changes.files("s");
  const text = ({ kind, content }: (typeof told.files)[number]["after"]) => `${kind} ${String(content())}`;
  expect(told.files.map(({ path, before, after }) => [path, before.map(text), text(after)])).toEqual([
    [".env", ["none undefined"], "unknown undefined"],
    ["a", ["file 1", "file 2"], "file 3"],
    ["b", ["file other"], "file 3"],
  ]);
  expect([told.shared, told.unseen]).toEqual([[], []]);
  await changes.undo("s");
  expect(changes.files("s").files.map(({ path }) => path)).not.toContain("a");
});

describe.skipIf(leftOut !== "")(`the changes of a run${leftOut}`, () => {
  test("are taken back, and made again: edits, commands, new and removed folders, modes, links, binary files", async () => {
    const { root, changes, run } = place();
    const before = picture(root);
    await run("s", [
      [call("write_file", { path: "new/deep/file.txt", content: "hello\n" })],
      [call("edit_file", { path: "src/f6.txt", edits: [{ old: "line 6", new: "line six" }] })],
      [call("move_file", { from: "docs/f3.txt", to: "docs/moved.txt" })],
      [call("delete_file", { path: "docs/f9.txt" })],
      command("rm -rf node_modules; chmod 600 src/f12.txt; ln -s x link; printf '\\000\\001' > bin; rm dangling"),
      command("mkdir -p a/b/c; printf 1 > a/b/c/d; mv src/deep src/shallow"),
    ]);
    const after = picture(root);
    expect(after).not.toEqual(before);
    const undone = await changes.undo("s");
    expect(undone.conflicts).toEqual([]);
    expect(picture(root)).toEqual(before);
    await expect(changes.undo("s")).rejects.toThrow("has changed nothing in this workspace");
    expect((await changes.redo("s")).conflicts).toEqual([]);
    expect(picture(root)).toEqual(after);
    await expect(changes.redo("s")).rejects.toThrow("Nothing of the session s was taken back");
    expect((await changes.undo("s")).conflicts).toEqual([]);
    expect(picture(root)).toEqual(before);
  });

  test("stay up to an iteration, if only later changes are meant", async () => {
    const { root, changes, run } = place();
    const pictures: Readonly<Record<string, string>>[] = [];
    await run("s", [command("printf 1 > x"), command("printf 2 > x; printf y > y"), command("rm x")], () => {
      pictures.push(picture(root));
    });
    await changes.undo("s", { after: 2 });
    expect(readFileSync(join(root, "x"), "utf8")).toBe("2");
    await changes.undo("s", { after: 1 });
    expect(readFileSync(join(root, "x"), "utf8")).toBe("1");
    expect(existsSync(join(root, "y"))).toBe(false);
    await changes.undo("s");
    expect(picture(root)).toEqual(pictures[0]);
  });

  test("are taken back run by run, and iterations count from the last run's first", async () => {
    const { root, changes, run } = place();
    const first = picture(root);
    await run("s", [command("printf 1 > x"), command("printf 2 > y")]);
    const second = picture(root);
    await run("s", [command("printf 3 > x"), command("printf 4 > z")]);
    expect(changes.changed("s", { after: 1 })).toEqual(["z"]);
    expect(changes.changed("s", { after: 0 })).toEqual(["x", "z"]);
    await changes.undo("s", { after: 0 });
    expect(picture(root)).toEqual(second);
    await changes.undo("s", { after: 0 });
    expect(picture(root)).toEqual(first);
    await changes.redo("s");
    expect(picture(root)).toEqual(second);
    await changes.redo("s");
    expect(readFileSync(join(root, "x"), "utf8")).toBe("3");
  });

  test("by a call that somebody approved later belong to its iteration", async () => {
    const { root, changes } = place();
    const store = memoryStore();
    const agent = createAgent({
      model: scriptedModel([command("printf early > early"), command("printf late > late"), [done]]),
      tools: [...changes.recorded(workspaceTools({ root })), taskCompletion()] as readonly Tool[],
      hooks: [changes.hook],
      permission: {
        decide: ({ input }, { approval }) =>
          approval ??
          (JSON.stringify(input).includes("late")
            ? ({ later: true, reason: "a person is asked" } as const)
            : { allowed: true, reason: "it may" }),
      },
    });
    const session = openSession({ store, id: "s" });
    const parked = await agent.run("Do it.", { session });
    if (parked.status !== "waiting") throw new Error(parked.status);
    expect((await agent.run({ allowed: true }, { session, answers: parked.id })).status).toBe("completed");
    expect(changes.changed("s", { after: 1 })).toEqual(["late"]);
    expect(await changes.undo("s", { after: 1 })).toMatchObject({ changed: ["late"] });
    expect(existsSync(join(root, "early"))).toBe(true);
  });

  test("that somebody else changed since are named, and stay", async () => {
    const { root, changes, run } = place();
    await run("s", [command("printf mine > src/f0.bin; printf mine > src/f6.txt; mkdir made; printf 1 > made/one")]);
    writeFileSync(join(root, "src/f6.txt"), "theirs");
    writeFileSync(join(root, "made/two"), "theirs");
    rmSync(join(root, "docs/f3.txt"));
    expect(await changes.undo("s")).toMatchObject({
      unseen: [],
      changed: ["made/one", "src/f0.bin"],
      conflicts: [conflictAt("made", "not empty"), conflictAt("src/f6.txt", "changed since")],
    });
    expect(readFileSync(join(root, "src/f6.txt"), "utf8")).toBe("theirs");
    expect(readFileSync(join(root, "made/two"), "utf8")).toBe("theirs");
    expect(existsSync(join(root, "docs/f3.txt"))).toBe(false);
  });

  test("that an undo left as they are can be taken back later; the runs before have their turn all the same", async () => {
    const { root, changes, run } = place();
    const before = picture(root);
    await run("s", [command("printf early > early")]);
    await run("s", [command("printf mine > mine; mkdir made; printf 1 > made/one")]);
    writeFileSync(join(root, "mine"), "theirs");
    writeFileSync(join(root, "made/theirs"), "theirs");
    const left = [conflictAt("made", "not empty"), conflictAt("mine", "changed since")];
    expect(await changes.undo("s", { after: 0 })).toMatchObject({ changed: ["made/one"], conflicts: left });
    expect(await changes.undo("s", { after: 0 })).toMatchObject({ changed: ["early"], conflicts: [] });
    expect(changes.changed("s")).toEqual(["made", "mine"]);
    expect(await changes.undo("s")).toMatchObject({ changed: [], conflicts: left });
    rmSync(join(root, "made/theirs"));
    writeFileSync(join(root, "mine"), "mine");
    expect(await changes.undo("s")).toMatchObject({ changed: ["made", "mine"], conflicts: [] });
    expect(picture(root)).toEqual(before);
    await expect(changes.undo("s")).rejects.toThrow("has changed nothing in this workspace that could be taken back");
    const redone = [];
    for (let time = 0; time < 3; time += 1) redone.push((await changes.redo("s")).changed);
    expect(redone).toEqual([["made", "mine"], ["early"], ["made/one"]]);
    await expect(changes.redo("s")).rejects.toThrow("Nothing of the session s was taken back");
    expect(changes.changed("s")).toEqual(["early", "made", "made/one", "mine"]);
  });

  test("are told from what others changed between two calls", async () => {
    const { root, changes, run } = place();
    await run("s", [command("printf 1 >> src/f6.txt"), command("printf 2 >> src/f6.txt; printf 3 > mine")], (reply) => {
      if (reply !== 2) return;
      appendFileSync(join(root, "src/f6.txt"), "theirs");
      writeFileSync(join(root, "docs/theirs.txt"), "theirs");
    });
    expect(await changes.undo("s")).toMatchObject({
      unseen: [],
      changed: ["mine"],
      conflicts: [conflictAt("src/f6.txt", "changed between")],
    });
    expect(readFileSync(join(root, "docs/theirs.txt"), "utf8")).toBe("theirs");
  });

  test("are not turned back by a plan that is another by now, and one path of them has a diff of its own", async () => {
    const { root, changes, run } = place();
    await run("s", [command("printf 'one\n' > one")]);
    const { plan } = await changes.undo("s", { dryRun: true });
    await run("s", [command("printf 'two\n' > two")]);
    await expect(changes.undo("s", { plan })).rejects.toThrow("are no longer what you looked at");
    expect(existsSync(join(root, "one"))).toBe(true);
    expect(changes.diff("s", { path: "two" })).toBe("--- /dev/null\n+++ b/two\n@@ -0,0 +1 @@\n+two");
    expect(changes.diff("s", { path: "three" })).toBe("");
    expect(changes.undone("s")).toEqual([]);
    await changes.undo("s", { after: 0 });
    expect(changes.undone("s")).toEqual(["two"]);
    await changes.redo("s");
    expect(changes.undone("s")).toEqual([]);
  });

  test("in a record that somebody wrote into lead to no path outside of the workspace", async () => {
    const outside = newFolder();
    const root = join(outside, "work");
    mkdirSync(root);
    const folder = newFolder();
    const { changes, run } = placeAt(root, folder);
    await run("s", [command("mkdir in; printf mine > in/one; printf mine > two")]);
    const [record = ""] = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
      (name) => name.endsWith(".jsonl") && name.includes("sessions"),
    );
    const written = readFileSync(join(folder, record), "utf8");
    writeFileSync(join(folder, record), written.replaceAll('"path":"two"', '"path":"../two"'));
    writeFileSync(join(outside, "two"), "mine", { mode: 0o644 });
    // The folder of the other path leads elsewhere by now, to a file of the same content.
    mkdirSync(join(outside, "in"));
    writeFileSync(join(outside, "in/one"), "mine", { mode: 0o644 });
    rmSync(join(root, "in"), { recursive: true });
    symlinkSync("../in", join(root, "in"));
    expect(await changes.undo("s")).toMatchObject({
      changed: [],
      conflicts: [
        conflictAt("../two", "not allowed"),
        conflictAt("in", "changed since"),
        conflictAt("in/one", "changed since"),
      ],
    });
    expect(readFileSync(join(outside, "two"), "utf8") + readFileSync(join(outside, "in/one"), "utf8")).toBe("minemine");
  });

  test("are at work as long as a run that has changed something is", async () => {
    const { root, changes, run } = place();
    const seen: boolean[] = [];
    await run("s", [command("printf 1 > one"), command("printf 2 > two")], async () => {
      seen.push(await changes.isAtWork("s"));
    });
    expect([...seen, await changes.isAtWork("s"), await changes.isAtWork("other")]).toEqual([
      false,
      true,
      true,
      false,
      false,
    ]);
    expect(existsSync(join(root, "two"))).toBe(true);
  });

  test("are shown as a diff, also after other work", async () => {
    const { root, changes, run } = place();
    await run("s", [
      command("printf 'one\\n' > new.txt; printf '\\000' > binary; chmod 755 src/f6.txt; rm docs/f3.txt"),
    ]);
    rmSync(join(root, "new.txt"));
    expect(changes.diff("s")).toBe(
      [
        "binary: nothing -> a file (mode 644, 6e340b9c)",
        "--- a/docs/f3.txt\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-line 3\n-end",
        "--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+one",
        "src/f6.txt: a file (mode 644, e5a2b530) -> a file (mode 755, e5a2b530)",
      ].join("\n"),
    );
    expect(changes.changed("s")).toEqual(["binary", "docs/f3.txt", "new.txt", "src/f6.txt"]);
  });

  test("are not taken back while the run is at work", async () => {
    const { root, changes, run } = place();
    await run("s", [command("printf 1 > x"), command("true")], async (reply) => {
      if (reply === 3) await expect(changes.undo("s")).rejects.toThrow("A run or an undo of the session s is at work");
    });
    expect(existsSync(join(root, "x"))).toBe(true);
  });

  test("of two sessions at once are told apart if they are edits, and named if they are commands", async () => {
    const { root, changes, run } = place();
    await Promise.all([
      run("a", [command("printf a > a; sleep 0.5; printf a >> a")]),
      run("b", [[call("write_file", { path: "b", content: "b" })], command("sleep 0.2; printf c > c")]),
    ]);
    const undone = await changes.undo("b");
    expect(undone.changed).toEqual(["b"]);
    expect(undone.conflicts).toContainEqual(conflictAt("c", "two at once"));
    expect(readFileSync(join(root, "a"), "utf8")).toBe("aa");
    expect(existsSync(join(root, "c"))).toBe(true);
  });

  test("include what a formatter does with an edited file, and what checks leave behind", async () => {
    const root = newFolder();
    const changes = workspaceChanges({ root, folder: newFolder() });
    writeFileSync(join(root, "a.txt"), "before");
    const agent = createAgent({
      model: scriptedModel([[call("write_file", { path: "a.txt", content: "written" })], [done]]),
      tools: [...changes.recorded(workspaceTools({ root })), taskCompletion()],
      hooks: [
        changes.hook,
        postEdit([{ files: "*.txt", command: "printf ' and formatted' >> {file}" }], { cwd: root }),
      ],
      checks: [check("printf x > report; test -e a.txt", { cwd: root })],
      permission: allowAll(),
    });
    const outcome = await agent.run("Do it.", { session: openSession({ store: memoryStore(), id: "s" }) });
    expect(outcome.status).toBe("completed");
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("written and formatted");
    expect(await changes.undo("s")).toMatchObject({ changed: ["a.txt", "report"], conflicts: [], unseen: [] });
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("before");
  });

  test("include the work of agents in tools, and of tools in the background", async () => {
    const root = newFolder();
    const changes = workspaceChanges({ root, folder: newFolder() });
    writeFileSync(join(root, "a"), "before");
    const tools = changes.recorded(workspaceTools({ root }));
    const settings = { permission: allowAll(), hooks: [changes.hook] };
    const helper = createAgent({
      ...settings,
      model: scriptedModel([
        [call("write_file", { path: "a", content: "by the helper" })],
        command("printf 1 > b"),
        [done],
      ]),
      tools: [...tools, taskCompletion()] as readonly Tool[],
    });
    const agent = createAgent({
      ...settings,
      model: scriptedModel([
        [call("help", { task: "Help." })],
        command("printf 2 >> b; printf 3 > c"),
        [call("later", {})],
        [call("background_result", { id: "bg-1", wait_seconds: 10 })],
        [done],
      ]),
      tools: [
        ...tools,
        ...changes.recorded([delegate(helper, { name: "help", description: "Helps" })]),
        ...inBackground(
          ...changes.recorded([
            tool({
              name: "later",
              description: "Writes later",
              input: { type: "object" },
              run: async () => {
                await sleep(50);
                writeFileSync(join(root, "d"), "late");
                return "written";
              },
            }),
          ]),
        ),
        taskCompletion(),
      ] as readonly Tool[],
    });
    const outcome = await agent.run("Do it.", { session: openSession({ store: memoryStore(), id: "s" }) });
    expect(outcome).toMatchObject({ status: "completed" });
    expect(readFileSync(join(root, "b"), "utf8")).toBe("12");
    expect(await changes.undo("s")).toMatchObject({ changed: ["a", "b", "c", "d"], conflicts: [], unseen: [] });
    expect(picture(root)).toEqual({ a: expect.stringMatching(/^file/) });
    expect(readFileSync(join(root, "a"), "utf8")).toBe("before");
  });

  test("are looked for once if a tool is recorded twice, and not at all behind a wall around the workspace", async () => {
    const root = newFolder();
    const folder = newFolder();
    const changes = workspaceChanges({ root, folder });
    const tools = changes.recorded(workspaceTools({ root }));
    changes.recorded(tools).forEach((one, index) => {
      expect(one).toBe(tools[index]);
    });
    const walled = tool({
      name: "walled",
      description: "Runs behind a wall",
      input: { type: "object" },
      effect: "execute",
      reach: () => ({ command: "true", walls: ["workspace"] }),
      run: () => "ran",
    });
    const agent = createAgent({
      model: scriptedModel([[call("walled", {})], [done]]),
      tools: [...changes.recorded([walled]), taskCompletion()],
      hooks: [changes.hook],
      permission: allowAll(),
    });
    await agent.run("Do it.", { session: openSession({ store: memoryStore(), id: "s" }) });
    expect(readdirSync(folder)).toEqual([]);
  });

  test("of a command are taken back beside a session whose process died long before", async () => {
    const root = newFolder();
    const folder = newFolder();
    await placeAt(root, folder).run("dead", [command("true")]);
    const place = join(folder, readdirSync(folder)[0]!, "sessions");
    const file = join(
      place,
      readdirSync(place).find((name) => name.endsWith(".jsonl"))!,
    );
    const [begun = ""] = readFileSync(file, "utf8").split("\n");
    appendFileSync(file, `${JSON.stringify({ ...(JSON.parse(begun) as object), call: "left" })}\n`);
    utimesSync(file, new Date(), new Date(Date.now() - 60_000));
    const { changes, run } = placeAt(root, folder);
    await run("s", [command("printf 1 > x")]);
    expect(await changes.undo("s")).toMatchObject({ changed: ["x"], conflicts: [] });
    // At work, it might have changed the path as well.
    await run("t", [command("printf 1 > x")]);
    utimesSync(file, new Date(), new Date());
    expect(await changes.undo("t")).toMatchObject({ changed: [], conflicts: [conflictAt("x", "two at once")] });
  });

  test("are finished by the next undo if one was stopped", async () => {
    const { root, changes, run } = place();
    const before = picture(root);
    await run("s", [command("printf 1 > x; printf 2 > y; rm -r docs")]);
    await expect(changes.undo("s", { signal: AbortSignal.abort(new Error("not now")) })).rejects.toThrow("not now");
    expect(picture(root)).not.toEqual(before);
    await expect(changes.undo("s")).rejects.toThrow("has changed nothing");
    expect(picture(root)).toEqual(before);
  });

  test("in sockets and in files over 64 MiB are not kept, which is said", async () => {
    const { root, changes, run } = place();
    const server = createServer().listen(join(root, "socket"));
    await once(server, "listening");
    writeFileSync(join(root, "large"), "");
    truncateSync(join(root, "large"), 64 * 2 ** 20 + 1);
    await run("s", [command("rm socket; printf 1 > large; printf 2 > x")]);
    server.close();
    expect(await changes.undo("s")).toMatchObject({
      changed: ["x"],
      conflicts: [conflictAt("large", "not kept"), conflictAt("socket", "not kept")],
    });
  });

  test("beside an edit of another session are told apart: the edit names its path", async () => {
    const root = newFolder();
    const folder = newFolder();
    // Two, as in two processes.
    const { changes, run } = placeAt(root, folder);
    const other = placeAt(root, folder);
    await Promise.all([
      run("a", [command("printf a > a; sleep 0.5; printf a >> a")]),
      other.run("b", [command("sleep 0.1"), [call("write_file", { path: "b", content: "b" })]]),
    ]);
    expect(await changes.undo("a")).toMatchObject({ changed: [], conflicts: [conflictAt("a", "two at once")] });
    await Promise.all([
      run("c", [command("printf c > c; sleep 0.5; printf c >> c")]),
      other.run(
        "d",
        [[call("write_file", { path: "d", content: "d" })], [call("write_file", { path: "e", content: "e" })]],
        () => sleep(100),
      ),
    ]);
    expect(await changes.undo("c")).toMatchObject({ changed: ["c"], conflicts: [] });
    expect(readFileSync(join(root, "d"), "utf8")).toBe("d");
  });

  test("of a process that died are not known if the tree that it saw is not whole", async () => {
    const root = newFolder();
    const folder = newFolder();
    fill(root, 12, randomFrom(1));
    await placeAt(root, folder).run("s", [command("printf 1 > x")]);
    const place = join(folder, readdirSync(folder)[0]!);
    const file = join(
      place,
      "sessions",
      readdirSync(join(place, "sessions")).find((name) => name.endsWith(".jsonl"))!,
    );
    const [begun = ""] = readFileSync(file, "utf8").split("\n");
    // A call that has begun and not ended, and a part of its tree.
    appendFileSync(file, `${JSON.stringify({ ...(JSON.parse(begun) as object), call: "left", tree: "left.jsonl" })}\n`);
    const tree = readFileSync(join(place, "trees/newest.jsonl"), "utf8").split("\n");
    writeFileSync(join(place, "trees/left.jsonl"), tree.slice(0, 5).join("\n"));
    const before = picture(root);
    const undone = await placeAt(root, folder).changes.undo("s");
    expect(undone).toMatchObject({ changed: ["x"], unseen: [{ tool: "run_command", iteration: 1 }] });
    expect(Object.keys(picture(root))).toEqual(Object.keys(before).filter((path) => path !== "x"));
  });

  test("whose content is lost or damaged are named", async () => {
    const root = newFolder();
    const folder = newFolder();
    const { changes, run } = placeAt(root, folder);
    for (const name of ["one", "two"]) writeFileSync(join(root, name), `${name} before`);
    await run("s", [command("printf after > one; printf after > two; printf new > three")]);
    const packs = join(folder, readdirSync(folder)[0]!, "packs");
    for (const name of readdirSync(packs).filter((one) => one.endsWith(".pack"))) {
      const bytes = readFileSync(join(packs, name), "latin1").replace("two before", "two behind");
      writeFileSync(join(packs, name), bytes, "latin1");
    }
    expect(await changes.undo("s")).toMatchObject({
      changed: ["one", "three"],
      conflicts: [conflictAt("two", "not kept")],
    });
  });

  test("by commands alone, none of them known, are no error", async () => {
    const root = newFolder();
    const { changes, run } = placeAt(root, newFolder(), { entries: 100, bytes: 10 });
    writeFileSync(join(root, "a"), "eleven byte");
    await run("s", [command("printf 1 > x")]);
    const unseen = [{ tool: "run_command", iteration: 1 }];
    expect(await changes.undo("s")).toMatchObject({ changed: [], conflicts: [], unseen });
    await expect(changes.redo("s")).rejects.toThrow("was taken back");
  });

  test("by commands in a workspace with too many files are not known, which is said; edits are", async () => {
    const root = newFolder();
    fill(root, 30, randomFrom(1));
    const { changes, run } = placeAt(root, newFolder(), { entries: 20, bytes: 1_000_000 });
    await run("s", [
      command("printf 1 > x"),
      [call("write_file", { path: "y", content: "2" })],
      command("printf 3 > z"),
    ]);
    expect(await changes.undo("s")).toMatchObject({
      changed: ["y"],
      conflicts: [],
      unseen: [1, 3].map((iteration) => ({ tool: "run_command", iteration })),
    });
    expect(readFileSync(join(root, "x"), "utf8")).toBe("1");
  });

  test("in files of secrets are not kept, which is said", async () => {
    const { root, changes, run } = place();
    writeFileSync(join(root, ".env"), "KEY=planted-secret-1");
    await run("s", [command("printf 'KEY=planted-secret-2' > .env; printf 1 > x")]);
    expect(await changes.undo("s")).toMatchObject({
      unseen: [],
      changed: ["x"],
      conflicts: [conflictAt(".env", "not kept")],
    });
  });
});

test.skipIf(leftOut !== "")(
  `what sessions have changed is forgotten, with the contents that nobody else needs${leftOut}`,
  async () => {
    const root = newFolder();
    const folder = newFolder();
    const { changes, run } = placeAt(root, folder);
    writeFileSync(join(root, "text"), "before a");
    await run("a", [command("printf 'after a' > text")]);
    await run("b", [command("printf 'after b' > text")]);
    const [place = ""] = readdirSync(folder);
    const packs = (): readonly string[] => readdirSync(join(folder, place, "packs"));
    const age = (): void => {
      for (const below of ["packs", "trees"])
        for (const name of readdirSync(join(folder, place, below))) utimesSync(join(folder, place, below, name), 1, 1);
    };
    const before = packs().length;
    forgetChanges(folder, ["a"]);
    expect(packs()).toHaveLength(before);
    expect(changes.changed("a")).toEqual([]);
    age();
    forgetChanges(folder, ["nobody"]);
    await expect(changes.undo("b")).resolves.toMatchObject({ changed: ["text"], conflicts: [] });
    expect(readFileSync(join(root, "text"), "utf8")).toBe("after a");
    age();
    forgetChanges(folder, ["b"]);
    expect(readdirSync(folder)).toEqual([]);
    // A process that knew the contents keeps them again.
    await run("c", [command("printf 'before a' > text")]);
    await changes.undo("c");
    expect(readFileSync(join(root, "text"), "utf8")).toBe("after a");
  },
);

test("the tools of a local source are recorded as commands are, though they say that they use the network", async () => {
  const root = newFolder();
  const changes = workspaceChanges({ root, folder: newFolder() });
  const reads = tool({ name: "reads", description: "Reads", input: z.object({}), effect: "read", run: () => "read" });
  const writes = tool({
    name: "writes",
    description: "Writes",
    input: z.object({}),
    effect: "network",
    run: () => {
      writeFileSync(join(root, "made"), "by the server");
      return "written";
    },
  });
  const source = changes.recordedSource({ tools: [reads, writes] });
  // A source is read before each iteration, and its tools stay the same.
  expect(source.tools[1]).toBe(source.tools[1]);
  expect(source.tools[0]).toBe(reads);
  const agent = createAgent({
    model: scriptedModel([[call("writes", {})], [done]]),
    tools: [taskCompletion()],
    toolSources: [source],
    hooks: [changes.hook],
    permission: allowAll(),
  });
  await agent.run("Do it.", { session: openSession({ store: memoryStore(), id: "s" }) });
  expect(changes.changed("s")).toEqual(["made"]);
  await changes.undo("s");
  expect(existsSync(join(root, "made"))).toBe(false);
});
