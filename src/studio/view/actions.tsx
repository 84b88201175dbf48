// The things that one can do with a session.

import type { JSX } from "preact";
import type { SessionSummary } from "../../server/index.js";
import type { Api } from "../data/server-api.js";
import { firstLine } from "../data/shown-words.js";
import { hrefOf } from "../parts/studio-place.js";
import { useTask } from "../parts/use-task.js";

interface ActionsProps {
  readonly api: Api;
  readonly id: string;
  readonly summary: SessionSummary | undefined;
  readonly sessions: readonly SessionSummary[];
  readonly readOnly: boolean;
}

/** Buttons to resume and abort, and a list of the sessions to compare with. */
export function Actions({ api, id, summary, sessions, readOnly }: ActionsProps): JSX.Element {
  const { problem, isBusy, start } = useTask();
  const isOpen = summary?.status === "open";
  const canResume = summary?.status === "stopped" || summary?.status === "failed" || summary?.status === "aborted";
  const others = sessions.filter((other) => other.id !== id);
  return (
    <div class="actions">
      {!readOnly && (isOpen || canResume) && (
        <button
          type="button"
          disabled={isBusy}
          onClick={() => {
            start(() => api.resume(id));
          }}
        >
          Resume
        </button>
      )}
      {!readOnly && isOpen && (
        <button
          type="button"
          disabled={isBusy}
          onClick={() => {
            start(() => api.abort(id));
          }}
        >
          Abort
        </button>
      )}
      {others.length > 0 && (
        <select
          aria-label="Compare with"
          value=""
          onChange={(event) => {
            location.hash = hrefOf({ view: "compare", id, with: event.currentTarget.value });
          }}
        >
          <option value="">Compare with …</option>
          {others.map((other) => (
            <option key={other.id} value={other.id}>
              {firstLine(other.title, 50)} ({other.id})
            </option>
          ))}
        </select>
      )}
      {problem !== "" && (
        <span class="problem" role="alert">
          {problem}
        </span>
      )}
    </div>
  );
}
