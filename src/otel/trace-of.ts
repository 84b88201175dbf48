// The spans of a session's runs, from its journal alone. The same journal gives the same spans, with the same ids.

import { redactor, type SecretOptions, type Session } from "../core/index.js";
import { choiceOf, checkOptions, type OptionKinds, checkSession, noRedactor } from "../core/internal.js";
import type { SpanIds } from "./data/api.js";
import { JournalSpans } from "./journal/journal-spans.js";
import type { SpanData } from "./journal/span-data.js";

/** The options of `traceOf`. */
export interface TraceOptions {
  /** The name of the agent, as in `otel`. Default: none. */
  readonly agent?: string | undefined;
  /** True records texts as well, as in `otel`. The prompts are not in a journal. Default false. */
  readonly content?: boolean | undefined;
  /** The secrets to redact, as in `createAgent`. False redacts nothing. Default: the known formats. */
  readonly secrets?: SecretOptions | false | undefined;
  /**
   * The span that the runs are children of: the span of the host which ran them, or of the call that ran them as an agent. Default: none.
   */
  readonly parent?: SpanIds | undefined;
}

const traceOptions = {
  agent: "text",
  content: "flag",
  secrets: ["object", choiceOf(false)],
  parent: "object",
} satisfies OptionKinds<TraceOptions>;

/**
 * Makes the spans of all runs of a session, in the order of their starts. Each run is a trace, and each effect key is one span. Two calls
 * with the same journal return equal spans, so a backend that goes by ids has no doubles.
 *
 * A run that has not ended, and a call that was at work then, are marked `lastcall.unfinished`.
 *
 * A journal has less than a live trace: a request begins at the record before its reply, a call begins when it was decided, a request that
 * failed for good is missing, and retries are. Times are whole milliseconds.
 * @throws LastcallError `configuration` if the session is no session, or for an unknown option.
 */
export function traceOf(session: Session, options: TraceOptions = {}): readonly SpanData[] {
  checkOptions("traceOf", options, traceOptions);
  checkSession(session);
  const { agent, content = false, secrets, parent } = options;
  const redact = secrets === false ? noRedactor : redactor(secrets);
  const reading = new JournalSpans(session, { agent, parent, privacy: { content, secrets: redact } });
  for (const record of session.records) reading.take(record);
  return reading.finish();
}
