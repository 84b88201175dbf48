// A row of the timeline.

import type { JSX } from "preact";
import type { CallView, EventRow, IterationRow, Row } from "../data/row.js";
import { argumentWords, clock, duration, firstLine, tokens } from "../data/shown-words.js";

/** The row: an iteration with its calls, or an event. */
export function TimelineRow({ row }: { readonly row: Row }): JSX.Element {
  return row.kind === "iteration" ? <Iteration row={row} /> : <Happening row={row} />;
}

function Iteration({ row }: { readonly row: IterationRow }): JSX.Element {
  const { iteration, calls, checks, failures, text, usage, asked, at, ended, finish } = row;
  const said = firstLine(text === "" ? argumentWords(calls[0]?.arguments ?? "") : text, 200);
  return (
    <div class={failures.length > 0 ? "row row-failed" : "row"}>
      <span class="row-number">{iteration}</span>
      <span class="row-body">
        {calls.map((call) => (
          <Call key={call.id} call={call} />
        ))}
        {finish !== "complete" && <span class="chip chip-bad">{finish}</span>}
        {checks.map(({ seq, check, passed }) => (
          <span key={seq} class={passed ? "chip chip-good" : "chip chip-bad"}>
            {passed ? "✓" : "✗"} {firstLine(check, 40)}
          </span>
        ))}
        <span class="row-text">{said}</span>
      </span>
      <span class="row-facts">
        {tokens(usage.inputTokens)} <span class="dim">→</span> {tokens(usage.outputTokens)}
      </span>
      <span class="row-time" title="the model, and then its calls and checks">
        {asked === undefined ? "" : duration(at - asked)}
        {ended !== undefined && calls.length + checks.length > 0 && (
          <span class="dim">{` + ${duration(ended - at)}`}</span>
        )}
      </span>
    </div>
  );
}

function Call({ call }: { readonly call: CallView }): JSX.Element {
  const { name, result, decision, isClaim } = call;
  const isBad = decision?.allowed === false || result?.ok === false;
  const state = isBad ? "chip-bad" : isClaim === true ? "chip-good" : result === undefined ? "chip-open" : "";
  return <span class={`chip ${state}`}>{firstLine(name, 40)}</span>;
}

function Happening({ row }: { readonly row: EventRow }): JSX.Element {
  return (
    <div class={`row row-event tone-${row.tone}`}>
      <span class="row-number" />
      <span class="row-body">
        <span class="row-label">{row.label}</span>
        <span class="row-text">{firstLine(row.text, 200)}</span>
      </span>
      <span class="row-time">{clock(row.at)}</span>
    </div>
  );
}
