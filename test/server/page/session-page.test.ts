// Pages of sessions: no secret is in their bytes, no text of a session is markup in them, and only readers get one.

import { expect, test } from "vitest";
import { z } from "zod";
import { createAgent, tool, type JournalRecord } from "../../../src/index.js";
import { importSession, memoryStore, openSession } from "../../../src/memory/index.js";
import { packedElement, unpacked, type PackedSession } from "../../../src/memory/stores.js";
import { createHandler, sessionPage } from "../../../src/server/index.js";
import { call, scriptedModel } from "../../../src/testing/index.js";
import { delegate, taskCompletion } from "../../../src/tools/index.js";
import { allowAll } from "../../../src/permission/index.js";
import "../../dist.js";

const id = "20261129-0040-abcd";
const key = "sk-proj-aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA3bC6dE9fG2h";
const ours = "the-words-of-our-vault";

/** Texts that would like to be markup, to end an element, or to break a reader. */
const hostile = "</script><script>alert(1)</script> <!-- --> ]]> \u2028 \u2029 \u0000 \ud800 {{x}} ${x} &lt; \u202e";

async function made() {
  const store = memoryStore();
  const look = tool({
    name: "look",
    description: `Looks. ${hostile}`,
    input: z.record(z.string(), z.string()),
    effect: "read",
    run: () => `result ${ours} ${hostile}`,
  });
  const helper = createAgent({
    model: scriptedModel([[call("task_completion", { result: `below ${ours}` })]]),
    tools: [taskCompletion()],
  });
  const agent = createAgent({
    model: scriptedModel([
      { text: `I say ${key}. ${hostile}`, calls: [call("look", { [ours]: "named", api_key: "hunter2hunter2" })] },
      [call("help", { task: `with ${key}` })],
      [call("task_completion", { result: `Done. ${hostile}` })],
    ]),
    tools: [look, delegate(helper, { name: "help", description: "Helps" }), taskCompletion()],
    permission: allowAll(),
    checks: [{ name: "vault", verify: async () => ({ passed: true, output: `opened with ${ours}` }) }],
    instructions: `Instructions with ${key} and ${hostile}`,
  });
  const session = openSession({ store, id, about: { workdir: "/home/ann/secret-project" } });
  await agent.run(`Use ${key}, please. ${hostile}`, { session });
  return store;
}

async function contentOf(page: string): Promise<PackedSession> {
  const [begin, end] = packedElement;
  return (await unpacked(page.split(begin)[1]!.split(end)[0]!)) as PackedSession;
}

test("no secret is in the page, neither in its bytes nor in what they unpack to: the user's and the model's words too", async () => {
  const store = await made();
  const before = JSON.stringify(await openSession({ store, id }).toJSON());
  expect(before).toContain(key);
  expect(before).toContain(ours);
  const page = await sessionPage({ store, id, secrets: { values: [ours] } });
  const content = await contentOf(page);
  for (const text of [page, JSON.stringify(content)])
    for (const secret of [key, ours, "hunter2hunter2", "secret-project"]) expect(text).not.toContain(secret);
  expect(JSON.stringify(content)).toContain("[redacted: key]");
  // The store is as it was.
  expect(JSON.stringify(await openSession({ store, id }).toJSON())).toBe(before);
});

test("the records that lost a secret are named, the others are as they were, and the agents below are there", async () => {
  const store = await made();
  const { records, children = {} } = await openSession({ store, id }).toJSON();
  const { session, redacted, summaries } = await contentOf(
    await sessionPage({ store, id, secrets: { values: [ours] } }),
  );
  const changed = records.filter((record, at) => JSON.stringify(record) !== JSON.stringify(session.records[at]));
  expect(redacted[id]).toEqual(changed.map(({ seq }) => seq));
  const types = changed.map(({ type }: JournalRecord) => type);
  expect(types).toEqual(expect.arrayContaining(["input", "reply", "result", "check"]));
  expect(changed.length).toBeLessThan(records.length);
  expect(Object.keys(session.children ?? {})).toEqual(Object.keys(children));
  expect(Object.keys(summaries)).toEqual([id, ...Object.keys(children)]);
  expect(summaries[id]).toMatchObject({ id, status: "completed", iterations: 3 });
});

test("no text of a session is markup in the page: there are two scripts, one style, and letters and digits", async () => {
  const page = await sessionPage({ store: await made(), id });
  expect(page.match(/<script/g)).toHaveLength(2);
  expect(page.match(/<\/script/g)).toHaveLength(2);
  expect(page).not.toContain("<!--");
  expect(page).not.toContain("alert(1)");
  expect(page).not.toMatch(/https?:\/\/(?!www\.w3\.org)[^"'` )]*\.(?:js|css|woff2?)\b/);
  expect(page).toMatch(
    /content="default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; base-uri 'none'/,
  );
  expect(page.split(packedElement[0])[1]!.split("<")[0]).toMatch(/^[A-Za-z0-9+/=]+$/);
});

test("a page is imported, and the page of that is the same", async () => {
  const page = await sessionPage({ store: await made(), id });
  const store = memoryStore();
  expect((await importSession({ store, text: page })).id).toBe(id);
  const [{ session }, again] = [await contentOf(page), await contentOf(await sessionPage({ store, id }))];
  expect(again.session).toEqual(session);
  expect(again.redacted).toEqual({});
});

test("a session that is not there has no page, and an option that is not there is told", async () => {
  await expect(sessionPage({ store: memoryStore(), id })).rejects.toThrow("There is no session");
  await expect(sessionPage({ store: memoryStore(), id, secret: 1 } as never)).rejects.toThrow("secret");
  await expect(sessionPage({ store: memoryStore(), id, secrets: { values: ["short"] } })).rejects.toThrow(
    "8 characters",
  );
});

test("the server gives the page to its readers, as a file that never runs at its address", async () => {
  const store = await made();
  const agent = createAgent({ model: scriptedModel([]), tools: [taskCompletion()] });
  const handler = createHandler({
    agents: { worker: agent },
    store,
    token: "a-token-of-ours",
    secrets: { values: [ours] },
  });
  const get = (path: string, token = "a-token-of-ours"): Promise<Response> =>
    handler(
      new Request(`http://localhost${path}`, { headers: { authorization: `Bearer ${token}`, host: "localhost" } }),
    );
  const response = await get(`/sessions/${id}/page`);
  expect(response.status).toBe(200);
  expect(response.headers.get("content-disposition")).toBe(`attachment; filename="lastcall-${id}.html"`);
  expect(response.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
  expect(JSON.stringify(await contentOf(await response.text()))).not.toContain(ours);
  expect((await get(`/sessions/${id}/page`, "another")).status).toBe(401);
  expect((await get("/sessions/none/page")).status).toBe(404);
  await handler.close();
});
