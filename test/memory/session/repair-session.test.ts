import { readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { createAgent } from "../../../src/index.js";
import { fileStore, memoryStore, openSession, repairSession } from "../../../src/memory/index.js";
import { call, scriptedModel } from "../../../src/testing/index.js";
import { taken } from "../../../src/testing/conformance/store-place.js";
import { askQuestion, taskCompletion } from "../../../src/tools/index.js";
import { temporaryFolder } from "../store-places.js";

const tools = [askQuestion(), taskCompletion()];
const asking = () => createAgent({ model: scriptedModel([[call("ask_question", { question: "Which?" })]]), tools });

test("a damaged journal is cut before its first damage, the damaged one is kept, and the session goes on", async () => {
  await using folder = await temporaryFolder();
  const store = fileStore(folder.path);
  await asking().run("Choose.", { session: openSession({ store, id: "C1:U2" }) });
  const file = store.place!("C1:U2");
  const lines = (await readFile(file, "utf8")).split("\n");
  const place = lines.findIndex((line) => line.startsWith('{"type":"claim"'));
  lines[place] = lines[place]!.replace("Which?", "What?");
  const hurt = lines.join("\n");
  await writeFile(file, hurt);
  await expect(openSession({ store, id: "C1:U2" }).lease()).rejects.toThrow("lastcall repair C1:U2");

  const planned = await repairSession({ store, id: "C1:U2" });
  expect(planned).toMatchObject({ problem: expect.stringContaining(`line ${String(place + 1)} of`), kept: place - 1 });
  expect(planned.dropped.map(({ type }) => type)).toEqual(["claim", "iteration", "outcome"]);
  expect(planned.copy).toBeUndefined();
  expect(await readFile(file, "utf8")).toBe(hurt);

  const { copy, ...repaired } = await repairSession({ store, id: "C1:U2", write: true });
  expect(repaired).toEqual(planned);
  expect(await readFile(copy!, "utf8")).toBe(hurt);
  expect(dirname(copy!)).toBe(dirname(file));
  const outcome = await asking().resume(openSession({ store, id: "C1:U2" }));
  expect(outcome.status).toBe("waiting");
  expect(await repairSession({ store, id: "C1:U2", write: true })).toMatchObject({ dropped: [] });
  expect((await readdir(join(dirname(file)))).filter((name) => name.includes("damaged"))).toHaveLength(1);
});

test("in a store without files, the damaged session is kept as a session of its own", async () => {
  const store = memoryStore();
  const lock = await taken(store, "s");
  for (const line of ["one", "two"]) await lock.append([line], true);
  await expect(repairSession({ store, id: "s", write: true })).rejects.toThrow("is being written");
  await lock.release();
  const { copy } = await repairSession({ store, id: "s", write: true });
  expect(copy).toMatch(/^the session damaged-[0-9a-f-]{36} \(memory\)$/);
  expect(await store.read(copy!.split(" ")[2]!)).toEqual(["one", "two"]);
  expect(await store.read("s")).toBeUndefined();
});

test("a session that is not there, and one of another id, are not repaired", async () => {
  await using folder = await temporaryFolder();
  const store = fileStore(folder.path);
  await expect(repairSession({ store, id: "s" })).rejects.toMatchObject({ code: "configuration" });
  await asking().run("Choose.", { session: openSession({ store, id: "s" }) });
  const text = await readFile(store.place!("s"), "utf8");
  const lock = await taken(store, "t");
  await lock.append(["x"], true);
  await lock.release();
  await writeFile(store.place!("t"), text);
  await expect(repairSession({ store, id: "t", write: true })).rejects.toThrow("holds another session, s");
  expect(await readFile(store.place!("t"), "utf8")).toBe(text);
});
