// Tools of the client over AG-UI: the page carries a call out, and its result goes on with the run.

import { describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { tool, type Model } from "../../../src/index.js";
import { memoryStore, openSession } from "../../../src/memory/index.js";
import { call, scriptedModel, type Script } from "../../../src/testing/index.js";
import { ask } from "../client.js";
import { done, served, write, type Served } from "./agui-client.js";
import { Page, showMap } from "./agui-page.js";

async function textsFor(server: Served): Promise<readonly string[]> {
  const { records } = await openSession({ store: server.store, id: "t" }).toJSON();
  return records.flatMap((record) => (record.type === "result" ? [record.result.text] : []));
}

describe("a call of a tool of the client", () => {
  const one: Script = [{ text: "Look:", calls: [call("show_map", { city: "Graz" })] }, done];

  test("ends the run, and its result goes on with it", async () => {
    const server = await served(one);
    const page = await new Page(server).say("u1", "where?");
    expect(page.end).toMatchObject({ type: "RUN_FINISHED", outcome: { type: "success" } });
    expect(page.types()).not.toContain("TOOL_CALL_RESULT");
    await page.expectReplay();
    await page.carryOut().run();
    expect(page.end).toMatchObject({ outcome: { type: "success" }, result: { by: "task_completion" } });
    expect(page.carriedOut).toEqual(['show_map {"city":"Graz"}']);
    expect(page.types()).not.toContain("MESSAGES_SNAPSHOT");
    expect(page.messages.map(({ role, content }) => [role, content])).toEqual([
      ["user", "where?"],
      ["assistant", "Look:"],
      ["tool", "show_map is done"],
      ["assistant", "Done."],
    ]);
    await page.expectReplay();
    expect(await textsFor(server)).toEqual(["show_map is done"]);
  });

  test("goes on in the server that came after the one that asked", async () => {
    const store = memoryStore();
    const first = await served(one, { store });
    const page = await new Page(first).say("u1", "where?");
    await first.close();
    const second = await served([done], { store });
    const later = new Page(second);
    later.agent.setMessages([...page.messages]);
    await later.carryOut().run();
    expect(later.end).toMatchObject({ result: { by: "task_completion" } });
    await later.expectReplay();
  });

  test("counts once, however often its result is posted", async () => {
    const server = await served(one);
    const page = await new Page(server).say("u1", "where?");
    await page.carryOut().run();
    const again = new Page(server);
    again.agent.setMessages(page.messages.slice(0, 3));
    await again.run();
    expect(again.end).toMatchObject({ result: { by: "task_completion" } });
    await again.expectReplay();
    expect(await textsFor(server)).toEqual(["show_map is done"]);
  });

  test("is not carried out if the user speaks in its place, and a late result changes nothing", async () => {
    const server = await served(({ lastText }) => (lastText === "where?" ? one[0]! : done));
    const page = await new Page(server).say("u1", "where?");
    const before = [...page.messages];
    // The client writes the refusal of the late result to the console, too.
    const refusals = vi.spyOn(console, "error").mockReturnValue(undefined);
    onTestFinished(() => {
      refusals.mockRestore();
    });
    await page.say("u2", "never mind");
    expect(page.messages.map(({ content }) => content)).toEqual([
      "where?",
      "Look:",
      expect.stringMatching(/has not carried it out/),
      "never mind",
      "Done.",
    ]);
    await page.expectReplay();
    const late = new Page(server);
    late.agent.setMessages(before);
    await expect(late.carryOut().run()).rejects.toThrow(/409.*gone on without this result/s);
    expect(await textsFor(server)).toEqual([expect.stringMatching(/has not carried it out/)]);
  });

  test("that has arguments which do not fit is the model's mistake, and the page sees none", async () => {
    const server = await served([[call("show_map", { town: 1 })], [call("show_map", { city: "Graz" })], done]);
    const page = await new Page(server).say("u1", "where?");
    expect(page.open().map(({ text }) => text)).toEqual(['{"city":"Graz"}']);
    await page.carryOut().run();
    expect(page.end).toMatchObject({ result: { by: "task_completion" } });
  });
});

describe("several calls of one reply", () => {
  const both: Script = [[call("show_map", { city: "Graz" }), call("get_selection")], done];

  test("are answered in one post", async () => {
    const server = await served(both);
    const page = await new Page(server).say("u1", "go");
    await page.carryOut().run();
    expect(page.end).toMatchObject({ result: { by: "task_completion" } });
    expect(await textsFor(server)).toEqual(["show_map is done", "get_selection is done"]);
    await page.expectReplay();
  });

  test("are answered in two posts", async () => {
    const server = await served(both);
    const page = await new Page(server).say("u1", "go");
    await page.carryOut(1).run();
    expect(page.end).toMatchObject({ outcome: { type: "success" } });
    expect(page.open()).toHaveLength(1);
    await page.carryOut().run();
    expect(page.end).toMatchObject({ result: { by: "task_completion" } });
    await page.expectReplay();
  });

  test("wait beside a call that needs an approval, in either order", async () => {
    for (const calls of [
      [call("show_map", { city: "Graz" }), call("write")],
      [call("write"), call("show_map", { city: "Graz" })],
    ]) {
      const server = await served([calls, done], {
        tools: [write],
        permission: () => ({ later: true, reason: "it writes" }),
      });
      const page = await new Page(server).say("u1", "go");
      for (let times = 0; times < 3 && page.end["result"] === undefined; times += 1) {
        page.carryOut();
        if (page.agent.pendingInterrupts.length > 0) await page.resume({ approved: true });
        else await page.run();
      }
      expect(page.end).toMatchObject({ result: { by: "task_completion" } });
      expect([...(await textsFor(server))].sort()).toEqual(["show_map is done", "wrote"]);
      await page.expectReplay();
    }
  });

  test("run beside the agent's own", async () => {
    const own = tool({
      name: "own",
      description: "Own",
      effect: "none",
      input: z.object({}),
      run: () => "own is done",
    });
    const server = await served([[call("own"), call("get_selection")], done], { tools: [own] });
    const page = await new Page(server).say("u1", "go");
    await page.carryOut().run();
    expect(await textsFor(server)).toEqual(["own is done", "get_selection is done"]);
    await page.expectReplay();
  });
});

describe("the tools of a page", () => {
  test("hold as long as the page sends them, and the model is sent no others", async () => {
    const seen: (readonly string[])[] = [];
    const model = scriptedModel(() => done);
    const respond: Model["respond"] = (request, signal) => {
      seen.push(request.tools.map(({ name }) => name));
      return model.respond(request, signal);
    };
    const server = await served({ ...model, respond });
    const page = await new Page(server).say("u1", "one");
    page.tools = [showMap];
    await page.say("u2", "two");
    await (await server.host.give({ session: "t", input: "three" })).ended();
    page.tools = [];
    await page.say("u4", "four");
    const own = ["ask_question", "task_completion"];
    const first = ["ask_question", "get_selection", "show_map", "task_completion"];
    expect(seen).toEqual([
      first,
      ["ask_question", "show_map", "task_completion"],
      ["ask_question", "show_map", "task_completion"],
      own,
    ]);
  });

  test("that have the name of a tool of the agent are refused, and nothing is kept", async () => {
    const server = await served([done]);
    const body = (given: readonly unknown[]) => ({
      threadId: "t",
      runId: "r",
      messages: [{ id: "u1", role: "user", content: "go" }],
      tools: given,
    });
    expect(await ask(server.url, "/agui", body([{ ...showMap, name: "task_completion" }]))).toMatchObject({
      status: 409,
      body: { error: expect.stringMatching(/tool "task_completion", and the agent has a tool of that name/) },
    });
    expect(await ask(server.url, "/agui", body([showMap, showMap]))).toMatchObject({ status: 409 });
    for (const wrong of [
      [{ ...showMap, name: "a b" }],
      [{ name: "x", parameters: 7 }],
      [7],
      [{ description: "no name" }],
    ])
      expect(await ask(server.url, "/agui", body(wrong))).toMatchObject({ status: 400 });
    expect(await server.store.list()).toEqual([]);
  });
});
