import { once } from "node:events";
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { call, scriptedProvider, type Script } from "../../../src/testing/index.js";
import { run, start } from "../command.js";

const root = resolve(import.meta.dirname, "../../..");

/** A span or a metric as OTLP writes it in JSON. */
interface Sent {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
}

/** A receiver of OTLP over HTTP, and what it got. */
interface Receiver {
  readonly url: string;
  /** The bodies by their paths. */
  readonly bodies: readonly (readonly [path: string, body: string])[];
  spans(): readonly Sent[];
  metrics(): readonly string[];
}

async function receiver(): Promise<Receiver> {
  const bodies: (readonly [string, string])[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      bodies.push([request.url ?? "", body]);
      response.setHeader("content-type", "application/json").end("{}");
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const read = (path: string): readonly Record<string, unknown>[] =>
    bodies.filter(([to]) => to === path).map(([, body]) => JSON.parse(body) as Record<string, unknown>);
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    bodies,
    spans: () =>
      read("/v1/traces").flatMap(({ resourceSpans }) =>
        (resourceSpans as { scopeSpans: { spans: Sent[] }[] }[]).flatMap((one) =>
          one.scopeSpans.flatMap(({ spans }) => spans),
        ),
      ),
    metrics: () =>
      read("/v1/metrics").flatMap(({ resourceMetrics }) =>
        (resourceMetrics as { scopeMetrics: { metrics: Sent[] }[] }[]).flatMap((one) =>
          one.scopeMetrics.flatMap(({ metrics }) => metrics.map(({ name }) => name)),
        ),
      ),
  };
}

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
  const { url, bodies, spans, metrics } = await receiver();
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
  const { url, spans } = await receiver();
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
  const { url, bodies } = await receiver();
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
  const place = await mkdtemp(join(tmpdir(), "lastcall-bare-"));
  onTestFinished(() => rm(place, { recursive: true, force: true }));
  await cp(join(root, "dist"), join(place, "dist"), { recursive: true });
  await writeFile(join(place, "package.json"), '{ "type": "module", "version": "0.0.0" }');
  await mkdir(join(place, "node_modules"));
  for (const name of await readdir(join(root, "node_modules")))
    if (name !== "@opentelemetry") await symlink(join(root, "node_modules", name), join(place, "node_modules", name));
  const { url, bodies } = await receiver();
  const bin = join(place, "dist/cli/bin.js");
  const { child, ended } = start([bin, ...(await task())], { OTEL_EXPORTER_OTLP_ENDPOINT: url }, "node");
  child.stdin?.end();
  const { code, stdout, stderr } = await ended;
  expect({ code, stdout, stderr }).toMatchObject({ code: 0, stdout: "There is nothing.\n" });
  const lines = stderr.split("\n").filter((line) => line.includes("OTEL"));
  expect(lines).toEqual([
    "OTEL_EXPORTER_OTLP_ENDPOINT is set, but this run is not traced: the packages for it are missing. Beside lastcall, run npm install @opentelemetry/api @opentelemetry/sdk-node.",
  ]);
  expect(bodies).toEqual([]);
});
