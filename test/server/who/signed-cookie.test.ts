// Callers with a signed cookie: each is the principal that the cookie was made for, over HTTP.

import { createHmac } from "node:crypto";
import { afterEach, describe, expect, test, vi } from "vitest";
import { mcpHandler } from "../../../src/mcp/index.js";
import { memoryStore, openSession } from "../../../src/memory/index.js";
import { createAgent } from "../../../src/index.js";
import { serve, signedCookie } from "../../../src/server/index.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { taskCompletion } from "../../../src/tools/index.js";
import { runFor, servedTo } from "./served.js";

const secret = "a-secret-of-the-server-that-nobody-guesses";
const older = "an-older-secret-of-the-server-in-production";
const ann = { id: "ann", name: "Änn 🦊", tenant: "north", roles: ["finance"] };

afterEach(() => {
  vi.useRealTimers();
});

/** The cookie as a browser brings it: the name and the value of a `set-cookie`. */
const brought = (set: string): Readonly<Record<string, string>> => ({ cookie: set.split(";")[0]! });

test("a caller with the cookie is the principal that it was made for, among other cookies", async () => {
  const cookie = signedCookie({ secrets: [secret] });
  const served = await servedTo(cookie.authenticate);
  const set = await cookie.set(ann);
  expect((await runFor(served, { cookie: `theme=dark; ${set.split(";")[0]!}; lang=de` })).by).toEqual(ann);
});

test("the cookie is kept from scripts, from plain HTTP, from other hosts and from posts of other sites", async () => {
  const cookie = signedCookie({ secrets: [secret], maxAge: 60_500 });
  expect(await cookie.set({ id: "ann" })).toMatch(
    /^__Host-lastcall=v1\.[\w-]+\.[\w-]{43}; Max-Age=60; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  );
  expect(cookie.clear()).toBe("__Host-lastcall=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax");
});

test("principals of two tenants with one id see nothing of each other", async () => {
  const cookie = signedCookie({ secrets: [secret] });
  const served = await servedTo(cookie.authenticate);
  const { session } = await runFor(served, brought(await cookie.set(ann)));
  const look = async (tenant: string): Promise<number> => {
    const headers = brought(await cookie.set({ id: "ann", tenant }));
    return (await fetch(new URL(`/sessions/${session}`, served.url), { headers })).status;
  };
  expect([await look("north"), await look("south")]).toEqual([200, 404]);
});

test("a cookie counts until it ends, whatever the browser keeps", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const cookie = signedCookie({ secrets: [secret], maxAge: 60_000 });
  const served = await servedTo(cookie.authenticate);
  const headers = brought(await cookie.set(ann));
  vi.setSystemTime(Date.now() + 59_999);
  expect((await served.send(headers)).status).toBe(200);
  vi.setSystemTime(Date.now() + 1);
  expect((await served.send(headers)).status).toBe(401);
});

test("a secret is replaced without a new sign-in, and a secret that is gone signs nobody in", async () => {
  const before = brought(await signedCookie({ secrets: [older] }).set(ann));
  const during = signedCookie({ secrets: [secret, older] });
  const served = await servedTo(during.authenticate);
  expect((await served.send(before)).status).toBe(200);
  const after = await servedTo(signedCookie({ secrets: [secret] }).authenticate);
  expect((await after.send(before)).status).toBe(401);
  expect((await after.send(brought(await during.set(ann)))).status).toBe(200);
});

describe("a cookie", () => {
  const cookie = signedCookie({ secrets: [secret], name: "who" });
  const value = async (): Promise<readonly [string, string, string]> => {
    const [version = "", payload = "", signature = ""] = (await cookie.set(ann)).split(";")[0]!.slice(4).split(".");
    return [version, payload, signature];
  };
  const forged = Buffer.from(JSON.stringify({ id: "eve", end: 9e15 })).toString("base64url");

  test.each<[string, () => Promise<string>]>([
    ["with another principal and the old signature", async () => `who=v1.${forged}.${(await value())[2]}`],
    [
      "whose signature is of another secret",
      async () => (await signedCookie({ secrets: [older], name: "who" }).set(ann)).split(";")[0]!,
    ],
    [
      "that was made under another name",
      async () => `who=${(await signedCookie({ secrets: [secret], name: "other" }).set(ann)).split(";")[0]!.slice(6)}`,
    ],
    [
      "whose payload alone was signed with the secret",
      () => Promise.resolve(`who=v1.${forged}.${createHmac("sha256", secret).update(forged).digest("base64url")}`),
    ],
    ["without a signature", async () => `who=v1.${(await value())[1]}.`],
    ["without its parts", () => Promise.resolve("who=v1")],
    ["that is empty", () => Promise.resolve("who=")],
    ["of another version", async () => `who=v2.${(await value()).slice(1).join(".")}`],
    ["under a longer name", async () => `xwho=${(await value()).join(".")}`],
    ["that came twice", async () => [await value(), await value()].map((parts) => `who=${parts.join(".")}`).join("; ")],
    ["that is too long", () => Promise.resolve(`who=v1.${"a".repeat(9000)}.${"a".repeat(43)}`)],
  ])("%s is nobody's", async (_what, made) => {
    const served = await servedTo(cookie.authenticate);
    const answer = await served.send({ cookie: await made() }, "Go.");
    expect([answer.status, await answer.json()]).toEqual([401, { error: "The request is not authorized." }]);
    expect(await served.store.list()).toEqual([]);
    expect(served.faults).toEqual([]);
  });

  test("with any one character changed is nobody's", async () => {
    const text = (await value()).join(".");
    for (let at = 0; at < text.length - 1; at += 7) {
      const changed = `${text.slice(0, at)}${text[at] === "A" ? "B" : "A"}${text.slice(at + 1)}`;
      const request = new Request("http://localhost/", { headers: { cookie: `who=${changed}` } });
      expect(await cookie.authenticate(request), `character ${String(at)}`).toBeUndefined();
    }
  });

  test("stands in no journal, no frame, no answer and no line, and neither does the secret", async () => {
    const served = await servedTo(cookie.authenticate);
    const headers = brought(await cookie.set(ann));
    const { text } = await runFor(served, headers);
    const all = [text, ...served.printed].join("\n");
    expect(all).not.toContain(headers["cookie"]!.slice(-43));
    expect(all).not.toContain(secret);
  });
});

// A browser sends a cookie with each request, also if a page of somebody else makes it.
test.each([
  ["a post of another site", { origin: "https://evil.example" }, 403],
  ["a post that the browser calls one of another site", { "sec-fetch-site": "cross-site" }, 403],
  ["a post of a page on another port", { origin: "http://127.0.0.1:1", "sec-fetch-site": "same-site" }, 403],
  ["a form of another site in an old browser", { "content-type": "text/plain" }, 415],
  ["a form", { "content-type": "application/x-www-form-urlencoded" }, 415],
])("%s starts nothing, though it brings a cookie that counts", async (_what, headers, status) => {
  const cookie = signedCookie({ secrets: [secret] });
  const served = await servedTo(cookie.authenticate);
  const own = brought(await cookie.set(ann));
  expect((await served.send({ ...own, ...headers }, "Go.")).status).toBe(status);
  expect(await served.store.list()).toEqual([]);
  expect((await served.send(own, "Go.")).status).toBe(202);
});

test("mcpHandler takes the cookie as well, and not from another site", async () => {
  const cookie = signedCookie({ secrets: [secret] });
  const store = memoryStore();
  const agent = createAgent({ model: scriptedModel([]), tools: [taskCompletion()] });
  const handler = mcpHandler({
    agents: { worker: { description: "Works.", agent } },
    sessions: (id) => openSession({ store, id }),
    authenticate: cookie.authenticate,
  });
  await using server = { ...(await serve(handler)), [Symbol.asyncDispose]: () => server.close() };
  const post = async (headers: Readonly<Record<string, string>>): Promise<number> => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} });
    const accept = "application/json, text/event-stream";
    const sent = { "content-type": "application/json", accept, "mcp-protocol-version": "2025-06-18", ...headers };
    return (await fetch(server.url, { method: "POST", headers: sent, body })).status;
  };
  const own = brought(await cookie.set(ann));
  expect(await post(own)).toBe(200);
  expect(await post({})).toBe(401);
  expect(await post({ ...own, origin: "https://evil.example" })).toBe(403);
});

test.each<[string, object, string]>([
  ["no secret", { secrets: [] }, "signedCookie has no secret"],
  ["a secret that is undefined", { secrets: [undefined] }, "The option secrets of signedCookie has the member 0"],
  ["secrets that are left out", {}, "signedCookie needs the option secrets"],
  ["a short secret", { secrets: [secret, "short-4711"] }, "The secret 1 of signedCookie has less than 32 characters"],
  ["a name with a space", { secrets: [secret], name: "a b" }, "is no name of a cookie"],
  ["a name with a separator", { secrets: [secret], name: "a;b=" }, "is no name of a cookie"],
  ["a time below a second", { secrets: [secret], maxAge: 10 }, "maxAge is 10: give a whole number of at least 1000"],
])("%s is refused at once, without a secret in the message", (_what, options, words) => {
  const make = (): unknown => signedCookie(options as { secrets: string[] });
  expect(make).toThrow(words);
  expect(make).not.toThrow(/4711|nobody-guesses/);
});

test("a principal that is none, or too long for a browser, gets no cookie", async () => {
  const cookie = signedCookie({ secrets: [secret] });
  await expect(cookie.set({ id: "" })).rejects.toThrow("has no usable id");
  const roles = Array.from({ length: 100 }, (_none, at) => `${String(at)}-${"r".repeat(40)}`);
  await expect(cookie.set({ id: "ann", roles })).rejects.toThrow("too long for a cookie");
});
