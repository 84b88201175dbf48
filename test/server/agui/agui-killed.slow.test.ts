// Tools of the page and kill -9: the process is killed between the call and the page's answer, or behind the answer, and another one goes on.

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { fileStore, openSession } from "../../../src/memory/index.js";
import { built } from "../../dist.js";
import { temporaryFolder } from "../../memory/store-places.js";
import { Page } from "./agui-page.js";

/** A server over the sessions of a folder. Its model answers what it reads, so that any process may go on. */
const program = `
import { createAgent, tool } from ${JSON.stringify(built())};
import { fileStore } from ${JSON.stringify(built("memory"))};
import { createHandler, serve } from ${JSON.stringify(built("server"))};
import { call, scriptedModel } from ${JSON.stringify(built("testing"))};
import { askQuestion, taskCompletion } from ${JSON.stringify(built("tools"))};
const [folder, pause] = [process.argv[1], Number(process.argv[2])];
const done = { text: "So it is.", pause, piece: 1, calls: [call("task_completion", { result: "Done." })] };
const model = scriptedModel(({ lastText }) =>
  lastText === "where?" ? { text: "Look:", calls: [call("show_map", { city: "Graz" })] }
  : lastText === "which?" ? [call("ask_question", { question: "Which?" })] : done);
const agent = createAgent({ model, tools: [askQuestion(), taskCompletion()] });
const server = await serve(createHandler({ agents: { agent }, store: fileStore(folder) }), { port: 0 });
console.log(String(server.url));
`;

const alive: ChildProcess[] = [];
afterEach(() => {
  for (const child of alive.splice(0)) child.kill("SIGKILL");
});

interface Running {
  readonly url: string;
  readonly kill: () => Promise<void>;
}

/** Starts a process. `pause` is the milliseconds between two characters of its last reply. */
async function start(folder: string, pause = 0): Promise<Running> {
  const child = spawn(process.execPath, ["--input-type=module", "-e", program, folder, String(pause)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  alive.push(child);
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  return { url: line.toString().trim(), kill };
}

async function recordsOf(folder: string, id: string) {
  return (await openSession({ store: fileStore(folder), id }).toJSON()).records;
}

describe.each([1, 2, 3])("a call of the page, round %i:", () => {
  test("its process is killed before the answer, and the next one goes on with it", async () => {
    await using folder = await temporaryFolder();
    const first = await start(folder.path);
    const page = new Page({ url: first.url, store: fileStore(folder.path) });
    await page.say("u1", "where?");
    expect(page.open()).toHaveLength(1);
    await first.kill();
    const second = await start(folder.path);
    const later = new Page({ url: second.url, store: fileStore(folder.path) });
    later.agent.setMessages([...page.messages]);
    await later.carryOut().run();
    expect(later.end).toMatchObject({ result: { by: "task_completion" } });
    await later.expectReplay();
    const records = await recordsOf(folder.path, "t");
    expect(records.flatMap((one) => (one.type === "result" ? [one.result.text] : []))).toEqual(["show_map is done"]);
  });

  test("its process is killed behind the answer, and the answer that is posted again counts once", async () => {
    await using folder = await temporaryFolder();
    const first = await start(folder.path, 200);
    const store = fileStore(folder.path);
    const page = await new Page({ url: first.url, store }).say("u1", "where?");
    const { messages, tools } = page.carryOut();
    const body = JSON.stringify({ threadId: "t", runId: "r2", state: {}, context: [], messages, tools });
    const headers = { "content-type": "application/json" };
    const answered = fetch(new URL("/agui", first.url), { method: "POST", headers, body }).then((one) => one.text());
    answered.catch(() => undefined);
    while (!(await recordsOf(folder.path, "t")).some(({ type }) => type === "result")) await sleep(10);
    await first.kill();
    await expect(answered).rejects.toThrow(/terminated|fetch failed/);
    const second = await start(folder.path);
    const later = new Page({ url: second.url, store });
    later.agent.setMessages([...messages]);
    await later.run();
    expect(later.end).toMatchObject({ result: { by: "task_completion" } });
    await later.expectReplay();
    const records = await recordsOf(folder.path, "t");
    expect(records.flatMap((one) => (one.type === "result" ? [one.result.text] : []))).toEqual(["show_map is done"]);
    expect(records.filter(({ type }) => type === "outcome")).toHaveLength(2);
  });

  test("over useChat its process is killed before the output, and the next one goes on with it", async () => {
    await using folder = await temporaryFolder();
    const send = async ({ url }: Running, message: object): Promise<string> => {
      const headers = { "content-type": "application/json" };
      const body = JSON.stringify({ id: "c", messages: [message] });
      return (await fetch(new URL("/chat", url), { method: "POST", headers, body })).text();
    };
    const first = await start(folder.path);
    await send(first, { id: "m1", role: "user", parts: [{ type: "text", text: "which?" }] });
    await first.kill();
    const second = await start(folder.path);
    const { messages } = (await (await fetch(new URL("/chat/c/messages", second.url))).json()) as {
      readonly messages: readonly { readonly parts: readonly { readonly type: string }[] }[];
    };
    const asked = messages.at(-1)!;
    const part = asked.parts.findLast(({ type }) => type === "dynamic-tool")!;
    const answer = { ...asked, parts: [{ ...part, state: "output-available", output: "this" }] };
    expect(await send(second, answer)).toContain('"status":"completed"');
    expect(await send(second, answer)).not.toContain('"errorText"');
    const records = await recordsOf(folder.path, "c");
    expect(records.filter(({ type }) => type === "outcome")).toHaveLength(2);
  });
});
