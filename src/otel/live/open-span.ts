// An open span, with the context that makes it the parent of what begins within it.

import { spanKind, statusCode, type Api, type Attributes, type Context, type Span, type Tracer } from "../data/api.js";
import type { SpanEnd, SpanStart } from "../describe/span-parts.js";
import { spanIdOf, traceIdOf } from "../data/ids.js";
import { attribute } from "../data/names.js";

/** The tracer and the start of a span, and its contexts. */
export interface SpanPlace {
  readonly tracer: Tracer;
  readonly start: SpanStart;
  /** The context of the parent. */
  readonly parent: Context;
  /** The context in which the span is put for its children. */
  readonly inner: Context;
}

/** A span that is ended once. Without an SDK, or with an SDK that does not sample it, it records nothing. */
export class OpenSpan {
  /** The context of what begins within the span. */
  readonly context: Context;
  readonly #span: Span;
  /** The time of the start in milliseconds since 1970. SDKs begin with the same clock, so spans of tools fit into it. */
  readonly #startedAt: number;
  /** The time of the start on the clock that never goes backwards. Durations go by it, as in SDKs. */
  readonly #begunAt = performance.now();
  /** The duration until `stop`, in milliseconds; undefined before. */
  #duration: number | undefined;
  #isOpen = true;

  /** Starts a span. The place says in which context. */
  constructor({ trace }: Pick<Api, "trace">, { tracer, start, parent, inner }: SpanPlace) {
    const { name, kind, attributes } = start;
    this.#startedAt = Date.now();
    const options = { kind: spanKind[kind], attributes, startTime: this.#startedAt };
    this.#span = tracer.startSpan(name, options, parent);
    this.isValid = trace.isSpanContextValid(this.#span.spanContext());
    this.context = trace.setSpan(inner, this.#span);
  }

  /** True if the span has ids. Without an SDK it has none. */
  readonly isValid: boolean;

  get isRecording(): boolean {
    return this.#span.isRecording();
  }

  /** The duration so far in milliseconds, or until `stop`. */
  get elapsed(): number {
    return this.#duration ?? performance.now() - this.#begunAt;
  }

  /** The present time, or the time of `stop`. */
  get #now(): number {
    return this.#startedAt + this.elapsed;
  }

  add(attributes: Attributes): void {
    if (this.#isOpen) this.#span.setAttributes(attributes);
  }

  /** Adds an event. */
  note(name: string, attributes: Attributes): void {
    if (this.#isOpen) this.#span.addEvent(name, attributes, this.#now);
  }

  /** Links the span to the first span of its run, if an SDK with lastcall's generator has given it the run's trace id. */
  linkToFirst(run: string): void {
    const { traceId, traceFlags } = this.#span.spanContext();
    if (traceId === traceIdOf(run)) this.#span.addLink({ context: { traceId, spanId: spanIdOf(run), traceFlags } });
  }

  /** Fixes the time of the end. The span is ended later. */
  stop(): void {
    this.#duration ??= this.elapsed;
  }

  /** Ends the span. Only the first end counts. */
  end({ attributes, isError }: SpanEnd): void {
    if (!this.#isOpen) return;
    this.add(attributes);
    this.#isOpen = false;
    if (isError) this.#span.setStatus({ code: statusCode.error });
    this.#span.end(this.#now);
  }

  /** Ends a span whose work was left. Only the first end counts. */
  interrupt(): void {
    this.end({ isError: false, attributes: { [attribute.interrupted]: true } });
  }
}
