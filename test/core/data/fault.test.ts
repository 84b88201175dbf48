import { createServer, type AddressInfo } from "node:net";
import { inspect } from "node:util";
import { expect, test } from "vitest";
import { createAgent, LastcallError } from "../../../src/index.js";
import { openai } from "../../../src/model/index.js";
import { taskCompletion } from "../../../src/tools/index.js";

async function unusedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test("a refused connection is shown in few lines: the code, the stack, and one line for each cause", async () => {
  const url = `http://127.0.0.1:${String(await unusedPort())}/v1`;
  const model = openai({ baseURL: url, apiKey: "sk", steady: false });
  const outcome = await createAgent({ model, tools: [taskCompletion()] }).run("Go.");
  if (outcome.status !== "failed") throw new Error(outcome.status);
  const lines = inspect(outcome.fault).split("\n");
  expect(lines[0]).toMatch(/^LastcallError \[provider_unavailable\]: .*ECONNREFUSED/);
  expect(lines.length).toBeLessThan(25);
  expect(lines.filter((line) => line.startsWith("    at ")).length).toBeGreaterThan(0);
  expect(lines.at(-1)).toMatch(/^ {4}caused by .*ECONNREFUSED/);
  expect(outcome.fault.cause).toBeInstanceOf(Error);
});

test("causes of any type are shown one after the other, up to a limit", () => {
  const inner = Object.assign(new AggregateError([], ""), { code: "ECONNREFUSED" });
  const middle = new TypeError("fetch\n  failed", { cause: inner });
  const fault = new LastcallError("bug", "It broke.", { cause: middle });
  expect(inspect(fault).split("\n").slice(-2)).toEqual([
    "    caused by TypeError: fetch failed",
    "    caused by AggregateError [ECONNREFUSED]",
  ]);
  expect(inspect(new LastcallError("bug", "m", { cause: { a: 1 } }))).toMatch(/ {4}caused by \{"a":1\}$/);
  expect(inspect(new LastcallError("bug", "m"))).not.toContain("caused by");
  const round = new Error("round");
  round.cause = round;
  expect(inspect(new LastcallError("bug", "m", { cause: round })).match(/caused by/g)).toHaveLength(8);
  expect(inspect({ deep: { fault } })).toContain("LastcallError [bug]: It broke.");
});

test("the method that shows a fault is not part of its data", () => {
  expect(Object.keys(new LastcallError("bug", "m"))).toEqual(["name", "code", "status", "retryAfterMs"]);
});
