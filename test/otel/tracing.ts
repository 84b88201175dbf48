// Real OpenTelemetry for tests: spans and metrics in memory, and the context manager of Node while a file is tested.

import { context } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  SimpleSpanProcessor,
  type IdGenerator,
  type ReadableSpan,
} from "@opentelemetry/sdk-trace-node";
import { afterAll, beforeAll } from "vitest";
import type { Tracer } from "../../src/otel/index.js";

/** Registers the context manager for the tests of a file, and takes it away after them. */
export function withContexts(): void {
  beforeAll(() => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  });
  afterAll(() => {
    context.disable();
  });
}

/** A tracer whose ended spans are kept. */
export interface KeptSpans {
  readonly tracer: Tracer;
  /** The ended spans, in the order of their starts. */
  spans(): readonly ReadableSpan[];
  /** The ended span with this name. It fails if there is none, or more than one. */
  named(name: string): ReadableSpan;
  /** One line for each span under its parent, two spaces deeper. Spans without a parent here come first. */
  tree(): readonly string[];
}

/** Makes a tracer of a real provider. */
export function keepSpans(idGenerator?: IdGenerator): KeptSpans {
  const exporter = new InMemorySpanExporter();
  const provider = new NodeTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(exporter)],
    ...(idGenerator !== undefined && { idGenerator }),
  });
  const spans = (): readonly ReadableSpan[] =>
    exporter.getFinishedSpans().toSorted((a, b) => a.startTime[0] - b.startTime[0] || a.startTime[1] - b.startTime[1]);
  return {
    tracer: provider.getTracer("lastcall"),
    spans,
    named(name) {
      const found = spans().filter((span) => span.name === name);
      if (found.length !== 1) throw new Error(`there are ${String(found.length)} spans named ${name}`);
      return found[0]!;
    },
    tree: () => treeOf(spans().map((span) => ({ name: span.name, id: idOf(span), parent: parentOf(span) }))),
  };
}

/** The id of a span. */
export function idOf(span: ReadableSpan): string {
  return span.spanContext().spanId;
}

/** The id of a span's parent. */
export function parentOf(span: ReadableSpan): string | undefined {
  return span.parentSpanContext?.spanId;
}

/** One line for each span, under its parent. */
export function treeOf(
  spans: readonly { readonly name: string; readonly id: string; readonly parent: string | undefined }[],
): readonly string[] {
  const under = (parent: string | undefined, depth: number): readonly string[] =>
    spans
      .filter((span) => (parent === undefined ? !spans.some(({ id }) => id === span.parent) : span.parent === parent))
      .flatMap(({ name, id }) => [`${"  ".repeat(depth)}${name}`, ...under(id, depth + 1)]);
  return under(undefined, 0);
}

/** One point of a metric: its value, or the count and the sum of a histogram, with its attributes. */
export interface Point {
  readonly name: string;
  readonly unit: string;
  readonly value: unknown;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** Makes a meter of a real provider, and a function that reads its points. */
export function keepMetrics(): {
  readonly meter: ReturnType<MeterProvider["getMeter"]>;
  points(): Promise<readonly Point[]>;
} {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 1_000_000 });
  const provider = new MeterProvider({ readers: [reader] });
  return {
    meter: provider.getMeter("lastcall"),
    async points() {
      const { resourceMetrics } = await reader.collect();
      await provider.shutdown();
      return resourceMetrics.scopeMetrics.flatMap(({ metrics }) =>
        metrics.flatMap(({ descriptor, dataPoints }) =>
          dataPoints.map(({ value, attributes }) => ({
            name: descriptor.name,
            unit: descriptor.unit,
            value: typeof value === "number" ? value : pick(value),
            attributes,
          })),
        ),
      );
    },
  };
}

function pick(value: unknown): unknown {
  const { count, sum } = value as { readonly count: number; readonly sum: number };
  return { count, sum };
}
