import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { call, scriptedProvider, type Script } from "../../../src/testing/index.js";
import { commandWithout, run, start } from "../command.js";
import { otlpReceiver } from "../otlp-receiver.js";

const script: Script = [
  [call("list_files", { path: "." })],
  [call("task_completion", { result: "There is nothing." })],
];

/** A folder to work in, a provider with the script, and the arguments of a task there. */
async function task(replies: Script = script): Promise<readonly string[]> {
  const workdir = await mkdtemp(join(tmpdir(), "lastcall-telemetry-"));
  const provider = await scriptedProvider(replies);
  onTestFinished(async () => {
    await provider.close();
    await rm(workdir, { recursive: true, force: true });
  });
  return ["look at the secret plans", "--base-url", provider.url, "--model", "m", "--no-save", "--workdir", workdir];
}

test("a task is traced to the address in OTEL_EXPORTER_OTLP_ENDPOINT, with metrics and without content", async () => {
  const { url, bodies, spans, metrics } = await otlpReceiver();
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" };
  const { code, stdout, stderr } = await run(await task(), env);
  expect({ code, stdout, stderr }).toMatchObject({ code: 0, stdout: "There is nothing.\n" });
  const sent = spans();
  const byName = sent.map(({ name, parentSpanId }) => [name, sent.find(({ spanId }) => spanId === parentSpanId)?.name]);
  expect(byName.sort()).toEqual([
    ["chat m", "invoke_agent lastcall"],
    ["chat m", "invoke_agent lastcall"],
    ["execute_tool list_files", "invoke_agent lastcall"],
    ["execute_tool task_completion", "invoke_agent lastcall"],
    ["invoke_agent lastcall", undefined],
  ]);
  expect(new Set(sent.map(({ traceId }) => traceId)).size).toBe(1);
  expect(metrics()).toEqual(expect.arrayContaining(["lastcall.runs", "gen_ai.client.operation.duration"]));
  const everything = bodies.map(([, body]) => body).join("\n");
  expect(everything).toContain('"service.name"');
  for (const words of ["secret plans", "There is nothing", "--workdir"]) expect(everything).not.toContain(words);
});

test("an agent that the model calls is traced below its call", async () => {
  const { url, spans } = await otlpReceiver();
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" };
  const replies: Script = [
    [call("explore", { task: "Look for plans." })],
    [call("list_files", { path: "." })],
    [call("task_completion", { result: "No plans." })],
    [call("task_completion", { result: "There is nothing." })],
  ];
  const { code, stderr } = await run(await task(replies), env);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  const sent = spans();
  const explored = sent.find(({ name }) => name === "execute_tool explore");
  const agent = sent.find(({ name, parentSpanId }) => name.startsWith("invoke_agent") && parentSpanId !== undefined);
  expect(agent?.parentSpanId).toBe(explored?.spanId);
  const listed = sent.find(({ name }) => name === "execute_tool list_files");
  expect(listed?.parentSpanId).toBe(agent?.spanId);
});

test("texts are recorded if the variable of the conventions asks for them, and the service has the name that is set", async () => {
  const { url, bodies } = await otlpReceiver();
  const { code } = await run(await task(), {
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${url}/v1/traces`,
    OTEL_METRICS_EXPORTER: "none",
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    OTEL_SERVICE_NAME: "planner",
    OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true",
  });
  expect(code).toBe(0);
  const everything = bodies.map(([, body]) => body).join("\n");
  for (const words of ["secret plans", "There is nothing", '"planner"']) expect(everything).toContain(words);
});

test("a receiver that is not there is one line, and the run is as it was", async () => {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9", OTEL_METRICS_EXPORTER: "none" };
  const began = performance.now();
  const { code, stdout, stderr } = await run(await task(), env);
  expect(performance.now() - began).toBeLessThan(9000);
  expect({ code, stdout }).toEqual({ code: 0, stdout: "There is nothing.\n" });
  expect(stderr.match(/telemetry could(?: not)? be sent \(OTEL_EXPORTER_OTLP_ENDPOINT\)/g)).toHaveLength(1);
});

test("without the packages one line says how to install them, and the run goes on", async () => {
  const { url, bodies } = await otlpReceiver();
  const bin = await commandWithout("@opentelemetry");
  const { child, ended } = start([bin, ...(await task())], { OTEL_EXPORTER_OTLP_ENDPOINT: url }, "node");
  child.stdin?.end();
  const { code, stdout, stderr } = await ended;
  expect({ code, stdout, stderr }).toMatchObject({ code: 0, stdout: "There is nothing.\n" });
  const lines = stderr.split("\n").filter((line) => line.includes("OTEL"));
  expect(lines).toEqual([
    "OTEL_EXPORTER_OTLP_ENDPOINT is set, but nothing is traced: the telemetry needs the package @opentelemetry/sdk-node, which is not installed: npm install @opentelemetry/api @opentelemetry/sdk-node, beside lastcall",
  ]);
  expect(bodies).toEqual([]);
});
