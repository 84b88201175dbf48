// The entry `lastcall/otel`: spans and metrics of OpenTelemetry, from runs in progress and from the journal.

export { otel, type OtelOptions } from "./otel.js";
export type {
  Attributes,
  InstrumentOptions,
  Meter,
  ObservableGauge,
  Observed,
  Span,
  SpanContext,
  SpanIds,
  StoreMeter,
  Tracer,
} from "./data/api.js";
export { exportTrace, type ExportOptions, type SpanExporter } from "./export-trace.js";
export { idGenerator, type IdGenerator } from "./data/ids.js";
export { reportErrors } from "./report-errors.js";
export type { SpanData } from "./journal/span-data.js";
export { storeMetrics, type StoreMetricsOptions } from "./store-metrics.js";
export { traceOf, type TraceOptions } from "./trace-of.js";
