// The view without a session: a word about the list, and a form that begins a session.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { SessionSummary } from "../../server/index.js";
import type { Api } from "../data/server-api.js";
import { count, firstLine, waitWords } from "../data/shown-words.js";
import { ReplyForm } from "../parts/reply-form.js";
import { hrefOf } from "../parts/studio-place.js";

interface WelcomeProps {
  readonly api: Api;
  /** The agents that a new session can have. None if the server only shows. */
  readonly agents: readonly string[];
  readonly sessions: readonly SessionSummary[] | undefined;
  /** Why the sessions can't be shown. Empty if they can. */
  readonly problem: string;
}

/** The most sessions that wait which are named here. The list has all. */
const mostNamed = 20;

/** The view. Its form is there if the server has its own agents. */
export function Welcome({ api, agents, sessions, problem }: WelcomeProps): JSX.Element {
  const [first = ""] = agents;
  const [chosen, setChosen] = useState("");
  const agent = chosen === "" ? first : chosen;
  const begin = async (input: unknown): Promise<void> => {
    location.hash = hrefOf({ view: "session", id: await api.begin(agent, String(input)) });
  };
  return (
    <div class="welcome">
      <h1>Sessions of this server</h1>
      {problem !== "" && sessions === undefined ? (
        <p class="bad">{problem}</p>
      ) : (
        <p class="dim">{wordsAbout(sessions)}</p>
      )}
      <Waiting sessions={(sessions ?? []).filter(({ waiting }) => waiting !== undefined)} />
      {agents.length > 0 && (
        <section class="new-session" aria-label="New session">
          {agents.length > 1 && (
            <select
              aria-label="Agent"
              value={agent}
              onChange={(event) => {
                setChosen(event.currentTarget.value);
              }}
            >
              {agents.map((name) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          )}
          <ReplyForm schema={undefined} placeholder={`A task for ${agent}`} send={begin} />
        </section>
      )}
    </div>
  );
}

function wordsAbout(sessions: WelcomeProps["sessions"]): string {
  if (sessions === undefined) return "Loading …";
  return sessions.length === 0
    ? "There are none yet. A session is here once its first run has begun."
    : "Open one to see what its runs did, live and past.";
}

/** The sessions that wait for a person, with what they wait for. */
function Waiting({ sessions }: { readonly sessions: readonly SessionSummary[] }): JSX.Element | null {
  if (sessions.length === 0) return null;
  return (
    <section class="waiting-list" aria-label="Waiting for you">
      <h2>{`${count(sessions.length, "session")} ${sessions.length === 1 ? "waits" : "wait"} for you`}</h2>
      <ul>
        {sessions.slice(0, mostNamed).map(({ id, title, waiting }) => (
          <li key={id}>
            <a href={hrefOf({ view: "session", id })}>{firstLine(title, 200) || id}</a>{" "}
            <span class="dim">{waiting && waitWords(waiting)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
