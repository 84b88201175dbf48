// The frame of the studio: the list of sessions, and the view that the address names.

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Api } from "../data/server-api.js";
import { hrefOf, placeIn } from "../parts/studio-place.js";
import { CompareView } from "./compare-view.js";
import { ReplayView } from "./replay-view.js";
import { SessionView } from "./session-view.js";
import { SessionsView, useSessions, useUnlisted } from "./sessions-view.js";
import { StatsView } from "./stats-view.js";
import { Welcome } from "./welcome.js";

interface StudioProps {
  readonly api: Api;
  /** Told when the address is another. */
  readonly moved: () => void;
}

/** The studio over a server. */
export function Studio({ api, moved }: StudioProps): JSX.Element {
  const [place, setPlace] = useState(() => placeIn(location.hash));
  const [agents, setAgents] = useState<readonly string[]>([]);
  const [readOnly, setReadOnly] = useState(true);
  const [hasChanges, setHasChanges] = useState(false);
  const { sessions, problem, refresh } = useSessions(api);
  useEffect(() => {
    const move = (): void => {
      moved();
      setPlace(placeIn(location.hash));
    };
    addEventListener("hashchange", move);
    api
      .agents()
      .then((known) => {
        setAgents(known.readOnly ? [] : known.agents);
        setReadOnly(known.readOnly);
        setHasChanges(known.changes);
      })
      .catch(() => undefined);
    return () => {
      removeEventListener("hashchange", move);
    };
  }, [api, moved]);
  const open = place.view === "sessions" || place.view === "stats" ? "" : place.id;
  const listed = sessions?.find(({ id }) => id === open);
  const unlisted = useUnlisted(api, open, sessions === undefined || listed !== undefined);
  return (
    <div class={`app app-${place.view}`}>
      <SessionsView sessions={sessions} problem={problem} open={open} />
      <main class="main">
        {place.view === "sessions" && <Welcome {...{ api, agents, sessions, problem }} />}
        {place.view === "session" && (
          <SessionView
            key={place.id}
            api={api}
            id={place.id}
            summary={listed ?? unlisted}
            sessions={sessions ?? []}
            readOnly={readOnly}
            hasChanges={hasChanges}
            refresh={refresh}
            back={hrefOf({ view: "sessions" })}
          />
        )}
        {place.view === "compare" && (
          <CompareView key={`${place.id} ${place.with}`} api={api} first={place.id} second={place.with} />
        )}
        {place.view === "stats" && <StatsView api={api} />}
        {place.view === "replay" && <ReplayView key={place.id} api={api} id={place.id} />}
      </main>
    </div>
  );
}
