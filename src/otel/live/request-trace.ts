// The trace of one request: its span, and what the events of the request add to it.

import type { ModelEvent, Reply, WrittenReply } from "../../core/index.js";
import type { Attributes, Context } from "../data/api.js";
import { describeReply } from "../describe/describe-effect.js";
import { noEnd, type Privacy } from "../describe/span-parts.js";
import { callIdOf } from "../data/ids.js";
import type { Metrics } from "./metrics.js";
import { attribute, eventName } from "../data/names.js";
import type { OpenSpan } from "./open-span.js";

/** The key of a request, and its iteration. */
export interface RequestKey {
  readonly key: string;
  readonly iteration: number;
}

/** The parts that the traces of all requests of a run share. */
export interface RequestParts {
  readonly metrics: Metrics;
  /** The attributes of all metrics of the run. */
  readonly about: Attributes;
  readonly privacy: Privacy;
}

/** The span of a request, and what its events add to it. */
export class RequestTrace {
  readonly #request: RequestKey;
  readonly #span: OpenSpan;
  readonly #metrics: Metrics;
  readonly #about: Attributes;
  readonly #privacy: Privacy;
  #isWaiting = true;

  constructor(request: RequestKey, span: OpenSpan, { metrics, about, privacy }: RequestParts) {
    this.#request = request;
    this.#span = span;
    this.#metrics = metrics;
    this.#about = about;
    this.#privacy = privacy;
  }

  get context(): Context {
    return this.#span.context;
  }

  /** Takes note of an event of the request. */
  observe(event: ModelEvent): void {
    const { content, secrets } = this.#privacy;
    const why = (reason: string): Attributes => (content ? { [attribute.reason]: secrets.text(reason) } : {});
    switch (event.type) {
      case "text-delta":
      case "reasoning-delta":
      case "call-delta":
        if (this.#isWaiting) this.#span.add({ [attribute.firstChunk]: this.#span.elapsed / 1000 });
        this.#isWaiting = false;
        return;
      case "request-retry":
        this.#metrics.retry(this.#about);
        this.#isWaiting = true;
        this.#span.note(eventName.retry, {
          [attribute.attempt]: event.attempt,
          [attribute.delay]: event.delay,
          ...why(event.reason),
        });
        return;
      case "request-adjusted":
        this.#span.note(eventName.adjusted, why(event.reason));
        return;
      case "reply-retracted":
        this.#span.note(eventName.retracted, why(event.reason));
        return;
      case "forcing-step":
        this.#span.note(eventName.forcing, { "lastcall.from": event.from, "lastcall.to": event.to });
        return;
      case "prompt-rewrite":
        this.#span.note(eventName.rewrite, { [attribute.reason]: event.reason });
        return;
    }
  }

  /** Ends with the reply. */
  answered(reply: WrittenReply): void {
    this.#metrics.request(this.#about, { duration: this.#span.elapsed, usage: reply.usage });
    this.#span.end(this.#span.isRecording ? describeReply(this.#withIds(reply), this.#privacy) : noEnd);
  }

  /** The reply whose calls have the ids that the run gives them. */
  #withIds(reply: WrittenReply): Reply {
    const { key, iteration } = this.#request;
    return { ...reply, calls: reply.calls.map((call, index) => ({ ...call, id: callIdOf(key, iteration, index) })) };
  }

  /** Ends with the type of an error. */
  failed(error: string): void {
    this.#metrics.request(this.#about, { duration: this.#span.elapsed, error });
    this.#span.end({ isError: true, attributes: { [attribute.errorType]: error } });
  }

  /** Ends without a reply, because the run is aborted or left. Nothing happens if it has ended. */
  interrupt(): void {
    this.#span.interrupt();
  }
}
