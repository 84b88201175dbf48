// An open span, with the context that makes it the parent of what begins within it.

import { type Api, type Attributes, type Context, type Span, type Tracer, spanKind, statusCode } from "../data/api.js";
import type { SpanEnd, SpanStart } from "../describe/span-parts.js";
import { spanIdOf, traceIdOf } from "../data/ids.js";
import { attribute } from "../data/names.js";

/** The time in milliseconds since 1970, with fractions. It never goes backwards. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}

/** A span that is ended once. Without an SDK, or with one that does not sample it, it records nothing. */
export class OpenSpan {
  /** The context of what begins within the span. */
  readonly context: Context;
  readonly #span: Span;
  readonly #startedAt = now();
  #stoppedAt: number | undefined;
  #isOpen = true;

  /** Takes a span that has just started. `context` is that of its parent. */
  constructor({ trace }: Pick<Api, "trace">, span: Span, context: Context) {
    this.#span = span;
    this.isValid = trace.isSpanContextValid(span.spanContext());
    this.context = trace.setSpan(context, span);
  }

  /** Starts a span of the SDK. */
  static start(tracer: Tracer, { name, kind, attributes }: SpanStart, parent: Context): Span {
    return tracer.startSpan(name, { kind: spanKind[kind], attributes, startTime: now() }, parent);
  }

  /** True if the span has ids. Without an SDK it has none. */
  readonly isValid: boolean;

  get isRecording(): boolean {
    return this.#span.isRecording();
  }

  /** The duration so far in milliseconds, or until `stop`. */
  get elapsed(): number {
    return (this.#stoppedAt ?? now()) - this.#startedAt;
  }

  add(attributes: Attributes): void {
    if (this.#isOpen) this.#span.setAttributes(attributes);
  }

  /** Adds an event. */
  note(name: string, attributes: Attributes): void {
    if (this.#isOpen) this.#span.addEvent(name, attributes, now());
  }

  /** Links the span to the first one of its run, if an SDK with our generator has given it the run's trace id. */
  linkToFirst(run: string): void {
    const { traceId, traceFlags } = this.#span.spanContext();
    if (traceId === traceIdOf(run)) this.#span.addLink({ context: { traceId, spanId: spanIdOf(run), traceFlags } });
  }

  /** Fixes the time of the end. The span is ended later. */
  stop(): void {
    this.#stoppedAt ??= now();
  }

  /** Ends the span. Only the first end counts. */
  end({ attributes, isError }: SpanEnd): void {
    if (!this.#isOpen) return;
    this.add(attributes);
    this.#isOpen = false;
    if (isError) this.#span.setStatus({ code: statusCode.error });
    this.#span.end(this.#stoppedAt ?? now());
  }

  /** Ends a span whose work was left. Only the first end counts. */
  interrupt(): void {
    this.end({ isError: false, attributes: { [attribute.interrupted]: true } });
  }
}
