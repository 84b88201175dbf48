// The list of sessions.

import type { JSX } from "preact";
import { useCallback, useEffect, useState } from "preact/hooks";
import type { SessionSummary } from "../../server/index.js";
import type { Api } from "../data/server-api.js";
import { ago, firstLine, folderName, folderOf, tokens, waitWords } from "../data/shown-words.js";
import { hrefOf } from "../parts/studio-place.js";

/** Milliseconds between two looks at the list. */
const every = 2000;

/** The sessions of the server, the last used first. Undefined until they are known. */
export function useSessions(api: Api): {
  readonly sessions: readonly SessionSummary[] | undefined;
  readonly problem: string;
  /** Looks again at once. */
  readonly refresh: () => void;
} {
  const [sessions, setSessions] = useState<readonly SessionSummary[]>();
  const [problem, setProblem] = useState("");
  const [times, setTimes] = useState(0);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const look = async (): Promise<void> => {
      try {
        if (document.visibilityState === "visible") setSessions(await api.sessions());
        setProblem("");
      } catch (thrown) {
        setProblem(thrown instanceof Error ? thrown.message : String(thrown));
      }
      timer = setTimeout(() => void look(), every);
    };
    void look();
    return () => {
      clearTimeout(timer);
    };
  }, [api, times]);
  const refresh = useCallback(() => {
    setTimes((before) => before + 1);
  }, []);
  return { sessions, problem, refresh };
}

/** A session that the list does not have: an old session, or the session of an agent that a call runs. Undefined if the list has it. */
export function useUnlisted(api: Api, id: string, isListed: boolean): SessionSummary | undefined {
  const [summary, setSummary] = useState<SessionSummary>();
  useEffect(() => {
    setSummary(undefined);
    if (id === "" || isListed) return undefined;
    let isCurrent = true;
    const look = (): void => {
      api.session(id).then(
        (found) => {
          if (isCurrent) setSummary(found);
        },
        // A session that is not there yet has no summary, and the view of the session says so.
        () => undefined,
      );
    };
    look();
    const timer = setInterval(look, every);
    return () => {
      isCurrent = false;
      clearInterval(timer);
    };
  }, [api, id, isListed]);
  return summary;
}

interface SessionsProps {
  readonly sessions: readonly SessionSummary[] | undefined;
  readonly problem: string;
  /** The session that is open; empty without one. */
  readonly open: string;
}

/** The list, with a field that filters it. */
export function SessionsView({ sessions, problem, open }: SessionsProps): JSX.Element {
  const [query, setQuery] = useState("");
  const words = query.toLowerCase();
  const shown = (sessions ?? []).filter((session) => wordsOf(session).includes(words));
  return (
    <nav class="sessions" aria-label="Sessions">
      <div class="bar">
        <a class="brand" href={hrefOf({ view: "sessions" })}>
          lastcall <span class="dim">studio</span>
        </a>
        <a href={hrefOf({ view: "stats" })}>Stats</a>
      </div>
      <input
        class="field"
        type="search"
        aria-label="Filter sessions"
        placeholder="Filter"
        value={query}
        onInput={(event) => {
          setQuery(event.currentTarget.value);
        }}
      />
      {problem !== "" && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {sessions?.length === 0 && <p class="empty">There are no sessions yet.</p>}
      {sessions !== undefined && sessions.length > 0 && shown.length === 0 && <p class="empty">Nothing matches.</p>}
      <ul class="cards">
        {shown.map((session) => (
          <li key={session.id}>
            <SessionCard session={session} isOpen={session.id === open} />
          </li>
        ))}
      </ul>
    </nav>
  );
}

function SessionCard({ session, isOpen }: { readonly session: SessionSummary; readonly isOpen: boolean }): JSX.Element {
  const { id, status, title, waiting, updated, iterations, usage, about } = session;
  const used = usage.inputTokens + usage.outputTokens;
  const folder = folderOf(about);
  return (
    <a class="card" href={hrefOf({ view: "session", id })} aria-current={isOpen ? "page" : undefined}>
      <span class="card-title" title={title}>
        {firstLine(title, 200) || id}
      </span>
      {waiting !== undefined && <span class="card-waiting">{waitWords(waiting)}</span>}
      <span class="card-facts">
        <Status status={status} /> {ago(updated, Date.now())} · {iterations} it · {tokens(used)} tok
      </span>
      <span class="card-place" title={folder === undefined ? id : `${id} in ${folder}`}>
        {id}
        {folder !== undefined && ` · ${folderName(folder)}`}
      </span>
    </a>
  );
}

/** A status as a dot with its word. */
export function Status({ status }: { readonly status: SessionSummary["status"] }): JSX.Element {
  return <span class={`status status-${status}`}>{status === "open" ? "unfinished" : status}</span>;
}

function wordsOf({ id, title, status, waiting, about }: SessionSummary): string {
  return `${id} ${title} ${status} ${waiting?.by ?? ""} ${folderOf(about) ?? ""}`.toLowerCase();
}
