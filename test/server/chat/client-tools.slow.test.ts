// Tools of the page over useChat: the page carries their calls out, once, and its outputs are the results.

import { describe, expect, test } from "vitest";
import type { Model } from "../../../src/index.js";
import { memoryStore, openSession, type Store } from "../../../src/memory/index.js";
import { call, scriptedModel, type Script } from "../../../src/testing/index.js";
import { Page as AguiPage } from "../agui/agui-page.js";
import { openPage, plain, until, versions, type Page, type PageOptions, type Version } from "./page.js";
import { callsOf, chunksOf, done, expectSame, messagesOf, partsOf, post, serving, textsOf } from "./served.js";

const tools = {
  show_map: {
    description: "Shows a map",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
  get_selection: { description: "The selected text" },
};

const map = call("show_map", { city: "Graz" });
const one: Script = [{ text: "Look:", calls: [map] }, done];

/** A page with tools, and the calls that it carried out. An output of undefined is not given. */
function pageWithTools(
  version: Version,
  options: PageOptions,
  outputOf: (tool: string) => unknown = (tool) => `${tool} is done`,
): { readonly page: Page; readonly carriedOut: readonly string[] } {
  const carriedOut: string[] = [];
  const page = openPage(version, {
    ...options,
    tools,
    onToolCall({ toolCall: { toolName: tool, toolCallId, input } }) {
      if (!(tool in tools)) return;
      carriedOut.push(`${tool} ${JSON.stringify(input)}`);
      const output = outputOf(tool);
      if (output !== undefined) void page.addToolOutput({ tool, toolCallId, output });
    },
  });
  return { page, carriedOut };
}

async function resultsIn(store: Store): Promise<readonly string[]> {
  const { records } = await openSession({ store, id: "c" }).toJSON();
  return records.flatMap((record) => (record.type === "result" ? [record.result.text] : []));
}

const isOver = (page: Page) => (): boolean =>
  textsOf(page).at(-1)?.includes("All is well.") === true && page.status === "ready";

describe.each(versions)("a page of version %i", (version) => {
  test("carries a call out once its arguments are known to fit, and the run goes on with the output", async () => {
    const served = await serving([[call("show_map", { town: 1 })], ...(one as object[])] as Script, { version });
    const { page, carriedOut } = pageWithTools(version, served);
    await page.sendMessage({ text: "where?" });
    await until(isOver(page), "the end");
    expect(page.error).toBeUndefined();
    expect(carriedOut).toEqual(['show_map {"city":"Graz"}']);
    expect(callsOf(page).at(-1)).toMatchObject({ state: "output-available", output: "show_map is done" });
    expect(partsOf(page).map(({ type }) => type)).not.toContain("data-question");
    expect((await resultsIn(served.store)).at(-1)).toBe("show_map is done");
    await expectSame(page, served, version);
  });

  test("carries the calls of one reply out together", async () => {
    const served = await serving([[map, call("get_selection")], done], { version });
    const { page, carriedOut } = pageWithTools(version, served);
    await page.sendMessage({ text: "go" });
    await until(isOver(page), "the end");
    expect(carriedOut).toEqual(['show_map {"city":"Graz"}', "get_selection {}"]);
    expect(await resultsIn(served.store)).toEqual(["show_map is done", "get_selection is done"]);
    await expectSame(page, served, version);
  });

  test.each<readonly [unknown, string]>([
    [7, "7"],
    [false, "false"],
    [["a", 1], '["a",1]'],
    [{ allowed: true, digest: "x" }, '{"allowed":true,"digest":"x"}'],
    ["", "It was carried out, and there is nothing to say about it."],
    [null, "null"],
  ])("gives %j as an output, which the model gets as a text", async (output, text) => {
    const served = await serving(one, { version });
    const { page } = pageWithTools(version, served, () => output);
    await page.sendMessage({ text: "where?" });
    await until(isOver(page), "the end");
    expect(await resultsIn(served.store)).toEqual([text]);
    await expectSame(page, served, version);
  });

  test("fails at a call, and the model is told why", async () => {
    const served = await serving(one, { version });
    const { page } = pageWithTools(version, served, () => undefined);
    await page.sendMessage({ text: "where?" });
    const toolCallId = String(callsOf(page)[0]!["toolCallId"]);
    await page.addToolOutput({ tool: "show_map", toolCallId, state: "output-error", errorText: "There is no map." });
    await until(isOver(page), "the end");
    expect(await resultsIn(served.store)).toEqual(["There is no map."]);
  });

  test("gives no output, and its user speaks: the call has failed, and a late output changes nothing", async () => {
    const script: Script = ({ lastText }) => (lastText === "where?" ? [map] : done);
    const served = await serving(script, { version });
    const { page } = pageWithTools(version, served, () => undefined);
    await page.sendMessage({ text: "where?" });
    const asked = plain(page.messages)[1]!;
    await page.sendMessage({ text: "never mind" });
    expect(textsOf(page)).toEqual(["where?", "", "never mind", "All is well."]);
    const part = {
      ...asked.parts.find(({ type }) => type === "dynamic-tool")!,
      state: "output-available",
      output: "late",
    };
    expect((await post(served.url, { id: "c", messages: [{ ...asked, parts: [part] }] })).status).toBe(409);
    expect(await resultsIn(served.store)).toEqual([expect.stringMatching(/has not carried it out/)]);
  });

  test("that reads its message again carries no call out a second time, and one that still waits", async () => {
    const model = scriptedModel([[map], [call("get_selection")], done]);
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => (open = resolve));
    const respond: Model["respond"] = async function* (request, signal) {
      if (request.messages.filter(({ role }) => role === "assistant").length === 2) await opened;
      return yield* model.respond(request, signal);
    };
    const served = await serving([], { version, agent: { model: { ...model, respond } } });
    const first = pageWithTools(version, served, (tool) => (tool === "show_map" ? "shown" : undefined));
    await first.page.sendMessage({ text: "go" });
    await until(() => first.carriedOut.length === 2 && first.page.status === "ready", "the second call");
    const toolCallId = String(callsOf(first.page)[1]!["toolCallId"]);
    const answered = first.page.addToolOutput({ tool: "get_selection", toolCallId, output: "selected" });
    await until(() => first.page.status !== "ready", "the next request");
    const again = pageWithTools(version, { ...served, messages: (await messagesOf(served.url)).slice(0, 1) });
    const reading = again.page.resumeStream();
    await until(() => callsOf(again.page).length === 2, "the calls so far");
    open();
    await Promise.all([reading, answered]);
    await until(isOver(first.page), "the end");
    expect(isOver(again.page)()).toBe(true);
    expect(again.carriedOut).toEqual([]);
    await expectSame(again.page, served, version);
  });

  test("has its tools until a request brings others", async () => {
    const seen: (readonly string[])[] = [];
    const model = scriptedModel(() => done);
    const respond: Model["respond"] = (request, signal) => {
      seen.push(request.tools.map(({ name }) => name).filter((name) => name in tools));
      return model.respond(request, signal);
    };
    const { url } = await serving([], { version, agent: { model: { ...model, respond } } });
    const say = async (id: string, given?: object): Promise<void> => {
      const message = { id, role: "user", parts: [{ type: "text", text: id }] };
      await chunksOf(await post(url, { id: "c", messages: [message], ...(given && { tools: given }) }));
    };
    await say("u1", tools);
    await say("u2");
    await say("u3", { show_map: tools.show_map });
    await say("u4", {});
    expect(seen).toEqual([["get_selection", "show_map"], ["get_selection", "show_map"], ["show_map"], []]);
  });
});

test("the result that a page of AG-UI gave is no words of the user in a chat of the same session", async () => {
  const store = memoryStore();
  const served = await serving(one, { version: 7, store });
  const page = await new AguiPage(served, "c").say("u1", "where?");
  await page.carryOut().run();
  const messages = await messagesOf(served.url);
  expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
  expect(callsOf({ messages })).toMatchObject([{ toolName: "show_map", output: "show_map is done" }]);
});
