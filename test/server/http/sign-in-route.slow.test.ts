// The callback of a sign-in at a real server, with real people, over HTTP; kill -9 between the tokens and the answer.

import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent, tool } from "../../../src/index.js";
import { memoryVault, signIns } from "../../../src/mcp/index.js";
import { memoryStore, openSession } from "../../../src/memory/index.js";
import { createHandler } from "../../../src/server/index.js";
import { call, scriptedModel } from "../../../src/testing/index.js";
import { taskCompletion } from "../../../src/tools/index.js";
import { temporaryFolder } from "../../memory/store-places.js";
import { guardedServer, type Behaviour, type Guarded } from "../../mcp/sign-in/guarded-server.js";
import "../../dist.js";

const open: (() => PromiseLike<unknown>)[] = [];

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

interface Shown {
  readonly status?: string;
  readonly text: string;
}

interface Place {
  readonly guarded: Guarded;
  readonly folder: string;
  readonly url: string;
  start(terms?: { readonly dies?: boolean; readonly tool?: string }): Promise<ChildProcess>;
  /** Asks as a person. */
  ask(who: string, path: string, body?: object): Promise<{ readonly status: number; readonly text: string }>;
  /** The session as its owner sees it, once its run has ended in this way. */
  until(who: string, id: string, status: string): Promise<Shown>;
}

const key = "0f".repeat(32);

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

type Kind = "MCP server" | "API";

async function placeOf(kind: Kind, behaviour: Behaviour = {}): Promise<Place> {
  const guarded = await guardedServer({ listsFreely: true, ...behaviour });
  open.push(() => guarded.close());
  const folder = await temporaryFolder();
  open.push(() => folder[Symbol.asyncDispose]());
  const port = await freePort();
  const url = `http://127.0.0.1:${String(port)}`;
  const ask: Place["ask"] = async (who, path, body) => {
    const response = await fetch(new URL(path, url), {
      headers: { cookie: `who=${who}`, ...(body && { "content-type": "application/json" }) },
      ...(body && { method: "POST", body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  };
  return {
    guarded,
    folder: folder.path,
    url,
    async start({ dies = false, tool = "bank__whoami" } = {}) {
      const ways = kind === "API" ? { api: guarded.api, issuer: guarded.issuer } : { url: guarded.url };
      const settings = { folder: folder.path, ...ways, tool, port, key, dies };
      const child = fork(
        join(import.meta.dirname, "../../mcp/sign-in/sign-in-server.mjs"),
        [JSON.stringify(settings)],
        {
          stdio: ["ignore", "pipe", "pipe", "ipc"],
        },
      );
      let said = "";
      child.stdout?.on("data", (piece) => (said += String(piece)));
      child.stderr?.on("data", (piece) => (said += String(piece)));
      open.push(async () => {
        if (child.exitCode === null && child.signalCode === null) {
          child.kill("SIGKILL");
          await once(child, "exit");
        }
        for (const secret of guarded.secrets) expect(said).not.toContain(secret);
      });
      await Promise.race([
        once(child, "message"),
        once(child, "exit").then(() => {
          throw new Error(`it ended: ${said}`);
        }),
      ]);
      return child;
    },
    ask,
    async until(who, id, status) {
      for (let tries = 0; tries < 400; tries += 1) {
        const { text } = await ask(who, `/sessions/${id}`);
        if (new RegExp(`"status":"${status}"`).test(text)) return { status, text };
        await sleep(25);
      }
      throw new Error(`${id} did not end as ${status}: ${(await ask(who, `/sessions/${id}`)).text}`);
    },
  };
}

/** Begins a run, and returns its session and the address of its question. */
async function begun(at: Place, who: string): Promise<{ readonly id: string; readonly address: string }> {
  const id = `of-${who}`;
  const { status, text } = await at.ask(who, `/sessions/${id}/runs`, { input: "go" });
  expect(status, text).toBeLessThan(300);
  const shown = await at.until(who, id, "waiting");
  return { id, address: JSON.parse(/"address":("(?:[^"\\]|\\.)*")/.exec(shown.text)?.[1] ?? '""') as string };
}

/** The bytes of all files in a folder. */
function bytesIn(folder: string): string {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
    .join("\n");
}

describe.each<[Kind]>([["MCP server"], ["API"]])("a callback of a sign-in at an %s", (kind) => {
  const place = (): Promise<Place> => placeOf(kind);

  test("answers the run of the person who asked, and the call is made once, with that person's token", async () => {
    const at = await place();
    await at.start();
    const [ann, bob] = [await begun(at, "ann"), await begun(at, "bob")];
    const back = new URL(await at.guarded.open(ann.address, "ann"));
    // Bob opens what Ann was sent, and Ann's session stays as it is.
    const stolen = await at.ask("bob", `${back.pathname}${back.search}`);
    expect(stolen.status).toBe(404);
    expect(stolen.text).not.toContain("ann");
    expect((await fetch(back)).status).toBe(401);
    expect(at.guarded.counts.exchanges).toBe(0);
    const page = await at.ask("ann", `${back.pathname}${back.search}`);
    expect(page.text).toContain("You are signed in at bank. The run goes on.");
    await at.until("ann", ann.id, "completed");
    const other = new URL(await at.guarded.open(bob.address, "bob"));
    await at.ask("bob", `${other.pathname}${other.search}`);
    await at.until("bob", bob.id, "completed");
    expect(at.guarded.calls).toEqual(["whoami ann", "whoami bob"]);
  });

  test("that is cut off by kill -9 behind the tokens is loaded again, and the call is made once", async () => {
    const at = await place();
    const victim = await at.start({ dies: true });
    const { id, address } = await begun(at, "ann");
    const back = new URL(await at.guarded.open(address, "ann"));
    const gone = once(victim, "exit");
    await expect(at.ask("ann", `${back.pathname}${back.search}`)).rejects.toThrow("fetch failed");
    expect(await gone).toEqual([null, "SIGKILL"]);
    await at.start();
    expect(at.guarded.calls).toEqual([]);
    for (let times = 0; times < 2; times += 1) {
      const { status } = await at.ask("ann", `${back.pathname}${back.search}`);
      expect(status).toBe(200);
    }
    await at.until("ann", id, "completed");
    expect(at.guarded.calls).toEqual(["whoami ann"]);
    expect(at.guarded.counts.exchanges).toBe(1);
  });

  test("leaves no token in any file: the journal has none, and the vault is encrypted and its owner's alone", async () => {
    const at = await place();
    await at.start({ tool: "bank__leak" });
    const { id, address } = await begun(at, "ann");
    const back = new URL(await at.guarded.open(address, "ann"));
    await at.ask("ann", `${back.pathname}${back.search}`);
    const { text } = await at.until("ann", id, "completed");
    const files = bytesIn(at.folder);
    expect(files).toContain("It is [redacted: sign-in token]!");
    expect(at.guarded.secrets.size).toBeGreaterThanOrEqual(4);
    for (const secret of at.guarded.secrets) {
      expect(files).not.toContain(secret);
      expect(text).not.toContain(secret);
    }
    const vault = join(at.folder, "vault");
    expect(statSync(vault).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(vault))
      if (name.endsWith(".json")) expect(statSync(join(vault, name)).mode & 0o777).toBe(0o600);
  });

  test("with a no goes on without the call", async () => {
    const at = await place();
    await at.start();
    const { id, address } = await begun(at, "ann");
    const back = new URL(await at.guarded.open(address, "ann", { denies: true }));
    expect((await at.ask("ann", `${back.pathname}${back.search}`)).text).toContain("You did not sign in at bank.");
    await at.until("ann", id, "completed");
    expect(at.guarded.calls).toEqual([]);
  });

  test("shows nothing of what it was sent", async () => {
    const at = await place();
    await at.start();
    for (const search of [
      "",
      "?state=<b>x</b>&code=<script>",
      "?error=<i>&error_description=<script>alert(1)</script>",
    ]) {
      const { status, text } = await at.ask("ann", `/oauth/callback${search}`);
      expect(status).toBe(404);
      expect(text).not.toMatch(/<(?:b|i|script)>/);
    }
  });
});

describe("a handler", () => {
  const agent = createAgent({ model: scriptedModel([]), tools: [taskCompletion()] });
  const handler = (more: object): ReturnType<typeof createHandler> =>
    createHandler({ agents: { clerk: agent }, store: memoryStore(), token: "sesame", ...more });
  const signIn = signIns({ vault: memoryVault(), redirect: "http://localhost/oauth/callback" });
  const callback = new Request("http://localhost/oauth/callback?state=x", { headers: { host: "localhost" } });

  test("has the route with signIn alone, and needs no token there", async () => {
    const [plain, ready] = [handler({}), handler({ signIn })];
    expect(plain.takes("/oauth/callback")).toBe(false);
    expect(ready.takes("/oauth/callback")).toBe(true);
    expect((await plain(callback.clone())).status).toBe(401);
    expect((await ready(callback.clone())).status).toBe(404);
    const other = new Request("http://localhost/sessions", { headers: { host: "localhost" } });
    expect((await ready(other)).status).toBe(401);
    const foreign = new Request("http://localhost/oauth/callback", { headers: { host: "evil.example" } });
    expect((await ready(foreign)).status).toBe(403);
  });

  test("answers no later question of the call when the page of a sign-in is loaded again", async () => {
    const asked = { kind: "sign_in", message: "Sign in.", address: "https://login.example/authorize?state=s1" };
    const paid: unknown[] = [];
    const replySchema = { type: "object", properties: { action: { type: "string" } }, required: ["action"] };
    const pay = tool({
      name: "pay",
      description: "Pays.",
      input: { type: "object", properties: {} },
      effect: "write",
      asks: z.unknown(),
      async run(_input: unknown, { ask }) {
        await ask(asked, { replySchema });
        paid.push(await ask({ message: "Pay 1000?" }, { replySchema }));
        return "Paid.";
      },
    });
    const clerk = createAgent({
      model: scriptedModel([[call("pay", {})], [call("task_completion", { result: "done" })]]),
      permission: () => true,
      tools: [pay, taskCompletion()],
    });
    let of = "";
    const { redirect } = signIn;
    const store = memoryStore();
    const handle = createHandler({
      agents: { clerk },
      store,
      token: "sesame",
      signIn: {
        redirect,
        complete: () => Promise.resolve({ server: "bank", call: of, answer: { action: "accept" } }),
      },
    });
    const headers = { host: "localhost", authorization: "Bearer sesame", "content-type": "application/json" };
    const at = (path: string, more?: Omit<RequestInit, "headers">): Promise<Response> =>
      handle(new Request(`http://localhost${path}`, { ...more, headers }));
    const questions = async (count: number): Promise<readonly string[]> => {
      for (let tries = 0; tries < 400; tries += 1) {
        const { records } = await openSession({ store, id: "s" }).toJSON();
        const found = records.filter((record) => record.type === "question").map(({ callId }) => callId);
        if (found.length === count && records.at(-1)?.type === "outcome") return found;
        await sleep(10);
      }
      throw new Error(`there are not ${String(count)} questions`);
    };
    const begun = await at("/sessions/s/runs", {
      method: "POST",
      body: JSON.stringify({ input: "go" }),
    });
    expect(begun.status, await begun.text()).toBeLessThan(300);
    of = (await questions(1))[0] ?? "";
    expect(await (await at("/oauth/callback?state=s1&code=c")).text()).toContain("The run goes on.");
    await questions(2);
    expect(await (await at("/oauth/callback?state=s1&code=c")).text()).toContain("Go back to the session.");
    await sleep(200);
    await questions(2);
    expect(paid).toEqual([]);
  });

  test("refuses sign-ins that it could not end", () => {
    const elsewhere = signIns({ vault: memoryVault(), redirect: "http://localhost/elsewhere" });
    expect(() => handler({ signIn: elsewhere })).toThrow("/oauth/callback");
    expect(() => handler({ signIn, readOnly: true })).toThrow("readOnly");
    expect(() => handler({ signIn: {} })).toThrow("signIns of lastcall/mcp");
  });
});
