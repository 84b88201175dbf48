// The numbers of one session, and of all sessions: latencies, failures, ends, in tables.

import type { JSX } from "preact";
import type { StoreStats } from "../../server/index.js";
import type { Api } from "../data/server-api.js";
import { readWords, tablesOf, whole, type Table } from "../data/session-numbers.js";
import { hrefOf } from "../parts/studio-place.js";
import { useLoaded } from "../parts/use-task.js";

/** The page about all sessions. It says which sessions were read. */
export function StatsView({ api }: { readonly api: Api }): JSX.Element {
  const { problem, value } = useLoaded(() => api.numbers(), "");
  return (
    <article class="session" aria-label="Stats">
      <header class="session-head">
        <a class="back" href={hrefOf({ view: "sessions" })} aria-label="Back to the list">
          ←
        </a>
        <h1>Stats of all sessions</h1>
      </header>
      <Numbers {...{ problem, value }} words={value === undefined ? "" : readWords(value)} />
    </article>
  );
}

interface SessionStatsProps {
  readonly api: Api;
  readonly id: string;
  /** Changes when the session has gone on. */
  readonly stand: string;
}

/** The numbers of one session. */
export function SessionStats({ api, id, stand }: SessionStatsProps): JSX.Element {
  const { problem, value } = useLoaded(() => api.numbers(id), `${id} ${stand}`);
  return <Numbers {...{ problem, value }} words="This session, with the agents that calls ran." />;
}

interface NumbersProps {
  readonly problem: string;
  readonly value: StoreStats | undefined;
  readonly words: string;
}

function Numbers({ problem, value, words }: NumbersProps): JSX.Element {
  if (problem !== "")
    return (
      <p class="problem" role="alert">
        {problem}
      </p>
    );
  if (value === undefined) return <p class="empty">Reading the sessions …</p>;
  const { sessions, iterations, circuitOpenings, runs } = value.stats;
  const facts: readonly (readonly [string, number])[] = [
    ...(value.of > 1 ? ([["sessions", sessions]] as const) : []),
    ["runs", Object.values(runs).reduce((sum, number) => sum + number, 0)],
    ["iterations", iterations],
    ["circuit openings", circuitOpenings],
  ];
  return (
    <div class="stats">
      <p class="dim">{words}</p>
      <dl class="facts">
        {facts.map(([name, number]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{whole(number)}</dd>
          </div>
        ))}
      </dl>
      {tablesOf(value).map((table) => (
        <NumberTable key={table.title} table={table} />
      ))}
      <p class="dim">
        p50, p95 and p99: the time that half, 95 % and 99 % of the work stayed within. A reply counts from its request,
        with all tries; a call from the decision about it.
      </p>
    </div>
  );
}

function NumberTable({ table: { title, columns, rows } }: { readonly table: Table }): JSX.Element {
  return (
    <section class="numbers" aria-label={title} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">{title}</th>
            {columns.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([name = "", ...cells]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {cells.map((cell, at) => (
                <td key={at}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
