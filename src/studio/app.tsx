// The studio: a page over the sessions of a server.

import { render, type JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { Api } from "./data/server-api.js";
import { CompareView } from "./view/compare-view.js";
import { placeIn } from "./parts/studio-place.js";
import { ReplayView } from "./view/replay-view.js";
import { SessionView } from "./view/session-view.js";
import { SessionsView, useSessions, useUnlisted } from "./view/sessions-view.js";
import { StatsView } from "./view/stats-view.js";
import { Welcome } from "./view/welcome.js";

const tokenKey = "lastcall-token";

/** Takes the token out of the address, so that it is neither seen nor bookmarked. The browser keeps it for this server. */
function takeToken(): string | undefined {
  const [, token] = /[#&]token=([\w-]+)/.exec(location.hash) ?? [];
  if (token !== undefined) {
    localStorage.setItem(tokenKey, token);
    const rest = location.hash.replace(/[#&]token=[\w-]+/, "").replace(/^#?/, "#");
    history.replaceState(undefined, "", rest === "#" ? "#/" : rest);
  }
  return localStorage.getItem(tokenKey) ?? undefined;
}

function App(): JSX.Element {
  const api = useMemo(
    () => new Api(new URL("..", location.href).pathname, takeToken(), (url, init) => fetch(url, init)),
    [],
  );
  const [place, setPlace] = useState(() => placeIn(location.hash));
  const [agents, setAgents] = useState<readonly string[]>([]);
  const [readOnly, setReadOnly] = useState(true);
  const [hasChanges, setHasChanges] = useState(false);
  const { sessions, problem, refresh } = useSessions(api);
  useEffect(() => {
    const move = (): void => {
      takeToken();
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
  }, [api]);
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

const root = document.getElementById("root");
if (root !== null) render(<App />, root);
