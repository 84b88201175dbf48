// Ask and answer: a question and its answer in processes of their own, also where one of them is killed.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fileStore, openSession } from "../../src/memory/index.js";
import { assertWellFormed, call, scriptedProvider } from "../../src/testing/index.js";
import { printed, projectWith, type Project } from "./example.js";

const question = [call("ask_question", { question: "For how many, and when?" })];
const booking = [call("book_table", { people: 2, time: "20:00" })];
const done = [call("task_completion", { result: "A table for two is booked for 20:00." })];

async function bookingsOf({ path }: Project): Promise<readonly (readonly [string, unknown])[]> {
  const bookings = JSON.parse(await readFile(join(path, "bookings.json"), "utf8")) as Readonly<Record<string, unknown>>;
  return Object.entries(bookings);
}

async function expectWhole({ path }: Project): Promise<void> {
  const session = openSession({ store: fileStore(join(path, "sessions")), id: "table" });
  assertWellFormed((await session.toJSON()).records);
}

test("one process asks, another one answers, and they print what the page says", async () => {
  await using project = await projectWith("ask-and-answer");
  await using asking = await scriptedProvider([question]);
  const asked = await project.run(["ask", "Book a table at the Lion."], asking);
  expect(asked).toMatchObject({ code: 0, stderr: "" });
  await using answering = await scriptedProvider([booking, done]);
  const answered = await project.run(["answer", "for two, at eight"], answering);
  expect(answered).toMatchObject({ code: 0, stderr: "" });
  expect([asked.stdout, answered.stdout]).toEqual(printed("ask-and-answer").slice(0, 2));
  const told = answering.requests[0]?.body.messages.slice(1).map(({ role, content }) => [role, content]);
  expect(told).toEqual([
    ["user", "Book a table at the Lion."],
    ["assistant", null],
    ["tool", "for two, at eight"],
  ]);
  expect(await bookingsOf(project)).toEqual([[expect.any(String), { people: 2, time: "20:00" }]]);
  await expectWhole(project);
});

test("where the second is killed while it books, a third goes on, and there is one booking", async () => {
  await using project = await projectWith("ask-and-answer");
  await using provider = await scriptedProvider([question, booking, done]);
  await project.run(["ask", "Book a table at the Lion."], provider);
  const killed = project.start(["answer", "for two, at eight"], provider);
  await killed.seen("Sent.");
  killed.child.kill("SIGKILL");
  expect((await killed.ended).signal).toBe("SIGKILL");
  const sent = await bookingsOf(project);
  const resumed = await project.run(["resume"], provider);
  expect(resumed).toMatchObject({ code: 0, stderr: "", stdout: printed("ask-and-answer")[2] });
  expect(provider.requests).toHaveLength(3);
  expect(provider.requests[2]?.body.messages.at(-1)).toMatchObject({ role: "tool", content: "confirmed" });
  expect(await bookingsOf(project)).toEqual(sent);
  await expectWhole(project);
});

test("an answer that is given twice is taken once", async () => {
  await using project = await projectWith("ask-and-answer");
  await using provider = await scriptedProvider([question, booking, done]);
  const early = await project.run(["answer", "for two, at eight"], provider);
  expect(early).toMatchObject({ code: 1, stderr: "No question is open.\n" });
  await project.run(["ask", "Book a table at the Lion."], provider);
  const twice = ["for two, at eight", "for three, at nine"].map((words) => project.run(["answer", words], provider));
  for (const { code, stdout, stderr } of await Promise.all(twice)) {
    if (code === 0) expect(stdout).toContain("A table for two is booked for 20:00.");
    else expect(stderr).toBe("No question is open.\n");
  }
  expect(await bookingsOf(project)).toHaveLength(1);
  const late = await project.run(["answer", "for four, at ten"], provider);
  expect(late).toMatchObject({ code: 1, stderr: "No question is open.\n" });
  expect(provider.unsaid).toBe(0);
  await expectWhole(project);
});

test("there is nothing to resume before the task or while an answer is awaited; after the end it is the outcome", async () => {
  await using project = await projectWith("ask-and-answer");
  await using provider = await scriptedProvider([question, done]);
  expect(await project.run(["resume"], provider)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("has no run yet"),
  });
  await project.run(["ask", "Book a table at the Lion."], provider);
  expect(await project.run(["resume"], provider)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("waits for an answer"),
  });
  await project.run(["answer", "for two, at eight"], provider);
  expect(await project.run(["resume"], provider)).toMatchObject({
    code: 0,
    stdout: "A table for two is booked for 20:00.\n",
  });
  expect(provider.unsaid).toBe(0);
});
