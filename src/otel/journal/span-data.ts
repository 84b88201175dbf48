// The spans of a journal as plain data, collected in the order of their starts.

import type { Attributes, SpanIds } from "../data/api.js";
import { spanIdOf } from "../data/ids.js";
import type { SpanEnd, SpanStart } from "../describe/span-parts.js";

/** One span, as plain data. Times are in milliseconds since 1970. */
export interface SpanData extends SpanIds {
  readonly name: string;
  readonly kind: "internal" | "client";
  /** Absent for a span without a parent. */
  readonly parentSpanId?: string;
  readonly start: number;
  readonly end: number;
  readonly attributes: Attributes;
  readonly events: readonly { readonly name: string; readonly at: number; readonly attributes: Attributes }[];
  /** Spans that belong to this span, without being its parents: the first part of a run that another process continued. */
  readonly links: readonly SpanIds[];
  readonly status: "unset" | "error";
}

/** A span that is being written. */
export interface Draft {
  readonly key: string;
  readonly start: number;
  readonly about: SpanStart;
  readonly events: SpanData["events"][number][];
  readonly links: readonly SpanIds[];
}

/** The place of a span in its trace. */
export interface Place {
  readonly traceId: string;
  /** The id of the parent; undefined for none. */
  readonly parent: string | undefined;
  /** The number of spans of the journal above this journal. */
  readonly depth: number;
}

/** Collects spans. */
export class SpanList {
  readonly #spans: { readonly span: SpanData; readonly depth: number }[] = [];

  add({ key, start, about, events, links }: Draft, end: number, { attributes, isError }: SpanEnd, place: Place): void {
    const { traceId, parent, depth } = place;
    const span: SpanData = {
      traceId,
      spanId: spanIdOf(key),
      ...(parent !== undefined && { parentSpanId: parent }),
      name: about.name,
      kind: about.kind,
      start,
      end,
      attributes: { ...about.attributes, ...attributes },
      events,
      links,
      status: isError ? "error" : "unset",
    };
    this.#spans.push({ span, depth });
  }

  /** The spans in the order of their starts, a parent before its children. */
  sorted(): readonly SpanData[] {
    return this.#spans.toSorted((a, b) => a.span.start - b.span.start || a.depth - b.depth).map(({ span }) => span);
  }
}
