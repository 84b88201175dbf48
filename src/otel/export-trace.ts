// Sends spans from a journal through any exporter of OpenTelemetry.

import { checkOptions, type OptionKinds, explain } from "../core/internal.js";
import { LastcallError } from "../core/index.js";
import { spanKind, statusCode, type Attributes, type SpanIds } from "./data/api.js";
import type { SpanData } from "./journal/span-data.js";
import { scope } from "./data/names.js";

/** An exporter of spans, as the packages `@opentelemetry/exporter-trace-otlp-*` have them. */
export interface SpanExporter {
  // The real type of a span has fields that only the SDK can name.
  export(spans: never[], done: (result: { readonly code: number; readonly error?: Error }) => void): void;
}

/** The options of `exportTrace`. */
export interface ExportOptions {
  /** The attributes of the process that the spans are told to come from. Default: `{ "service.name": "lastcall" }`. */
  readonly resource?: Attributes | undefined;
}

/** At most this many spans go to the exporter at a time, as SDKs have it. */
const batch = 512;

/**
 * Sends the spans, in their order, and waits until the exporter has taken them. Spans have the ids of `traceOf`: a backend that goes by ids
 * is the same after a second export.
 * @throws LastcallError `store` if the exporter could not send them.
 */
export async function exportTrace(
  spans: readonly SpanData[],
  exporter: SpanExporter,
  options: ExportOptions = {},
): Promise<void> {
  checkOptions("exportTrace", options, { resource: "object" } satisfies OptionKinds<ExportOptions>);
  const { resource = { "service.name": scope } } = options;
  const source = {
    attributes: resource,
    asyncAttributesPending: false,
    merge: () => source,
    getRawAttributes: () => Object.entries(resource),
  };
  for (let from = 0; from < spans.length; from += batch) {
    const written = spans.slice(from, from + batch).map((span) => readable(span, source));
    await new Promise<void>((resolve, reject) => {
      exporter.export(written as never[], ({ code, error }) => {
        if (code === 0) resolve();
        else
          reject(
            new LastcallError(
              "store",
              `The spans could not be exported: ${explain(error ?? "the exporter gave no reason")}`,
              { cause: error },
            ),
          );
      });
    });
  }
}

/** A span in the form that exporters read. */
function readable(span: SpanData, resource: object): object {
  const { traceId, parentSpanId, name, kind, start, end, attributes, events, links, status } = span;
  const contextOf = (ids: SpanIds): object => ({ traceId: ids.traceId, spanId: ids.spanId, traceFlags: 1 });
  return {
    name,
    kind: spanKind[kind],
    spanContext: () => contextOf(span),
    ...(parentSpanId !== undefined && {
      parentSpanId,
      parentSpanContext: contextOf({ traceId, spanId: parentSpanId }),
    }),
    startTime: timeOf(start),
    endTime: timeOf(end),
    duration: timeOf(end - start),
    status: { code: statusCode[status] },
    attributes,
    events: events.map((event) => ({ name: event.name, time: timeOf(event.at), attributes: event.attributes })),
    links: links.map((ids) => ({ context: contextOf(ids), attributes: {} })),
    ended: true,
    resource,
    instrumentationScope: { name: scope },
    instrumentationLibrary: { name: scope },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

/** Milliseconds as seconds and nanoseconds. */
function timeOf(ms: number): readonly [seconds: number, nanoseconds: number] {
  return [Math.floor(ms / 1000), Math.round((ms % 1000) * 1e6)];
}
