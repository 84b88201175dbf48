// The frame of a page that has one session: its view, and a line that says what the page is.

import type { JSX } from "preact";
import { useCallback, useEffect, useState } from "preact/hooks";
import type { PackedSession } from "../../memory/stores.js";
import type { SessionSummary } from "../../server/index.js";
import type { Api } from "../data/server-api.js";
import { count } from "../data/shown-words.js";
import { hrefOf, placeIn } from "../parts/studio-place.js";
import { SessionView } from "../view/session-view.js";
import { useUnlisted } from "../view/sessions-view.js";
import { Approvals } from "./approvals-view.js";

interface PageProps {
  readonly api: Api;
  readonly packed: PackedSession;
}

const none: readonly SessionSummary[] = [];

/** The page. The address may name a session of an agent below. */
export function PageFrame({ api, packed }: PageProps): JSX.Element {
  const { id: first } = packed.session;
  const [open, setOpen] = useState(() => idIn(location.hash, first));
  const summary = useUnlisted(api, open, false);
  const refresh = useCallback(() => undefined, []);
  useEffect(() => {
    const move = (): void => {
      setOpen(idIn(location.hash, first));
    };
    addEventListener("hashchange", move);
    return () => {
      removeEventListener("hashchange", move);
    };
  }, [first]);
  return (
    <div class="app app-page">
      <header class="page-note">
        <strong>lastcall</strong> <span class="dim">{wordsAbout(packed)}</span>
      </header>
      <main class="main">
        <SessionView
          key={open}
          {...{ api, id: open, summary, refresh }}
          sessions={none}
          back={open === first ? undefined : hrefOf({ view: "session", id: first })}
          readOnly={true}
          hasChanges={false}
          isPage={true}
          approvals={open === first && isAnswered(packed) ? <Approvals session={packed.session} /> : undefined}
        />
      </main>
    </div>
  );
}

/** True if a call of the session, or of an agent below, was approved or refused. */
function isAnswered({ session }: PackedSession): boolean {
  const all = [session, ...Object.values(session.children ?? {})];
  return all.some(({ records }) => records.some(({ type }) => type === "approval"));
}

/** The session that a hash names. */
function idIn(hash: string, first: string): string {
  const place = placeIn(hash);
  return place.view === "session" ? place.id : first;
}

function wordsAbout({ made, files, redacted }: PackedSession): string {
  const changed = Object.values(redacted).reduce((sum, { length }) => sum + length, 0);
  return [
    `A copy of a session, made ${new Date(made).toLocaleString()}. Nothing in it runs.`,
    ...(changed === 0 ? [] : [`Secrets were left out of ${count(changed, "record")}.`]),
    ...(files === 0 ? [] : [`Not in it: ${count(files, "attached file")}.`]),
  ].join(" ");
}
