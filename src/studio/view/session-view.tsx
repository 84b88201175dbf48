// One session: its timeline, the row that is selected, and the things that one can do.

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { runBoundaries } from "../../core/internal.js";
import type { SessionSummary } from "../../server/index.js";
import type { Api } from "../data/server-api.js";
import { nothing } from "../data/live.js";
import type { IterationRow, Row } from "../data/row.js";
import { search } from "../data/search.js";
import { cost, count, firstLine, folderOf, tokens } from "../data/shown-words.js";
import { ChangesView } from "./changes-view.js";
import { SessionStats } from "./stats-view.js";
import { Actions, CompareWith, Share } from "./actions.js";
import { Inspector } from "./inspector.js";
import { LiveLine } from "../parts/live-line.js";
import { Plots } from "./plots.js";
import { Status } from "./sessions-view.js";
import { TimelineRow } from "../parts/timeline-row.js";
import { useShown } from "../parts/use-shown.js";
import { VirtualList } from "../parts/virtual-list.js";
import { WaitingBar } from "./waiting-bar.js";

interface SessionProps {
  readonly api: Api;
  readonly id: string;
  /** The entry of the list; undefined until it is known. */
  readonly summary: SessionSummary | undefined;
  readonly sessions: readonly SessionSummary[];
  readonly readOnly: boolean;
  /** True if the server knows what sessions have changed. */
  readonly hasChanges: boolean;
  /** Looks again at the list of sessions. */
  readonly refresh: () => void;
  /** The address behind the arrow; undefined for no arrow. */
  readonly back: string | undefined;
  /** True in a page that has this session alone. Default false. */
  readonly isPage?: boolean;
  /** The view of its approvals. Default: there is no such tab. */
  readonly approvals?: JSX.Element | undefined;
}

/** Pixels of a row of the timeline. */
const rowHeight = 30;

type Tab = "timeline" | "plots" | "changes" | "stats" | "approvals";

/** The view of a session. */
export function SessionView(props: SessionProps): JSX.Element {
  const { api, id, summary, sessions, readOnly, hasChanges, refresh, back, isPage = false, approvals } = props;
  const [shown] = useShown(api, [id]);
  const [tab, setTab] = useState<Tab>("timeline");
  const more: readonly Tab[] = approvals === undefined ? [] : ["approvals"];
  const tabs: readonly Tab[] = ["timeline", "plots", ...(hasChanges ? (["changes"] as const) : []), "stats", ...more];
  const [query, setQuery] = useState("");
  const [chosen, setChosen] = useState<number>();
  const { timeline, live } = shown;
  const stands = timeline.records.findLast(({ type }) => runBoundaries.has(type))?.seq;
  const runs = timeline.records.filter(({ type }) => type === "input").length;
  useEffect(refresh, [stands, refresh]);
  const places = query === "" ? undefined : search(timeline.rows, query);
  const rows: readonly Row[] =
    places === undefined ? timeline.rows : places.flatMap((place) => timeline.rows[place] ?? []);
  const selected = chosen === undefined ? -1 : rows.findIndex(({ seq }) => seq === chosen);
  const row = rows[selected];
  const select = (at: number): void => {
    setChosen(rows[at]?.seq);
  };
  return (
    <article class={row === undefined ? "session" : "session session-inspected"} aria-label={`Session ${id}`}>
      <header class="session-head">
        {back !== undefined && (
          <a class="back" href={back} aria-label={isPage ? "Back to the session around it" : "Back to the list"}>
            ←
          </a>
        )}
        <div class="session-names">
          <h1 title={summary?.title ?? id}>{firstLine(summary?.title ?? "", 200) || id}</h1>
          {summary !== undefined && (
            <p class="session-place">
              {id}
              {folderOf(summary.about) !== undefined && ` · ${folderOf(summary.about) ?? ""}`}
            </p>
          )}
        </div>
        {summary !== undefined && <Status status={summary.status} />}
        {!readOnly && <Actions api={api} id={id} summary={summary} isLive={live !== nothing} />}
      </header>
      <div class="session-tools">
        <div class="tabs" role="tablist" aria-label="Views">
          {tabs.map((name) => (
            <button
              key={name}
              type="button"
              role="tab"
              aria-selected={tab === name}
              onClick={() => {
                setTab(name);
              }}
            >
              {name}
            </button>
          ))}
        </div>
        <input
          class="field"
          type="search"
          aria-label="Search the timeline"
          placeholder="Search"
          value={query}
          onInput={(event) => {
            setQuery(event.currentTarget.value);
          }}
        />
        {!isPage && <CompareWith id={id} sessions={sessions} />}
        {!isPage && <Share api={api} id={id} />}
        {timeline.records.length > 0 && <Totals iterations={timeline.iterations} isWhole={shown.isWhole} />}
      </div>
      {shown.problem !== "" && (
        <p class="problem" role="alert">
          {shown.problem}
        </p>
      )}
      {rows.length === 0 && shown.problem === "" && tab === "timeline" && (
        <p class="empty">
          {query !== "" ? "Nothing matches." : shown.isWhole ? "Nothing has happened yet." : "Loading …"}
        </p>
      )}
      {tab === "plots" && <Plots iterations={timeline.iterations} />}
      {tab === "stats" && <SessionStats {...{ api, id }} stand={String(stands)} />}
      {tab === "changes" && <ChangesView {...{ api, id, readOnly }} runs={runs} stand={String(stands)} />}
      {tab === "approvals" && approvals}
      {tab === "timeline" && (
        <div class="split">
          <VirtualList
            label="Timeline"
            count={rows.length}
            height={rowHeight}
            selected={selected}
            sticky={chosen === undefined && query === ""}
            onSelect={select}
            row={(at) => {
              const one = rows[at];
              return one === undefined ? undefined : <TimelineRow row={one} />;
            }}
          />
          {row !== undefined && (
            <Inspector
              key={row.seq}
              {...{ api, id, row, readOnly, timeline }}
              onClose={() => {
                setChosen(undefined);
              }}
            />
          )}
        </div>
      )}
      <LiveLine live={live} />
      <WaitingBar api={api} id={id} summary={summary} readOnly={readOnly} />
    </article>
  );
}

interface TotalsProps {
  readonly iterations: readonly IterationRow[];
  readonly isWhole: boolean;
}

function Totals({ iterations, isWhole }: TotalsProps): JSX.Element {
  const sum = (amount: (row: IterationRow) => number): number =>
    iterations.reduce((total, row) => total + amount(row), 0);
  const failed = iterations.filter(({ failures }) => failures.length > 0).length;
  const price = cost(sum((row) => row.cost));
  return (
    <p class="totals">
      {isWhole ? "" : "… "}
      {count(iterations.length, "iteration")} · {tokens(sum(({ usage }) => usage.inputTokens))} in ·{" "}
      {tokens(sum(({ usage }) => usage.outputTokens))} out
      {failed > 0 && <span class="bad"> · {failed} with failures</span>}
      {price !== "" && ` · cost ${price}`}
    </p>
  );
}
