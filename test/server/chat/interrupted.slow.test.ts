// Chats that are interrupted: words that are taken back, runs that fail or are stopped, connections and servers that go away.

import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { predicate } from "../../../src/checks/index.js";
import { tool, type Decision, type FrozenCall, type Later, type Permission } from "../../../src/index.js";
import { memoryStore, type Store } from "../../../src/memory/index.js";
import { steady } from "../../../src/model/index.js";
import { call, scriptedModel, type Script, type Step } from "../../../src/testing/index.js";
import { ask } from "../client.js";
import { openPage, plain, until, versions } from "./page.js";
import { approvalIn, callsOf, done, expectSame, messagesOf, partsOf, serving, textsOf, toolsOf } from "./served.js";

const long = "Many words that come one after the other, so that a page can lose its connection among them. ".repeat(3);
const slow: Script = [{ text: long, calls: [call("look", { at: 1 })], piece: 5, pause: 4 }, done];

describe.each(versions)("a page of version %i", (version) => {
  test("takes words back that a reply began with before it broke off", async () => {
    const script: Script = [
      { text: "These words are void.", cut: "end", piece: 3 },
      { text: "These count.", calls: [call("look", { at: 1 })], piece: 3 },
      done,
    ];
    const model = steady(scriptedModel(script), { attempts: 3, firstDelay: 1 });
    const served = await serving([], { version, agent: { model } });
    const page = openPage(version, served);
    await page.sendMessage({ text: "go" });
    expect([page.error, textsOf(page)]).toEqual([undefined, ["go", "These count.|All is well."]]);
    await expectSame(page, served, version);
  });

  test("takes the words of a claim back that a check refuses, and shows the check", async () => {
    let tries = 0;
    const check = predicate("is green", () => ({ passed: (tries += 1) > 2, output: "it is red or green" }));
    const first = { text: "Done now.", calls: [call("task_completion", { result: "It works, I believe." })], piece: 3 };
    const served = await serving([first, done], { version, agent: { checks: [check] } });
    const page = openPage(version, served);
    await page.sendMessage({ text: "go" });
    expect([page.error, textsOf(page)]).toEqual([undefined, ["go", "Done now.|All is well."]]);
    expect(callsOf(page)).toMatchObject([{ toolName: "task_completion", state: "output-error" }]);
    const data = (type: string) => partsOf(page).flatMap((part) => (part.type === type ? [part["data"]] : []));
    expect(data("data-check")).toMatchObject([
      { when: "baseline", passed: false },
      { when: "claim", passed: false, output: expect.stringContaining("red") },
      { when: "claim", passed: true },
    ]);
    expect(data("data-receipts")).toMatchObject([{ verified: "checked" }]);
    expect(data("data-circuit")).toMatchObject([{ inARow: 0 }]);
    await expectSame(page, served, version);
  });

  test("learns why a run failed, and tries again in the same message", async () => {
    const served = await serving([[call("look", { at: 1 })], { status: 401, message: "no key" }, done], { version });
    const page = openPage(version, served);
    await page.sendMessage({ text: "go" });
    expect([page.status, page.error?.message]).toEqual(["error", expect.stringContaining("no key")]);
    expect(plain(page.messages)).toEqual(await messagesOf(served.url));
    expect(partsOf(page).at(-1)).toMatchObject({ type: "data-outcome", data: { status: "failed" } });
    await page.regenerate();
    expect([page.status, textsOf(page)]).toEqual(["ready", ["go", "All is well."]]);
    expect(page.messages[1]).toMatchObject({ metadata: { outcome: { status: "completed", reason: null } } });
    await expectSame(page, served, version);
  });

  test("loses its connection, and reads on without a gap and nothing twice", async () => {
    const served = await serving(slow, { version });
    const stop = new AbortController();
    const page = openPage(version, {
      ...served,
      fetch: (url, init) =>
        fetch(url, { ...init, signal: init?.method === "POST" ? stop.signal : (init?.signal ?? null) }),
    });
    const sending = page.sendMessage({ text: "go" });
    await until(() => page.messages.length === 2 && (version === 6 || textsOf(page)[1]!.length > 40), "some words");
    stop.abort(new TypeError("network error"));
    await sending;
    await page.resumeStream();
    expect(textsOf(page)).toEqual(["go", `${long}|All is well.`]);
    await expectSame(page, served, version);
  });

  test("is loaded while a run is at work, and reads the message from its start", async () => {
    const served = await serving(slow, { version });
    const first = openPage(version, served);
    const sending = first.sendMessage({ text: "go" });
    await until(() => first.messages.length === 2, "the stream");
    const second = openPage(version, { ...served, messages: await messagesOf(served.url) });
    await second.resumeStream();
    await sending;
    expect(plain(second.messages)).toEqual(plain(first.messages));
    await expectSame(second, served, version);
  });

  test("stops a run, of which the journal keeps what was whole", async () => {
    const script: Script = [[call("look", { at: 1 })], { text: long, piece: 5, pause: 20 }];
    const served = await serving(script, { version });
    const page = openPage(version, served);
    const sending = page.sendMessage({ text: "go" });
    await until(() => callsOf(page)[0]?.["state"] === "output-available", "the call");
    expect(await ask(served.url, "/chat/c/stop", {})).toMatchObject({ status: 200, body: { stopped: true } });
    await sending;
    expect([page.status, partsOf(page).at(-1)]).toMatchObject([
      "ready",
      { type: "data-outcome", data: { status: "aborted", message: expect.stringContaining("stopped by the user") } },
    ]);
    expect(await ask(served.url, "/chat/c/stop", {})).toMatchObject({ body: { stopped: false } });
    await expectSame(page, served, version);
  });

  test("goes on after a restart of the server in the middle of a reply", async () => {
    const store = memoryStore();
    const first = await serving([[call("look", { at: 1 })], ...slow], { version, store });
    const page = openPage(version, {
      url: first.url,
      fetch: (url, init) => fetch(String(url).replace(first.url, port), init),
    });
    let port = first.url;
    const sending = page.sendMessage({ text: "go" });
    await until(() => callsOf(page)[0]?.["state"] === "output-available", "the call");
    await first.host.close();
    await sending;
    expect(page.status).toBe("error");
    const second = await serving([{ ...(done as object), delay: 50 }], { version, store });
    port = second.url;
    await page.resumeStream();
    expect(textsOf(page)).toEqual(["go", "All is well."]);
    await expectSame(page, second, version);
  });

  test("stops a run whose call is at work, and does not show it at work for ever", async () => {
    const wait = tool({
      name: "wait",
      description: "Waits",
      effect: "none",
      input: z.object({}),
      run: (_input, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", reject);
        }),
    });
    const served = await serving([[call("wait"), call("look", { at: 1 })]], {
      version,
      agent: { tools: [wait, ...toolsOf([])] },
    });
    const page = openPage(version, served);
    const sending = page.sendMessage({ text: "go" });
    await until(() => callsOf(page)[0]?.["state"] === "input-available", "the call");
    await ask(served.url, "/chat/c/stop", {});
    await sending;
    expect(callsOf(page)).toMatchObject([
      { toolName: "wait", state: "output-error" },
      { toolName: "look", state: "output-error" },
    ]);
    await expectSame(page, served, version);
  });

  test("stops a run between an approval and its call, and sends nothing again by itself", async () => {
    let isSlow = true;
    const permission: Permission<FrozenCall, unknown, Decision | Later> = {
      async decide({ name }, { approval, signal }) {
        if (name !== "write") return { allowed: true, reason: "" };
        if (approval === undefined) return { later: true, reason: "it writes" };
        if (isSlow) await once(signal, "abort");
        return approval;
      },
    };
    const served = await serving([[call("write", { text: "a" })], done], { version, agent: { permission } });
    let posts = 0;
    const page = openPage(version, {
      ...served,
      fetch: (url, init) => {
        posts += init?.method === "POST" ? 1 : 0;
        return fetch(url, init);
      },
    });
    await page.sendMessage({ text: "go" });
    const answering = page.addToolApprovalResponse({ id: approvalIn(page), approved: true });
    await until(() => posts === 2 && page.status === "streaming", "the answer");
    await ask(served.url, "/chat/c/stop", {});
    await answering;
    await until(() => page.status === "ready", "the end");
    expect(callsOf(page)).toMatchObject([
      { state: "output-error", errorText: expect.stringContaining("before this call had a result") },
    ]);
    expect([served.ran, posts]).toEqual([[], 2]);
    isSlow = false;
    await page.regenerate();
    expect([served.ran, textsOf(page)]).toEqual([["a"], ["go", "All is well."]]);
    // The message was read again from its start, and version 6 has no chunk for the answer to an approval.
    if (version === 7) await expectSame(page, served, version);
  });

  test("learns that the store failed in the middle of a run", async () => {
    const whole = memoryStore();
    let isBroken = false;
    const store: Store = {
      ...whole,
      async lock(...args) {
        const lock = await whole.lock(...args);
        if (!("append" in lock)) return lock;
        const append: typeof lock.append = (...lines) =>
          isBroken ? Promise.reject(new Error("the disk is full")) : lock.append(...lines);
        return { ...lock, append };
      },
    };
    const breaking = (): Step => {
      isBroken = true;
      return done;
    };
    const served = await serving([[call("look", { at: 1 })], breaking, done], { version, store });
    const page = openPage(version, served);
    await page.sendMessage({ text: "go" });
    expect([page.status, page.error?.message]).toEqual(["error", expect.stringContaining("disk is full")]);
    // The host makes the run again, and the page reads the message to its end.
    isBroken = false;
    await page.resumeStream();
    expect([page.status, textsOf(page)]).toEqual(["ready", ["go", "All is well."]]);
    await expectSame(page, served, version);
  });

  test("learns that a run stopped at a limit", async () => {
    const served = await serving(() => [call("look", { at: 1 })], { version, agent: { limits: { maxIterations: 2 } } });
    const page = openPage(version, served);
    await page.sendMessage({ text: "go" });
    expect(page.messages[1]).toMatchObject({ metadata: { outcome: { status: "stopped", reason: "max_iterations" } } });
    await expectSame(page, served, version);
  });
});
