// The parts that the spans of all kinds share: what begins and ends one, and what is recorded of texts.

import type { Redactor, Usage } from "../../core/index.js";
import type { Attributes } from "../data/api.js";
import { attribute } from "../data/names.js";

/** The treatment of texts: whether they are recorded at all, and the redactor that takes the secrets out of the texts. */
export interface Privacy {
  /** True if texts, arguments and results are recorded. */
  readonly content: boolean;
  readonly secrets: Redactor;
}

/** The beginning of a span. */
export interface SpanStart {
  readonly name: string;
  readonly kind: "internal" | "client";
  readonly attributes: Attributes;
}

/** The end of a span. */
export interface SpanEnd {
  readonly attributes: Attributes;
  /** True if the span has the status error. */
  readonly isError: boolean;
}

/** The end of a span that records nothing. */
export const noEnd: SpanEnd = { attributes: {}, isError: false };

/** The tokens of a usage; nothing if the provider did not count any. */
export function tokens({ inputTokens, outputTokens, cachedInputTokens, reasoningTokens }: Usage): Attributes {
  if (inputTokens + outputTokens === 0) return {};
  return {
    [attribute.inputTokens]: inputTokens,
    [attribute.outputTokens]: outputTokens,
    ...(cachedInputTokens > 0 && { [attribute.cachedTokens]: cachedInputTokens }),
    ...(reasoningTokens > 0 && { [attribute.reasoningTokens]: reasoningTokens }),
  };
}
