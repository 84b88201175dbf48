// A receiver of OTLP over HTTP on loopback, for commands that send JSON to it.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";

/** Attributes as OTLP writes them in JSON. */
interface Attributed {
  readonly attributes?: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
}

/** A span as OTLP writes it in JSON. */
export interface SentSpan extends Attributed {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
}

/** A point of a metric as OTLP writes it in JSON: `asInt` or `asDouble`, or the `count` of a histogram. */
export interface SentPoint extends Attributed {
  readonly asInt?: number | string;
  readonly asDouble?: number;
  readonly count?: number | string;
}

/** A metric as OTLP writes it in JSON. */
interface SentMetric {
  readonly name: string;
  readonly gauge?: Points;
  readonly sum?: Points;
  readonly histogram?: Points;
}

interface Points {
  readonly dataPoints: readonly SentPoint[];
}

/** A receiver, and what it got. */
export interface OtlpReceiver {
  readonly url: string;
  /** The variables that make a command send to it, as JSON. */
  readonly env: Readonly<Record<string, string>>;
  /** The bodies by their paths. */
  readonly bodies: readonly (readonly [path: string, body: string])[];
  spans(): readonly SentSpan[];
  /** The names of all metrics that came. */
  metrics(): readonly string[];
  /** The points of a metric in the last export that had it. */
  points(name: string): readonly SentPoint[];
}

/** Starts a receiver until the end of the test. One that is silent takes everything and answers nothing. */
export async function otlpReceiver({ isSilent = false } = {}): Promise<OtlpReceiver> {
  const bodies: (readonly [string, string])[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      bodies.push([request.url ?? "", body]);
      if (!isSilent) response.setHeader("content-type", "application/json").end("{}");
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const read = (path: string): readonly Record<string, unknown>[] =>
    bodies.filter(([to]) => to === path).map(([, body]) => JSON.parse(body) as Record<string, unknown>);
  const metrics = (): readonly SentMetric[] =>
    read("/v1/metrics").flatMap(({ resourceMetrics }) =>
      (resourceMetrics as { scopeMetrics: { metrics: SentMetric[] }[] }[]).flatMap((one) =>
        one.scopeMetrics.flatMap((scope) => scope.metrics),
      ),
    );
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  return {
    url,
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" },
    bodies,
    spans: () =>
      read("/v1/traces").flatMap(({ resourceSpans }) =>
        (resourceSpans as { scopeSpans: { spans: SentSpan[] }[] }[]).flatMap((one) =>
          one.scopeSpans.flatMap(({ spans }) => spans),
        ),
      ),
    metrics: () => metrics().map(({ name }) => name),
    points(name) {
      const metric = metrics().findLast((one) => one.name === name);
      return (metric?.gauge ?? metric?.sum ?? metric?.histogram)?.dataPoints ?? [];
    },
  };
}

/** The text of an attribute; undefined if there is none. */
export function attributeOf({ attributes = [] }: Attributed, name: string): unknown {
  return attributes.find(({ key }) => key === name)?.value["stringValue"];
}
