import { spawnSync } from "node:child_process";
import { mkdir, readdir, readFile, rename, rm, stat, symlink, truncate, utimes, writeFile } from "node:fs/promises";
import fs, { closeSync, openSync, statSync, writeSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fileStore, stale } from "../../../src/memory/index.js";
import { newHolder, taken } from "../../../src/testing/conformance/store-place.js";
import { temporaryFolder } from "../store-places.js";
import { built } from "../../dist.js";
import { without } from "../../programs.js";

test("a session is a folder to look into: lines, messages, and a lock that names its holder", async () => {
  await using folder = await temporaryFolder();
  const root = join(folder.path, "deep/sessions");
  const store = fileStore(root);
  expect(store.name).toBe(`files in ${root}`);
  const holder = newHolder();
  const lock = await taken(store, "a", holder);
  await lock.append(['{"seq":0}'], true);
  await store.send("a", { id: "m1", text: "hello" });
  expect((await readdir(join(root, "a"))).sort()).toEqual(["inbox", "journal.jsonl", "lock"]);
  expect(await readFile(join(root, "a/journal.jsonl"), "utf8")).toBe('{"seq":0}\n');
  expect(await readdir(join(root, "a/lock"))).toEqual([`${String(process.pid)}@${holder.host}@${holder.id}`]);
  const [message] = await readdir(join(root, "a/inbox"));
  expect(message).toMatch(/^000000000001-[0-9a-f]{32}\.json$/);
  expect(await readFile(join(root, "a/inbox", message!), "utf8")).toBe('{"id":"m1","text":"hello"}');
  await lock.release();
  expect(await readdir(join(root, "a/lock"))).toEqual(["free"]);
});

const noModes = process.platform === "win32" ? " (left out: Windows has no such modes)" : "";
test.skipIf(noModes)(`nothing of a session can be read by other users${noModes}`, async () => {
  await using folder = await temporaryFolder();
  const root = join(folder.path, "sessions");
  const store = fileStore(root);
  await (await taken(store, "a")).append(["one"], true);
  await store.send("a", { id: "m1", text: "hello" });
  const names = ["", ...(await readdir(root, { recursive: true }))];
  expect(names.length).toBe(7);
  for (const name of names) expect((await stat(join(root, name))).mode & 0o077, name).toBe(0);
});

test("a lock that somebody deleted is lost, and can be taken anew", async () => {
  await using folder = await temporaryFolder();
  const store = fileStore(folder.path);
  for (const name of ["lock", "."]) {
    const lock = await taken(store, "a");
    await lock.append(["one"], true);
    await rm(join(folder.path, "a", name), { recursive: true });
    await expect(lock.append(["two"], true)).rejects.toMatchObject({ code: "store" });
    expect(await lock.renew()).toBe(false);
    await lock.release();
    const next = await taken(store, "a");
    await next.append(["three"], true);
    await next.release();
  }
  expect(await store.read("a")).toEqual(["three"]);
});

test("a lock folder with nothing in it that is a lock is made anew or told of", async () => {
  await using folder = await temporaryFolder();
  const store = fileStore(folder.path);
  await mkdir(join(folder.path, "a/lock"), { recursive: true });
  await (await taken(store, "a")).release();
  await writeFile(join(folder.path, "a/lock/.DS_Store"), "");
  await (await taken(store, "a")).release();
  await rm(join(folder.path, "a/lock/free"));
  await expect(store.lock("a", newHolder())).rejects.toMatchObject({
    code: "store",
    message: expect.stringContaining("Delete that folder"),
  });
});

test("a lock that a killed process was just making is cleared away by whoever makes the next", async () => {
  await using folder = await temporaryFolder();
  const store = fileStore(folder.path);
  await mkdir(join(folder.path, "a/.lock-left"), { recursive: true });
  await writeFile(join(folder.path, "a/.lock-left/free"), "");
  const lock = await taken(store, "a");
  expect(await readdir(join(folder.path, "a"))).toEqual(["lock"]);
  await lock.release();
});

test("what a killed deletion left goes with the next one, and is in no list", async () => {
  await using folder = await temporaryFolder();
  const store = fileStore(folder.path);
  for (const id of ["a", "b"]) {
    const lock = await taken(store, id);
    await lock.append(["one"], true);
    await lock.release();
  }
  await rename(join(folder.path, "a"), join(folder.path, ".gone-a"));
  expect((await store.list()).map(({ id }) => id)).toEqual(["b"]);
  await store.delete("b");
  expect(await readdir(folder.path)).toEqual([]);
});

test("what is no session is in no list", async () => {
  await using folder = await temporaryFolder();
  const store = fileStore(folder.path);
  await writeFile(join(folder.path, "notes.txt"), "");
  await mkdir(join(folder.path, "empty"));
  await mkdir(join(folder.path, ".hidden"));
  await writeFile(join(folder.path, ".hidden/journal.jsonl"), "one\n");
  expect(await store.list()).toEqual([]);
});

test("two processes that send the same message at the same time leave one, though it may lie there twice", async () => {
  await using folder = await temporaryFolder();
  const store = fileStore(folder.path);
  const message = { id: "m", text: "hello" };
  await Promise.all(Array.from({ length: 10 }, () => fileStore(folder.path).send("a", message)));
  expect(await store.messages("a")).toEqual([message]);
  await store.drop("a", ["m"]);
  expect(await store.messages("a")).toEqual([]);
  expect(await readdir(join(folder.path, "a/inbox"))).toEqual([]);
});

test("a message that was not written whole is told of as such, with its file", async () => {
  await using folder = await temporaryFolder();
  const store = fileStore(folder.path);
  await store.send("a", { id: "m", text: "hello" });
  const [name] = await readdir(join(folder.path, "a/inbox"));
  await writeFile(join(folder.path, "a/inbox", name!), '{"id":');
  await expect(store.messages("a")).rejects.toMatchObject({ code: "store", message: expect.stringContaining(name!) });
});

test("where a folder should be and a file is, the fault says so", async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, "file");
  await writeFile(file, "");
  const store = fileStore(file);
  const fault = { code: "store", message: expect.stringContaining(file) };
  await expect(store.lock("a", newHolder())).rejects.toMatchObject(fault);
  await expect(store.list()).rejects.toMatchObject(fault);
  await expect(store.read("a")).rejects.toMatchObject(fault);
  await expect(store.send("a", { id: "m", text: "" })).rejects.toMatchObject(fault);
  await expect(store.messages("a")).rejects.toMatchObject(fault);
  await expect(store.delete("a")).rejects.toMatchObject(fault);
});

test("a full disk is told of, and what can't be taken back is not appended to", async () => {
  await using folder = await temporaryFolder();
  const lock = await taken(fileStore(folder.path), "a");
  await lock.append(["one"], true);
  const { writeSync, ftruncateSync } = fs;
  const fail = (code: string) => () => {
    throw Object.assign(new Error(`${code}: it failed`), { code });
  };
  const change = (to: object): void => {
    Object.assign(fs, to);
    syncBuiltinESMExports();
  };
  try {
    change({ writeSync: fail("ENOSPC"), ftruncateSync: fail("EIO") });
    await expect(lock.append(["two"], true)).rejects.toMatchObject({
      code: "store",
      message: expect.stringMatching(/journal\.jsonl: ENOSPC.*make room/),
    });
  } finally {
    change({ writeSync, ftruncateSync });
  }
  await expect(lock.append(["two"], true)).rejects.toMatchObject({
    message: expect.stringContaining("could not be taken back: ENOSPC"),
    cause: { code: "ENOSPC" },
  });
});

const asRoot = process.getuid?.() === 0 && process.platform === "linux";
const noMount = asRoot ? without("mount") : " (left out: only root on Linux mounts)";
test.skipIf(noMount)(
  `a read-only file system is called that, and not a folder that is gone${noMount}`,
  async (context) => {
    await using folder = await temporaryFolder();
    if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k,ro", "tmpfs", folder.path]).status !== 0) context.skip();
    try {
      await expect(fileStore(join(folder.path, "deep/sessions")).lock("a", newHolder())).rejects.toMatchObject({
        code: "store",
        message: expect.stringMatching(/EROFS.*read-only: mount it for writing/),
      });
    } finally {
      spawnSync("umount", [folder.path]);
    }
  },
);

test("an id that could not be a folder's name everywhere has a folder that it shares with no other", async () => {
  await using folder = await temporaryFolder();
  const store = fileStore(folder.path);
  const names = {
    "order-7": "order-7",
    "user@example.com": "+user=40example.com",
    "C1:U2": "+=431=3a=552",
    "..": "+.=2e",
    "../up": "+..=2fup",
    "a.": "a.",
  };
  for (const [id, name] of Object.entries(names)) {
    const lock = await taken(store, id);
    await lock.append(["one"], true);
    await lock.release();
    expect(await readdir(folder.path)).toContain(name);
  }
  const long = "ä".repeat(200);
  await store.send(long, { id: "m", text: "hello" });
  await (await taken(store, long)).append(["one"], true);
  const hashed = (await readdir(folder.path)).filter((name) => name.startsWith("++"));
  expect(hashed).toHaveLength(1);
  expect((await store.list()).map(({ id }) => id).sort()).toEqual([...Object.keys(names), long].sort());
});

test("the temporary file of a sender that was killed goes with a later message, and one that is being written stays", async () => {
  await using folder = await temporaryFolder();
  const store = fileStore(folder.path);
  await store.send("a", { id: "m", text: "hello" });
  const inbox = join(folder.path, "a/inbox");
  const [old, young] = [crypto.randomUUID(), crypto.randomUUID()].map((name) => `.${name}`);
  for (const name of [old!, young!]) await writeFile(join(inbox, name), "{");
  await utimes(join(inbox, old!), 1, 1);
  await store.send("a", { id: "n", text: "hello" });
  expect((await readdir(inbox)).filter((name) => name.startsWith("."))).toEqual([young]);
});

test("a lock that is a link is not followed", async () => {
  await using folder = await temporaryFolder();
  await mkdir(join(folder.path, "elsewhere"));
  await mkdir(join(folder.path, "a"));
  await symlink(join(folder.path, "elsewhere"), join(folder.path, "a/lock"), "dir");
  await expect(fileStore(folder.path).lock("a", newHolder())).rejects.toMatchObject({
    code: "store",
    message: expect.stringContaining("is a link, which is not followed"),
  });
  expect(await readdir(join(folder.path, "elsewhere"))).toEqual([]);
});

const noLimit = process.platform === "win32" ? " (left out: Windows has no ulimit)" : "";
test.skipIf(noLimit)(`a line that found room for its first half leaves nothing behind${noLimit}`, async () => {
  await using folder = await temporaryFolder();
  // The limit, of 16 blocks of half a KiB, is within the second line: the first write of it is short, the next one fails.
  const program = `
    import { fileStore } from "${built("memory")}";
    const store = fileStore(${JSON.stringify(folder.path)});
    const lock = await store.lock("a", { id: "h", host: "elsewhere", pid: 1 });
    await lock.append(["x".repeat(5000)], true);
    await lock.append(["y".repeat(5000)], true).catch((thrown) => console.log(thrown.code, thrown.message));
    await lock.append(["z"], true);`;
  const script = 'ulimit -f 16; exec "$0" --input-type=module -e "$1"';
  const { stdout, stderr } = spawnSync("sh", ["-c", script, process.execPath, program], { encoding: "utf8" });
  expect(stderr).toBe("");
  expect(stdout).toMatch(/^store .*EFBIG.*ulimit -f/);
  expect(await fileStore(folder.path).read("a")).toEqual(["x".repeat(5000), "z"]);
});

test("a write that comes after the lock was taken over reaches nobody: the next holder has another file", async () => {
  await using folder = await temporaryFolder();
  let ahead = 0;
  const store = fileStore(folder.path, () => Date.now() + ahead);
  const lock = await taken(store, "a");
  await lock.append(["one"], true);
  const file = join(folder.path, "a/journal.jsonl");
  const before = statSync(file);
  // The process is stopped between its last check of the lock and its write.
  const late = openSync(file, "a");
  ahead = stale + 1;
  const next = await taken(store, "a");
  writeSync(late, "late\n");
  closeSync(late);
  await next.append(["two"], true);
  expect(await store.read("a")).toEqual(["one", "two"]);
  const after = statSync(file);
  expect([after.ino === before.ino, after.mode]).toEqual([false, before.mode]);
  await expect(lock.append(["three"], true)).rejects.toMatchObject({ message: expect.stringContaining("taken over") });
  expect(await store.read("a")).toEqual(["one", "two"]);
  expect((await readdir(join(folder.path, "a"))).sort()).toEqual(["journal.jsonl", "lock"]);
});

test("taking a lock over changes neither the time of a session nor an empty log", async () => {
  await using folder = await temporaryFolder();
  let ahead = 0;
  const store = fileStore(folder.path, () => Date.now() + ahead);
  await (await taken(store, "a")).append(["one"], true);
  const [before] = await store.list();
  ahead = stale + 1;
  await taken(store, "a");
  expect(await store.list()).toEqual([before]);
  const file = join(folder.path, "a/journal.jsonl");
  await truncate(file);
  ahead += stale + 1;
  await expect(store.read("a")).rejects.toMatchObject({ message: expect.stringContaining("has emptied it") });
  await taken(store, "a");
  await expect(store.read("a")).rejects.toMatchObject({ message: expect.stringContaining("has emptied it") });
});

test("a log that an earlier holder has made and not written yet is no log of the next one", async () => {
  await using folder = await temporaryFolder();
  let ahead = 0;
  const store = fileStore(folder.path, () => Date.now() + ahead);
  await taken(store, "a");
  // The process is stopped after it has made the file, immediately before its first write.
  const late = openSync(join(folder.path, "a/journal.jsonl"), "a");
  ahead = stale + 1;
  const next = await taken(store, "a");
  writeSync(late, "late\n");
  closeSync(late);
  await next.append(["one"], true);
  expect(await store.read("a")).toEqual(["one"]);
});
