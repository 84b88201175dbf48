import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { inspect } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { atCaller } from "../../../src/core/internal.js";
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
  expect(Object.keys(new LastcallError("bug", "m"))).toEqual(["name", "code"]);
  const known = new LastcallError("provider_unavailable", "m", { status: 429, retryAfterMs: 5 });
  expect(known).toMatchObject({ name: "LastcallError", code: "provider_unavailable", status: 429, retryAfterMs: 5 });
  expect(Object.keys(known)).toEqual(["name", "code", "status", "retryAfterMs"]);
});

test("a fault of the user's program that nobody catches shows the sentence and the user's own line, none of this package", async () => {
  const folder = await mkdtemp(join(tmpdir(), "lastcall-uncaught-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const programs = {
    "key.mjs": 'import { openai } from "lastcall/model";\n\nconst model = openai();\nconsole.log(model);\n',
    "agent.mjs": 'import { createAgent } from "lastcall";\n\nconst agent = createAgent({ model: {}, tools: [] });\n',
  };
  await mkdir(join(folder, "node_modules"));
  await symlink(resolve(import.meta.dirname, "../../.."), join(folder, "node_modules/lastcall"));
  for (const [name, text] of Object.entries(programs)) {
    await writeFile(join(folder, name), text);
    const { stderr, status } = spawnSync(process.execPath, [join(folder, name)], { encoding: "utf8", env: {} });
    expect(status).toBe(1);
    const [place = "", line, , , sentence = "", frame = ""] = stderr.split("\n");
    expect(place).toMatch(new RegExp(`${name}:3$`));
    expect(line).toBe(text.split("\n")[2]);
    expect(sentence).toMatch(/^LastcallError: \S/);
    expect(frame).toContain(`${name}:3:`);
    expect(stderr).not.toContain("dist");
    expect(stderr).not.toContain("undefined");
  }
});

test("the stack of any other fault stays whole", () => {
  const fail = (): never => {
    throw new LastcallError("bug", "It broke.");
  };
  const entry = (): unknown => atCaller(entry, fail);
  let fault: unknown;
  try {
    entry();
  } catch (thrown) {
    fault = thrown;
  }
  expect((fault as Error).stack).toContain("at fail ");
});
