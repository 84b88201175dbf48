// The questions to approvers, as events of the spans of their calls.

import { setTimeout as sleep } from "node:timers/promises";
import { ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { expect, test } from "vitest";
import { noRedactor } from "../../../src/core/internal.js";
import type { Event } from "../../../src/index.js";
import { attribute } from "../../../src/otel/data/names.js";
import { AskedCalls } from "../../../src/otel/live/asked-calls.js";
import { OpenSpan } from "../../../src/otel/live/open-span.js";
import { keepSpans } from "../tracing.js";

test("a question lasts from its asking to its answer, and is told once", async () => {
  const spans = keepSpans();
  const start = { name: "call", kind: "internal" as const, attributes: {} };
  const place = { tracer: spans.tracer, start, parent: ROOT_CONTEXT, inner: ROOT_CONTEXT };
  const span = new OpenSpan({ trace }, place);
  const asked = new AskedCalls({ content: false, secrets: noRedactor });
  const ask = { type: "call-asking", callId: "c", why: "it writes" } as Extract<Event, { type: "call-asking" }>;
  await sleep(300);
  const began = performance.now();
  asked.ask(ask, span);
  await sleep(10);
  asked.end("other", span);
  asked.end("c", span);
  const most = performance.now() - began;
  asked.end("c", span);
  span.interrupt();
  const [event, ...more] = spans.named("call").events;
  expect(more).toEqual([]);
  const waited = Number(event!.attributes?.[attribute.waited]);
  expect(waited).toBeGreaterThan(5);
  expect(waited).toBeLessThan(most + 5);
});
