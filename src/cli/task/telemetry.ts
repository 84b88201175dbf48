// Telemetry of the command: watches its runs and its store if the variables of OpenTelemetry say where to, and the SDK is installed.

import { systemRuntime, type Hook } from "../../core/index.js";
import { explain } from "../../core/internal.js";
import type { Store } from "../../memory/index.js";
import { loadOptional } from "../../packages/index.js";
import { visible } from "../display/visible.js";

/** The telemetry of one command. */
export interface Telemetry {
  /** The hook that makes the spans and metrics of runs, of any number of agents. Undefined if nothing is watched. */
  readonly hook: Hook | undefined;
  /** Returns the store with metrics, or as it is if nothing is watched. */
  watchStore<Kind extends Store>(store: Kind): Promise<Kind>;
  /** Sends what is left, and waits for that, some seconds at most. */
  close(): Promise<void>;
}

/** Nothing is watched. */
const noTelemetry: Telemetry = {
  hook: undefined,
  watchStore: (store) => Promise.resolve(store),
  close: () => Promise.resolve(),
};

/** The variables that can say where to send to. The SDK reads them, and all other variables of OpenTelemetry, by itself. */
const endpoints = [
  "OTEL_EXPORTER_OTLP_ENDPOINT",
  "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
  "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
];

/** The variables that have another default here. */
const defaults = {
  /** Milliseconds that one batch may take, attempts included. The command stays that long at its end if the receiver is gone. */
  OTEL_EXPORTER_OTLP_TIMEOUT: "4000",
  /** Another detector of the SDK records the arguments of the process. They hold the task. */
  OTEL_NODE_RESOURCE_DETECTORS: "env",
};
/** Milliseconds to wait for the last batch. */
const patience = 5000;

/** The environment of the process. */
type Variables = Readonly<Record<string, string | undefined>>;

const sdkPackage = {
  name: "@opentelemetry/sdk-node",
  neededBy: "the telemetry",
  from: "0.200",
  install: "npm install @opentelemetry/api @opentelemetry/sdk-node, beside lastcall",
};

/** The part of the SDK that is used here. */
interface Sdk {
  readonly NodeSDK: new (options: object) => { start(): void; shutdown(): Promise<void> };
}

/**
 * Starts the telemetry. Nothing is watched if no variable asks for it, or if the SDK is missing: then one line says how to install it.
 * A process starts it once, since OpenTelemetry refuses a second SDK, and the end of the first SDK is the end of all telemetry.
 */
export async function telemetryFor(env: Variables, say: (line: string) => void): Promise<Telemetry> {
  const variable = endpoints.find((name) => (env[name] ?? "").trim() !== "");
  if (variable === undefined || isOn(env["OTEL_SDK_DISABLED"])) return noTelemetry;
  let loaded: Sdk;
  try {
    loaded = await loadOptional(sdkPackage, () => import("@opentelemetry/sdk-node"));
  } catch (thrown) {
    say(`${variable} is set, but nothing is traced: ${visible(explain(thrown))}`);
    return noTelemetry;
  }
  // The SDK reads these variables of the process alone.
  for (const [name, value] of Object.entries(defaults)) process.env[name] ??= value;
  const { otel, idGenerator, reportErrors, storeMetrics } = await import("../../otel/index.js");
  const tell = once((message) => {
    say(`Not all of the telemetry could be sent (${variable}): ${visible(message)}`);
  });
  await reportErrors(tell);
  const sdk = new loaded.NodeSDK({
    ...(namesService(env) ? {} : { serviceName: "lastcall" }),
    idGenerator: idGenerator(),
    instrumentations: [],
    logRecordProcessors: [],
  });
  sdk.start();
  const hook = await otel({ agent: "lastcall", content: wantsContent(env) });
  return { hook, watchStore: (store) => storeMetrics(store), close: () => shutDown(sdk, tell) };
}

/** Calls the function the first time, and not again: one error is often told of in two places. */
function once(tell: (message: string) => void): (message: string) => void {
  let isTold = false;
  return (message) => {
    if (!isTold) tell(message);
    isTold = true;
  };
}

async function shutDown(sdk: { shutdown(): Promise<void> }, tell: (message: string) => void): Promise<void> {
  const timer = new AbortController();
  const late = systemRuntime.sleep(patience, timer.signal).then(() => {
    throw new Error(`it took longer than ${String(patience / 1000)} seconds`);
  });
  try {
    await Promise.race([sdk.shutdown(), late]);
  } catch (thrown) {
    tell(explain(thrown));
  } finally {
    timer.abort();
  }
}

function namesService(env: Variables): boolean {
  return (
    (env["OTEL_SERVICE_NAME"] ?? "") !== "" || /(?:^|,)\s*service\.name=/.test(env["OTEL_RESOURCE_ATTRIBUTES"] ?? "")
  );
}

/** True if the variable that other instrumentations have for it asks for texts in spans. */
function wantsContent(env: Variables): boolean {
  return /^(?:true|span_only|span_and_event)$/i.test(env["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] ?? "");
}

function isOn(value: string | undefined): boolean {
  return value?.trim().toLowerCase() === "true";
}
