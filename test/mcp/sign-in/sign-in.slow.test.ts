// Signing in at a real server: the question, the callback, the call; refresh, step-up, revocation, other people, lies.

import { afterEach, describe, expect, it } from "vitest";
import { createAgent, tool as toolOf, type AnyOutcome, type Event, type Principal } from "../../../src/index.js";
import { memoryStore, openSession, type Store } from "../../../src/memory/index.js";
import {
  mcpTools,
  memoryVault,
  signIns,
  type McpTools,
  type SignInApiOptions,
  type SignInQuestion,
  type SignIns,
  type Vault,
} from "../../../src/mcp/index.js";
import { call, scriptedModel } from "../../../src/testing/index.js";
import { serve as listenOn } from "../../../src/server/index.js";
import { taskCompletion } from "../../../src/tools/index.js";
import { apiTools } from "./api-tools.mjs";
import { guardedServer, type Behaviour, type Guarded } from "./guarded-server.js";

const redirect = "http://127.0.0.1:9/oauth/callback";
const open: { close(): Promise<unknown> }[] = [];

afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

interface Place {
  readonly guarded: Guarded;
  readonly vault: Vault;
  readonly signIn: SignIns;
  readonly store: Store;
  readonly events: Event[];
  readonly told: string[];
  tools(): Promise<McpTools>;
  run(tool: string, id: string, by?: Principal): Promise<AnyOutcome>;
  answer(id: string, outcome: AnyOutcome, answer: object, by?: Principal): Promise<AnyOutcome>;
}

type Kind = "MCP server" | "API";

async function placeOf(
  kind: Kind,
  behaviour: Behaviour = {},
  terms: Partial<SignInApiOptions> & { readonly clients?: object } = {},
): Promise<Place> {
  const guarded = await guardedServer(behaviour);
  open.push(guarded);
  const vault = memoryVault();
  const { clients, ...api } = terms;
  const own = clients && { clients: { [guarded.issuer]: { id: "given", secret: behaviour.secret } } };
  const signIn = signIns({ vault, redirect, ...own });
  const bank = signIn.api({ name: "bank", url: guarded.api, issuer: guarded.issuer, scopes: ["read"], ...api });
  const store = memoryStore();
  const events: Event[] = [];
  const told: string[] = [];
  const tools = async (): Promise<McpTools> => {
    const server = await mcpTools({ name: "bank", url: guarded.url, signIn, tell: (line) => told.push(line) });
    open.push(server);
    return server;
  };
  let server: McpTools | undefined;
  const agentFor = async (tool: string): Promise<ReturnType<typeof createAgent>> => {
    if (kind === "MCP server") server ??= await tools();
    return createAgent({
      model: scriptedModel([[call(tool, {})], [call("task_completion", { result: "done" })]]),
      permission: () => true,
      tools: [taskCompletion(), ...(kind === "API" ? apiTools(toolOf, bank, guarded.api) : [])],
      ...(server !== undefined && { toolSources: [server] }),
    });
  };
  const agents = new Map<string, ReturnType<typeof createAgent>>();
  const onEvent = (event: Event): void => void events.push(event);
  return {
    guarded,
    vault,
    signIn,
    store,
    events,
    told,
    tools,
    async run(tool, id, by) {
      const agent = await agentFor(tool);
      agents.set(id, agent);
      return agent.run("Go.", { session: openSession({ store, id }), by, onEvent });
    },
    async answer(id, outcome, answer, by) {
      const agent = agents.get(id);
      if (agent === undefined || outcome.status !== "waiting")
        throw new Error(`nothing waits: ${JSON.stringify(outcome)}`);
      return agent.run(JSON.stringify(answer), {
        session: openSession({ store, id }),
        answers: outcome.id,
        by,
        onEvent,
      });
    },
  };
}

const place = (behaviour?: Behaviour): Promise<Place> => placeOf("MCP server", behaviour);

function questionOf(outcome: AnyOutcome): SignInQuestion {
  if (outcome.status !== "waiting" || outcome.approval !== undefined)
    throw new Error(`it does not wait: ${JSON.stringify(outcome)}`);
  return outcome.value as SignInQuestion;
}

async function resultOf({ store }: Place, id: string): Promise<string> {
  const { records } = await openSession({ store, id }).toJSON();
  return records.flatMap((record) => (record.type === "result" ? [record.result.text] : [])).at(0) ?? "";
}

const ann: Principal = { id: "ann", tenant: "acme" };
const bob: Principal = { id: "bob", tenant: "acme" };

/** Begins a run that asks, signs the person in, and goes on. */
async function signedIn(at: Place, tool: string, id: string, by: Principal): Promise<AnyOutcome> {
  const outcome = await at.run(tool, id, by);
  const { address } = questionOf(outcome);
  const { answer } = await at.signIn.complete(await at.guarded.open(address, by.id), by);
  return at.answer(id, outcome, answer, by);
}

describe("a server that lists its tools freely", () => {
  it("has its call asked for a sign-in, and made once as the person who asked", async () => {
    const at = await place({ listsFreely: true });
    const outcome = await at.run("bank__whoami", "s", ann);
    const question = questionOf(outcome);
    expect(question).toMatchObject({ kind: "sign_in", server: "bank", scopes: ["read"] });
    expect(question.address).toContain(`${at.guarded.issuer}/authorize?`);
    expect(at.guarded.calls).toEqual([]);
    const { answer } = await at.signIn.complete(await at.guarded.open(question.address, "ann"), ann);
    expect((await at.answer("s", outcome, answer, ann)).status).toBe("completed");
    expect(at.guarded.calls).toEqual(["whoami ann"]);
    expect(await resultOf(at, "s")).toContain("You are ann.");
  });
});

describe("a server that wants a sign-in for its list", () => {
  it("has one tool at first, and its own after it was called", async () => {
    const at = await place();
    const server = await at.tools();
    expect(server.tools.map(({ name }) => name)).toEqual(["bank__sign_in"]);
    const outcome = await signedIn(at, "bank__sign_in", "s", ann);
    expect(outcome.status).toBe("completed");
    expect(await resultOf(at, "s")).toContain("bank__leak, bank__pay, bank__whoami");
    const later = await at.tools();
    expect(later.tools.map(({ name }) => name)).toEqual(["bank__sign_in", "bank__leak", "bank__pay", "bank__whoami"]);
    expect(later.title).toBe("guarded 1");
    // Another person sees the list, and has to sign in for a call.
    const other = await at.run("bank__whoami", "t", bob);
    expect(questionOf(other).kind).toBe("sign_in");
    expect(at.guarded.counts.registrations).toBe(1);
  });

  it("keeps each person's token to that person", async () => {
    const at = await place({ listsFreely: true });
    for (const by of [ann, bob]) expect((await signedIn(at, "bank__whoami", by.id, by)).status).toBe("completed");
    // The same id in another tenant is another person, and so is a caller without a name.
    for (const by of [{ id: "ann" }, { id: "ann", tenant: "other" }, undefined])
      expect(questionOf(await at.run("bank__whoami", JSON.stringify(by ?? 0).replaceAll(/\W/g, "-"), by)).kind).toBe(
        "sign_in",
      );
    expect((await at.run("bank__whoami", "again", bob)).status).toBe("completed");
    expect(at.guarded.calls).toEqual(["whoami ann", "whoami bob", "whoami bob"]);
  });
});

describe.each<[Kind]>([["MCP server"], ["API"]])("at an %s", (kind) => {
  const place = (behaviour?: Behaviour): Promise<Place> => placeOf(kind, behaviour);
  describe("a callback", () => {
    it("of another person ends nothing, and tells nothing", async () => {
      const at = await place({ listsFreely: true });
      const outcome = await at.run("bank__whoami", "s", ann);
      const address = await at.guarded.open(questionOf(outcome).address, "bob");
      await expect(at.signIn.complete(address, bob)).rejects.toThrow("No sign-in waits for this address");
      expect(at.guarded.counts.exchanges).toBe(0);
      expect((await at.signIn.complete(address, ann)).answer).toEqual({ action: "accept" });
    });

    it("with another state, or for another address, ends nothing", async () => {
      const at = await place({ listsFreely: true });
      const outcome = await at.run("bank__whoami", "s", ann);
      const address = new URL(await at.guarded.open(questionOf(outcome).address, "ann"));
      for (const state of ["", "x", `${address.searchParams.get("state") ?? ""}x`]) {
        const changed = new URL(address);
        changed.searchParams.set("state", state);
        await expect(at.signIn.complete(changed.href, ann)).rejects.toThrow("No sign-in waits for this address");
      }
      const elsewhere = address.href.replace("/oauth/callback", "/oauth/other");
      await expect(at.signIn.complete(elsewhere, ann)).rejects.toThrow(`begins with ${redirect}`);
      await expect(at.signIn.complete("paste", ann)).rejects.toThrow(`begins with ${redirect}`);
      expect(at.guarded.counts.exchanges).toBe(0);
    });

    it("that comes twice ends in the same way, and trades the code once", async () => {
      const at = await place({ listsFreely: true });
      const outcome = await at.run("bank__whoami", "s", ann);
      const address = await at.guarded.open(questionOf(outcome).address, "ann");
      const ends = await Promise.all([at.signIn.complete(address, ann), at.signIn.complete(address, ann)]);
      expect(ends[0]).toEqual(ends[1]);
      expect(at.guarded.counts.exchanges).toBe(1);
    });

    it("from another issuer is refused before its code is sent anywhere", async () => {
      const at = await place({ listsFreely: true, iss: "https://evil.example" });
      const outcome = await at.run("bank__whoami", "s", ann);
      const address = await at.guarded.open(questionOf(outcome).address, "ann");
      await expect(at.signIn.complete(address, ann)).rejects.toThrow("another authorization server");
      const bare = new URL(address);
      bare.searchParams.delete("iss");
      await expect(at.signIn.complete(bare.href, ann)).rejects.toThrow("another authorization server");
      expect(at.guarded.counts.exchanges).toBe(0);
    });

    it("with a no is a no for the model", async () => {
      const at = await place({ listsFreely: true });
      const outcome = await at.run("bank__whoami", "s", ann);
      const address = await at.guarded.open(questionOf(outcome).address, "ann", { denies: true });
      const { answer } = await at.signIn.complete(address, ann);
      expect(answer).toEqual({ action: "decline" });
      await at.answer("s", outcome, answer, ann);
      expect(await resultOf(at, "s")).toContain(`The user did not sign in at the ${kind} bank`);
      expect(at.guarded.calls).toEqual([]);
    });

    it("is asked for again if somebody says that it came and it did not, and not for ever", async () => {
      const at = await place({ listsFreely: true });
      let outcome = await at.run("bank__whoami", "s", ann);
      const addresses = new Set<string>();
      for (let round = 0; round < 3; round += 1) {
        addresses.add(questionOf(outcome).address);
        outcome = await at.answer("s", outcome, { action: "accept" }, ann);
      }
      expect(addresses.size).toBe(3);
      expect(outcome.status).toBe("completed");
      expect(await resultOf(at, "s")).toContain("still wants a sign-in after 3");
    });
  });

  describe("a token", () => {
    it("that is over is refreshed, and its person is asked nothing", async () => {
      const at = await place({ listsFreely: true, life: 1 });
      await signedIn(at, "bank__whoami", "s", ann);
      await new Promise((resolve) => setTimeout(resolve, 1100));
      expect((await at.run("bank__whoami", "t", ann)).status).toBe("completed");
      expect(at.guarded.counts.refreshes).toBe(1);
      expect(at.guarded.calls).toEqual(["whoami ann", "whoami ann"]);
    });

    it("is refreshed once for many calls at once", async () => {
      const at = await place({ listsFreely: true, life: 1, refreshTakes: 100 });
      await signedIn(at, "bank__whoami", "s", ann);
      await new Promise((resolve) => setTimeout(resolve, 1100));
      const ends = await Promise.all(["a", "b", "c"].map((id) => at.run("bank__whoami", id, ann)));
      expect(ends.map(({ status }) => status)).toEqual(["completed", "completed", "completed"]);
      expect(at.guarded.counts.refreshes).toBe(1);
    });

    it("that was revoked leads to a new question", async () => {
      const at = await place({ listsFreely: true });
      await signedIn(at, "bank__whoami", "s", ann);
      at.guarded.revoke();
      expect((await signedIn(at, "bank__whoami", "t", ann)).status).toBe("completed");
      expect(at.guarded.calls).toEqual(["whoami ann", "whoami ann"]);
    });

    it("with too few rights leads to a question for more, beside the rights that there are", async () => {
      const at = await place({ listsFreely: true });
      await signedIn(at, "bank__whoami", "s", ann);
      const outcome = await at.run("bank__pay", "t", ann);
      expect(questionOf(outcome).scopes).toEqual(["read", "pay"]);
      expect(questionOf(outcome).message).toContain("needs more rights");
      const { answer } = await at.signIn.complete(await at.guarded.open(questionOf(outcome).address, "ann"), ann);
      expect((await at.answer("t", outcome, answer, ann)).status).toBe("completed");
      expect(at.guarded.calls).toEqual(["whoami ann", "pay ann"]);
    });

    it("is found nowhere: in no journal, event or line, though the server says it", async () => {
      const at = await place({ life: 1 });
      await signedIn(at, kind === "API" ? "bank__whoami" : "bank__sign_in", "s", ann);
      await new Promise((resolve) => setTimeout(resolve, 1100));
      expect((await at.run("bank__leak", "t", ann)).status).toBe("completed");
      expect(await resultOf(at, "t")).toContain("It is [redacted: sign-in token]!");
      at.guarded.revoke();
      const outcome = await at.run("bank__leak", "u", ann);
      await at.guarded.open(questionOf(outcome).address, "ann");
      const journals = await Promise.all(
        ["s", "t", "u"].map(async (id) => JSON.stringify(await openSession({ store: at.store, id }).toJSON())),
      );
      const seen = [...journals, JSON.stringify(at.events), ...at.told].join("\n");
      expect(at.guarded.secrets.size).toBeGreaterThan(5);
      for (const secret of at.guarded.secrets) expect(seen).not.toContain(secret);
    });
  });
});

describe("an API", () => {
  it("has its call asked for a sign-in before anything is sent to it, and made once as the person who asked", async () => {
    const at = await placeOf("API");
    const outcome = await at.run("bank__whoami", "s", ann);
    const question = questionOf(outcome);
    expect(question).toMatchObject({ kind: "sign_in", server: "bank", scopes: ["read"] });
    expect(question.message).toContain("The API bank wants you to sign in.");
    expect(new URL(question.address).searchParams.get("resource")).toBeNull();
    expect(at.guarded.counts.requests).toBe(0);
    const { answer } = await at.signIn.complete(await at.guarded.open(question.address, "ann"), ann);
    expect((await at.answer("s", outcome, answer, ann)).status).toBe("completed");
    expect(at.guarded.calls).toEqual(["whoami ann"]);
    expect(await resultOf(at, "s")).toContain("You are ann.");
    for (const by of [bob, { id: "ann" }, undefined])
      expect(questionOf(await at.run("bank__whoami", `of-${by?.id ?? "nobody"}`, by)).kind).toBe("sign_in");
    expect(at.guarded.counts.requests).toBe(1);
  });

  it("that names its authorization server itself needs no issuer, and its tokens are bound to it", async () => {
    const at = await placeOf("API", { life: 1 }, { issuer: undefined });
    const { address } = questionOf(await at.run("bank__whoami", "q", ann));
    expect(new URL(address).searchParams.get("resource")).toBe(at.guarded.api);
    expect((await signedIn(at, "bank__whoami", "s", ann)).status).toBe("completed");
    await new Promise((resolve) => setTimeout(resolve, 1100));
    expect((await at.run("bank__whoami", "t", ann)).status).toBe("completed");
    expect(at.guarded.counts.refreshes).toBe(1);
  });

  it("of a client with a secret sends it in the way that the authorization server takes, here in the form", async () => {
    const secret = "the secret of the client";
    const issuerMetadata = {
      token_endpoint_auth_methods_supported: ["client_secret_post"],
      code_challenge_methods_supported: undefined,
    };
    const at = await placeOf("API", { secret, issuerMetadata }, { clients: {} });
    expect((await signedIn(at, "bank__whoami", "s", ann)).status).toBe("completed");
    expect(at.guarded.counts.registrations).toBe(0);
    expect(JSON.stringify(at.events)).not.toContain(secret);
  });

  it("whose program needs another scope asks each person anew, and not for ever if the person gives less", async () => {
    const at = await placeOf("API");
    await signedIn(at, "bank__whoami", "s", ann);
    const { vault, guarded } = at;
    const more = signIns({ vault, redirect }).api({
      name: "bank",
      url: guarded.api,
      issuer: guarded.issuer,
      scopes: ["read", "log"],
    });
    const agent = createAgent({
      model: scriptedModel([[call("bank__whoami", {})], [call("task_completion", { result: "done" })]]),
      permission: () => true,
      tools: [taskCompletion(), ...apiTools(toolOf, more, guarded.api)],
    });
    const session = openSession({ store: at.store, id: "t" });
    const outcome: AnyOutcome = await agent.run("Go.", { session, by: ann });
    expect(questionOf(outcome)).toMatchObject({
      scopes: ["read", "log"],
      message: expect.stringContaining("more rights"),
    });
    const back = await guarded.open(questionOf(outcome).address, "ann", { scope: "read" });
    const { answer } = await at.signIn.complete(back, ann);
    const end: AnyOutcome = await agent.run(JSON.stringify(answer), {
      session,
      answers: (outcome as { id: string }).id,
      by: ann,
    });
    expect(end.status).toBe("completed");
    expect(guarded.calls).toEqual(["whoami ann", "whoami ann"]);
  });

  it("gets requests as they were made, bodies and headers too, also when a token was refused meanwhile", async () => {
    const at = await placeOf("API");
    await signedIn(at, "bank__whoami", "s", ann);
    const seen: string[] = [];
    const other = await listenOn(async (request) => {
      const token = request.headers.get("authorization");
      seen.push(
        `${request.headers.get("x-own") ?? ""} ${await request.text()} ${token === null ? "no token" : "token"}`,
      );
      return new Response("ok", { status: token === null || seen.length > 1 ? 200 : 401 });
    });
    open.push(other);
    const context = {
      principal: ann,
      path: ["c"],
      state: undefined,
      signal: new AbortController().signal,
      ask: () => Promise.reject(new Error("asked")),
    };
    const elsewhere = at.signIn.api({ name: "bank", url: at.guarded.api }).fetchFor(context);
    const request = (): Request => new Request(other.url, { method: "POST", body: "text", headers: { "x-own": "1" } });
    expect(await (await elsewhere(request())).text()).toBe("ok");
    expect(seen).toEqual(["1 text no token"]);
    // The token of Ann at the bank as the token of another API, which refuses it once.
    seen.length = 0;
    const kept = await at.vault.read(JSON.stringify(["grant", at.guarded.api, "acme", "ann"]));
    await at.vault.change(JSON.stringify(["grant", new URL(other.url).href, "acme", "ann"]), () =>
      Promise.resolve({ text: kept ?? "" }),
    );
    const api = at.signIn.api({ name: "other", url: other.url });
    expect(await (await api.fetchFor(context)(request())).text()).toBe("ok");
    const stream = new Blob(["piece"]).stream();
    const streamed = { method: "POST", body: stream, duplex: "half", headers: { "x-own": "2" } } as RequestInit;
    await api.fetchFor(context)(other.url, streamed);
    expect(seen).toEqual(["1 text token", "1 text token", "2 piece token"]);
    expect(api.fetchFor(context)).toBe(api.fetchFor(context));
  });

  it("stops a request, and the beginning of a sign-in, with its call", async () => {
    const hung: string[] = [];
    const silent = await listenOn((request) => {
      hung.push(new URL(request.url).pathname);
      return new Promise<Response>(() => undefined);
    });
    open.push(silent);
    const stop = new AbortController();
    const context = {
      principal: ann,
      path: ["c"],
      state: undefined,
      signal: stop.signal,
      ask: () => Promise.resolve(""),
    };
    const bank = signIns({ vault: memoryVault(), redirect }).api({ name: "bank", url: silent.url, issuer: silent.url });
    const asked = bank.fetchFor(context)(silent.url);
    asked.catch(() => undefined);
    for (let tries = 0; hung.length === 0 && tries < 400; tries += 1)
      await new Promise((resolve) => setTimeout(resolve, 10));
    stop.abort(new Error("the run was aborted"));
    await expect(asked).rejects.toThrow("the run was aborted");
    expect(hung).toEqual(["/.well-known/oauth-authorization-server"]);
  });

  it("refuses options that can't be right, in words", () => {
    const signIn = signIns({ vault: memoryVault(), redirect });
    const make =
      (more: object): (() => unknown) =>
      () =>
        signIn.api({ name: "bank", url: "https://bank.example/v1", ...more });
    expect(make({ url: "http://bank.example" })).toThrow('api: url is "http://bank.example": give an https address');
    expect(make({ issuer: "https://a:b@login.example" })).toThrow("api: issuer is");
    expect(make({ scopes: ["read write"] })).toThrow('api: scopes has "read write", which is no scope');
    expect(make({ name: "" })).toThrow("api: name has 1 to 64 characters");
  });

  it("needs `asks` of its tool", async () => {
    const at = await placeOf("API");
    const bank = at.signIn.api({ name: "bank", url: at.guarded.api, issuer: at.guarded.issuer });
    const bare = toolOf({
      name: "bare",
      description: "Calls without asks.",
      input: { type: "object", properties: {} },
      effect: "network",
      run: async (_input: unknown, context) => (await bank.fetchFor(context as never)(at.guarded.api)).text(),
    });
    const agent = createAgent({
      model: scriptedModel([[call("bare", {})], [call("task_completion", { result: "done" })]]),
      permission: () => true,
      tools: [taskCompletion(), bare],
    });
    const session = openSession({ store: at.store, id: "s" });
    await agent.run("Go.", { session, by: ann }).catch(() => undefined);
    expect(JSON.stringify(await session.toJSON())).toContain("does not declare it");
  });
});

describe("a server that lies about its authorization server", () => {
  const begins = async (behaviour: Behaviour): Promise<string> => {
    const at = await place({ listsFreely: true, ...behaviour });
    await at.run("bank__whoami", "s", ann);
    expect(at.guarded.secrets.size).toBe(0);
    return resultOf(at, "s");
  };

  it.each<[string, Behaviour, string]>([
    [
      "an address without encryption",
      { resourceMetadata: { authorization_servers: ["http://evil.example"] } },
      "http://evil.example, which is not https",
    ],
    ["another issuer", { issuerMetadata: { issuer: "https://evil.example" } }, "evil.example"],
    [
      "an address to open without encryption",
      { issuerMetadata: { authorization_endpoint: "http://evil.example/a" } },
      "not https",
    ],
    [
      "an address for codes without encryption",
      { issuerMetadata: { token_endpoint: "http://evil.example/t" } },
      "not https",
    ],
    ["no PKCE", { issuerMetadata: { code_challenge_methods_supported: ["plain"] } }, "PKCE"],
    ["another resource", { resourceMetadata: { resource: "https://evil.example/mcp" } }, "another server"],
  ])("and names %s begins no sign-in", async (_what, behaviour, words) => {
    const text = await begins(behaviour);
    expect(text).toContain("wants a sign-in, which can't begin");
    expect(text).toContain(words);
  });
});
