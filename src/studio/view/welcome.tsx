// The view without a session: a word about the list, and a form that begins a session.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Api } from "../data/server-api.js";
import { ReplyForm } from "../parts/reply-form.js";
import { hrefOf } from "../parts/studio-place.js";

interface WelcomeProps {
  readonly api: Api;
  /** The agents that a new session can have. None if the server only shows. */
  readonly agents: readonly string[];
}

/** The view. Its form is there if the server has its own agents. */
export function Welcome({ api, agents }: WelcomeProps): JSX.Element {
  const [first = ""] = agents;
  const [chosen, setChosen] = useState("");
  const agent = chosen === "" ? first : chosen;
  const begin = async (input: unknown): Promise<void> => {
    location.hash = hrefOf({ view: "session", id: await api.begin(agent, String(input)) });
  };
  return (
    <div class="welcome">
      <h1>Sessions of this server</h1>
      <p class="dim">Open one to see what its runs did, live and past. Those that wait for you say so.</p>
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
