// The part of `@opentelemetry/api` that is used here, as types of our own, and the package itself, which is loaded late.

import { loadOptional } from "../../packages/index.js";

/** Attributes by name: texts, numbers, booleans, or lists of texts. Undefined counts as left out. */
export type Attributes = Readonly<Record<string, unknown>>;

/** The ids of a span. */
export interface SpanIds {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
}

/** The identity of a span, as it crosses processes. */
export interface SpanContext extends SpanIds {
  /** 1 if the span is sampled. */
  readonly traceFlags: number;
}

/** A span of OpenTelemetry. Times are in milliseconds since 1970. */
export interface Span {
  spanContext(): SpanContext;
  isRecording(): boolean;
  setAttributes(attributes: Attributes): unknown;
  addEvent(name: string, attributes?: unknown, time?: unknown): unknown;
  addLink(link: { readonly context: SpanContext }): unknown;
  setStatus(status: { readonly code: number; readonly message?: string }): unknown;
  end(time?: unknown): void;
}

/** A tracer of OpenTelemetry. */
export interface Tracer {
  startSpan(
    name: string,
    options?: { readonly kind?: number; readonly attributes?: Attributes; readonly startTime?: unknown },
    context?: unknown,
  ): Span;
}

/** The unit and the description of an instrument, and the bounds of its buckets if it has any. */
export interface InstrumentOptions {
  readonly description: string;
  readonly unit: string;
  readonly advice?: { readonly explicitBucketBoundaries: number[] };
}

/** A meter of OpenTelemetry. */
export interface Meter {
  createCounter(name: string, options?: InstrumentOptions): { add(value: number, attributes?: Attributes): void };
  createHistogram(name: string, options?: InstrumentOptions): { record(value: number, attributes?: Attributes): void };
}

/** A gauge whose values are told when metrics are collected. */
export interface ObservableGauge {
  addCallback(callback: never): void;
}

/** The values that a collection asks for. */
export interface Observed {
  observe(gauge: ObservableGauge, value: number, attributes?: Attributes): void;
}

/** A meter that has gauges as well, as every meter of OpenTelemetry does. */
export interface StoreMeter extends Meter {
  createObservableGauge(name: string, options?: InstrumentOptions): ObservableGauge;
  addBatchObservableCallback(callback: (observed: Observed) => Promise<void>, gauges: ObservableGauge[]): void;
  removeBatchObservableCallback(callback: (observed: Observed) => Promise<void>, gauges: ObservableGauge[]): void;
}

/** A context of OpenTelemetry: immutable, and passed on by the context manager of the host. */
export interface Context {
  getValue(key: symbol): unknown;
  setValue(key: symbol, value: unknown): Context;
}

/** A logger of OpenTelemetry, one method for each level. */
type Logger = Readonly<
  Record<"error" | "warn" | "info" | "debug" | "verbose", (...details: readonly unknown[]) => void>
>;

/** The part of the package that is used here. */
export interface Api {
  readonly trace: {
    getTracer(name: string): Tracer;
    setSpan(context: Context, span: Span): Context;
    isSpanContextValid(context: SpanContext): boolean;
  };
  readonly metrics: { getMeter(name: string): StoreMeter };
  readonly context: { active(): Context; with<Made>(context: Context, work: () => Made): Made };
  readonly diag: {
    error(message: string, ...details: readonly unknown[]): void;
    setLogger(
      logger: Logger,
      options: { readonly logLevel: number; readonly suppressOverrideMessage: boolean },
    ): unknown;
  };
}

/** The kinds of spans in OpenTelemetry. */
export const spanKind = { internal: 0, client: 2 } as const;

/** The level of errors in the diagnostics of OpenTelemetry. */
export const errorLevel = 30;

/** The codes of a span's status in OpenTelemetry. */
export const statusCode = { unset: 0, error: 2 } as const;

/**
 * Loads the package.
 * @throws LastcallError `configuration` if it is not installed, or can't be loaded.
 */
export function loadApi(): Promise<Api> {
  const needed = { name: "@opentelemetry/api", neededBy: "lastcall/otel", from: "1.9" };
  // The package's own spans take what these spans are given, and their types say so in more words.
  return loadOptional(needed, () => import("@opentelemetry/api"));
}
