import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { findWindow } from "../../../src/cli/task/find-window.js";

/** Asks a server that answers these paths for the window of the model m. Returns the window and the lines that were said. */
async function ask(
  answers: Readonly<Record<string, unknown>>,
): Promise<readonly [number | undefined, readonly string[]]> {
  const server = createServer(({ url = "" }, response) => {
    response.writeHead(url in answers ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(answers[url] ?? {}));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const baseURL = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/v1`;
  const said: string[] = [];
  const window = await findWindow({ model: "m", baseURL }, (line) => said.push(line));
  server.closeAllConnections();
  server.close();
  return [window, said];
}

const listing = (entry: object): object => ({
  object: "list",
  data: [
    { id: "other", meta: { n_ctx: 7 } },
    { id: "m", ...entry },
  ],
});
const properties = (n_ctx: unknown): object => ({ default_generation_settings: { n_ctx }, total_slots: 2 });

test("the window is the one that the server was started with, and it is said", async () => {
  const [window, said] = await ask({ "/v1/models": listing({ meta: { n_ctx: 8192, n_ctx_train: 131_072 } }) });
  expect(window).toBe(8192);
  expect(said).toEqual(["The window of m has 8192 tokens, says the server. --window sets another."]);
});

test.each([
  [
    "the properties of llama-server",
    { "/v1/models": listing({ meta: { n_ctx_train: 131_072 } }), "/props": properties(4096) },
    4096,
  ],
  ["the list of vLLM", { "/v1/models": listing({ max_model_len: 32_768 }) }, 32_768],
])("the window is found in %s", async (_where, answers, window) => {
  expect((await ask(answers))[0]).toBe(window);
});

test.each([
  ["nothing", {}],
  ["the window of another model", { "/v1/models": { data: [{ id: "other", meta: { n_ctx: 7 } }] } }],
  [
    "a window that is no number of tokens",
    { "/v1/models": listing({ max_model_len: "many" }), "/props": properties(0) },
  ],
])("a server that says %s leaves the window unknown, and nothing is said", async (_what, answers) => {
  expect(await ask(answers)).toEqual([undefined, []]);
});

test("a server elsewhere is not asked", async () => {
  const baseURL = "http://127.0.0.1.nip.invalid/v1";
  expect(await findWindow({ model: "m", baseURL: "https://llm.invalid/v1" }, () => undefined)).toBeUndefined();
  expect(await findWindow({ model: "m", baseURL }, () => undefined)).toBeUndefined();
});
