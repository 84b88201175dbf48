// Two runs side by side, with the first place where they differ.

import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Api } from "../data/server-api.js";
import { callsOf, compare, type Pair } from "../data/compare-runs.js";
import type { IterationRow, Row } from "../data/row.js";
import { cost, count, firstLine, tokens } from "../data/shown-words.js";
import { hrefOf } from "../parts/studio-place.js";
import { useShown } from "../parts/use-shown.js";
import { VirtualList } from "../parts/virtual-list.js";
import { TimelineRow } from "../parts/timeline-row.js";

interface CompareProps {
  readonly api: Api;
  readonly first: string;
  readonly second: string;
}

/** The comparison. It follows both sessions. */
export function CompareView({ api, first, second }: CompareProps): JSX.Element {
  const shown = useShown(api, [first, second]);
  const [chosen, setChosen] = useState<number>();
  const [one, other] = [shown[0].timeline, shown[1].timeline];
  const { a, b, pairs, divergence } = useMemo(() => {
    const [a, b] = [one.iterations, other.iterations];
    return { a, b, ...compare(a, b, callsOf) };
  }, [one, one.last, other, other.last]);
  const selected = chosen ?? divergence;
  const pair = pairs[selected];
  return (
    <article class="session" aria-label="Comparison">
      <header class="session-head">
        <a class="back" href={hrefOf({ view: "session", id: first })} aria-label="Back to the session">
          ←
        </a>
        <h1>
          {divergence === -1
            ? `The same ${count(pairs.length, "iteration")}`
            : `They differ from iteration ${String(divergence + 1)} on`}
        </h1>
      </header>
      <div class="compare-heads">
        <Head id={first} iterations={a} />
        <Head id={second} iterations={b} />
      </div>
      {shown.map(({ id, problem }) =>
        problem === "" ? null : (
          <p key={id} class="problem" role="alert">
            {problem}
          </p>
        ),
      )}
      <VirtualList
        label="Iterations of both"
        count={pairs.length}
        height={30}
        selected={selected}
        sticky={false}
        onSelect={setChosen}
        row={(at) => (
          <Sides
            {...pairs[at]}
            mark={at === divergence ? "departs" : pairs[at]?.isSame === true ? "same" : "follows"}
          />
        )}
      />
      {pair !== undefined && !pair.isSame && <Detail pair={pair} />}
    </article>
  );
}

interface HeadProps {
  /** The session to open. Absent if there is nothing to open. */
  readonly id?: string;
  readonly name?: string;
  readonly iterations: readonly IterationRow[];
}

/** The head of a side: its name, and its totals. */
export function Head({ id, name = id, iterations }: HeadProps): JSX.Element {
  const used = iterations.reduce((sum, { usage }) => sum + usage.inputTokens + usage.outputTokens, 0);
  const price = cost(iterations.reduce((sum, row) => sum + row.cost, 0));
  const failed = iterations.flatMap(({ checks }) => checks).filter(({ passed }) => !passed).length;
  return (
    <p>
      {id === undefined ? name : <a href={hrefOf({ view: "session", id })}>{name}</a>}{" "}
      <span class="dim">
        {count(iterations.length, "iteration")} · {tokens(used)} tokens
        {price !== "" && ` · ${price}`}
        {failed > 0 && ` · ${count(failed, "failed check")}`}
      </span>
    </p>
  );
}

interface SidesProps {
  readonly first?: Row | undefined;
  readonly second?: Row | undefined;
  readonly mark: "same" | "departs" | "follows";
}

/** Two rows side by side. A row that one side does not have is an empty place. */
export function Sides({ first, second, mark }: SidesProps): JSX.Element {
  const side = (row: Row | undefined): JSX.Element =>
    row === undefined ? <div class="row row-absent" /> : <TimelineRow row={row} />;
  return (
    <div class={`pair pair-${mark}`}>
      {side(first)}
      {side(second)}
    </div>
  );
}

/** The words and calls of both sides. */
function Detail({ pair }: { readonly pair: Pair<IterationRow> }): JSX.Element {
  const side = (row: IterationRow | undefined, label: string): JSX.Element => (
    <section aria-label={label}>
      <p>{firstLine(row?.text ?? "", 300)}</p>
      {row?.calls.map((call) => (
        <pre key={call.id} tabIndex={0} aria-label={`${label}: ${call.name}`}>
          {call.name} {firstLine(call.arguments, 2000)}
        </pre>
      ))}
      {row === undefined && <p class="dim">It has no such iteration.</p>}
    </section>
  );
  return (
    <div class="compare-detail">
      {side(pair.first, "First")}
      {side(pair.second, "Second")}
    </div>
  );
}
