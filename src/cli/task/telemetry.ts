// Telemetry of the command: traces its runs if the variables of OpenTelemetry say where to send them, and the SDK is installed.

import { systemRuntime, type Hook } from "../../core/index.js";
import { isPlainObject } from "../../core/internal.js";
import { visible } from "../words/visible.js";

/** The telemetry of one command. */
export interface Telemetry {
  /** The hook that makes the spans and metrics. */
  readonly hook: Hook;
  /** Sends what is left, and waits for that, some seconds at most. */
  close(): Promise<void>;
}

/** The variables of which one says where to send to. The SDK reads them, and all others of OpenTelemetry, by itself. */
const endpoints = [
  "OTEL_EXPORTER_OTLP_ENDPOINT",
  "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
  "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
];

/** Milliseconds that one batch may take, attempts included, unless the variable says otherwise. The default of the SDK is ten seconds. */
const batchTimeout = 4000;
/** Milliseconds to wait for the last batch. */
const patience = 5000;

/** The environment of the process. */
type Variables = Readonly<Record<string, string | undefined>>;

/** The part of the SDK that is used here. */
interface Sdk {
  readonly NodeSDK: new (options: object) => { start(): void; shutdown(): Promise<void> };
  readonly resources: { readonly envDetector: unknown };
  readonly api: { readonly diag: { setLogger(logger: object, level: number): unknown } };
}

/** The level of errors in the diagnostics of OpenTelemetry. */
const errorLevel = 30;

/**
 * Starts the telemetry; undefined if no variable asks for it. If the SDK is missing, one line says how to install it, and there is no
 * telemetry either.
 */
export async function telemetryFor(env: Variables, say: (line: string) => void): Promise<Telemetry | undefined> {
  const variable = endpoints.find((name) => (env[name] ?? "").trim() !== "");
  if (variable === undefined || isOn(env["OTEL_SDK_DISABLED"])) return undefined;
  const loaded = await loadSdk();
  if (loaded === undefined) {
    say(
      `${variable} is set, but this run is not traced: the packages for it are missing. Beside lastcall, run npm install @opentelemetry/api @opentelemetry/sdk-node.`,
    );
    return undefined;
  }
  // The command would stay that long at its end if the receiver is gone. The SDK reads this variable of the process alone.
  process.env["OTEL_EXPORTER_OTLP_TIMEOUT"] ??= String(batchTimeout);
  const { otel, idGenerator } = await import("../../otel/index.js");
  loaded.api.diag.setLogger(firstError(variable, say), errorLevel);
  const sdk = new loaded.NodeSDK({
    ...(namesService(env) ? {} : { serviceName: "lastcall" }),
    idGenerator: idGenerator(),
    instrumentations: [],
    logRecordProcessors: [],
    // Another detector records the arguments of the process. They hold the task.
    resourceDetectors: [loaded.resources.envDetector],
  });
  sdk.start();
  const hook = await otel({ agent: "lastcall", content: wantsContent(env) });
  return { hook, close: () => shutDown(sdk, variable, say) };
}

/** The SDK; undefined if it, or the package with its interfaces, is not installed. */
async function loadSdk(): Promise<Sdk | undefined> {
  try {
    return await import("@opentelemetry/sdk-node");
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND") return undefined;
    throw thrown;
  }
}

async function shutDown(
  sdk: { shutdown(): Promise<void> },
  variable: string,
  say: (line: string) => void,
): Promise<void> {
  const timer = new AbortController();
  const late = systemRuntime.sleep(patience, timer.signal).then(() => {
    throw new Error(`it took longer than ${String(patience / 1000)} seconds`);
  });
  try {
    await Promise.race([sdk.shutdown(), late]);
  } catch (thrown) {
    say(`Not all of the telemetry could be sent (${variable}): ${visible(reasonOf(thrown))}`);
  } finally {
    timer.abort();
  }
}

/** A logger that prints the first error, because the SDK reports each batch that could not be sent. */
function firstError(variable: string, say: (line: string) => void): object {
  let isFirst = true;
  const ignore = (): void => undefined;
  const error = (...details: readonly unknown[]): void => {
    if (isFirst) say(`The telemetry could not be sent (${variable}): ${visible(reasonOf(details[0]))}`);
    isFirst = false;
  };
  return { error, warn: ignore, info: ignore, debug: ignore, verbose: ignore };
}

/** The message of an error, or of one that the SDK has written as JSON. */
function reasonOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message;
  try {
    const read: unknown = JSON.parse(String(thrown));
    if (isPlainObject(read) && typeof read["message"] === "string" && read["message"] !== "") return read["message"];
  } catch {
    // It is a text and no JSON.
  }
  return String(thrown).slice(0, 200);
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
