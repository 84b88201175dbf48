// The things that one can do with a session: resume it, abort it, compare it.

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
  /** True if a run is seen at work. It needs no resume. */
  readonly isLive: boolean;
}

/** Buttons to resume and abort. */
export function Actions({ api, id, summary, isLive }: ActionsProps): JSX.Element {
  const { problem, isBusy, start } = useTask();
  const isOpen = summary?.status === "open";
  const canResume = summary?.status === "stopped" || summary?.status === "failed" || summary?.status === "aborted";
  return (
    <div class="actions">
      {((isOpen && !isLive) || canResume) && (
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
      {isOpen && (
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
      {problem !== "" && (
        <span class="problem" role="alert">
          {problem}
        </span>
      )}
    </div>
  );
}

interface CompareProps {
  readonly id: string;
  readonly sessions: readonly SessionSummary[];
}

/** A list of what the session can be compared with. */
export function CompareWith({ id, sessions }: CompareProps): JSX.Element {
  const others = sessions.filter((other) => other.id !== id);
  return (
    <select
      aria-label="Compare with"
      value=""
      onChange={(event) => {
        location.hash = event.currentTarget.value;
      }}
    >
      <option value="">Compare …</option>
      <option value={hrefOf({ view: "replay", id })}>its replay</option>
      {others.map((other) => (
        <option key={other.id} value={hrefOf({ view: "compare", id, with: other.id })}>
          {firstLine(other.title, 50)} ({other.id})
        </option>
      ))}
    </select>
  );
}

interface ShareProps {
  readonly api: Api;
  readonly id: string;
}

/** A button that keeps the session as one page, which opens without this server. */
export function Share({ api, id }: ShareProps): JSX.Element {
  const { problem, isBusy, start } = useTask();
  const share = async (): Promise<void> => {
    const address = URL.createObjectURL(await api.page(id));
    const link = document.createElement("a");
    link.href = address;
    link.download = `lastcall-${id.replaceAll(/[^\w.@-]+/g, "-").slice(0, 100)}.html`;
    link.click();
    // The browser has begun to write the file by then.
    setTimeout(() => {
      URL.revokeObjectURL(address);
    }, 60_000);
  };
  return (
    <>
      <button
        type="button"
        disabled={isBusy}
        title="Keeps this session as one page without secrets, which opens anywhere"
        onClick={() => {
          start(share);
        }}
      >
        Share
      </button>
      {problem !== "" && (
        <span class="problem" role="alert">
          {problem}
        </span>
      )}
    </>
  );
}
