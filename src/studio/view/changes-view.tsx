// The changes of a session in its folder: the diffs, and the buttons that take them back and make them again.

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { TurnedBack } from "../../server/index.js";
import type { Api, Changes } from "../data/server-api.js";
import { count, diffBody, leftWords, visible } from "../data/shown-words.js";
import { Change } from "../parts/text.js";
import { useLoaded, useTask } from "../parts/use-task.js";

interface ChangesProps {
  readonly api: Api;
  readonly id: string;
  /** The runs of the session. */
  readonly runs: number;
  readonly readOnly: boolean;
  /** Changes when the session has gone on. */
  readonly stand: string;
}

/** Milliseconds between two looks while a run is at work. */
const every = 2000;

/** The changed paths that are shown. */
const mostShown = 200;
/** The diffs that are open at first. */
const open = 5;

/** The view. It looks again when the session goes on, and after each undo. */
export function ChangesView({ api, id, runs, readOnly, stand }: ChangesProps): JSX.Element {
  const [isAll, setAll] = useState(false);
  const [times, setTimes] = useState(0);
  const after = isAll || runs <= 1 ? undefined : 0;
  const { problem, value } = useLoaded(() => api.changes(id, { after }), [id, after, stand, times].join(" "));
  const isAtWork = value?.isAtWork === true;
  const look = (): void => {
    setTimes((before) => before + 1);
  };
  useEffect(() => {
    if (!isAtWork) return undefined;
    const timer = setInterval(look, every);
    return () => {
      clearInterval(timer);
    };
  }, [isAtWork]);
  if (problem !== "")
    return (
      <p class="problem" role="alert">
        {problem}
      </p>
    );
  if (value === undefined) return <p class="empty">Loading …</p>;
  return (
    <div class="changes">
      {runs > 1 && <Which isAll={isAll} setAll={setAll} />}
      <p>
        {value.count === 0 ? "Nothing is changed" : `${count(value.count, "path")} changed`} in the folder
        {isAll || runs <= 1 ? "." : " by the last run that changed something."}
      </p>
      {!readOnly && <Turning key={String(after)} {...{ api, id, after, runs, value, look }} />}
      {value.paths.slice(0, mostShown).map((path, at) => (
        <PathDiff
          key={`${path} ${String(after)}`}
          {...{ api, id, path, after }}
          isFirst={at < open}
          stand={`${stand} ${String(times)}`}
        />
      ))}
      {value.count > mostShown && <p class="dim">… and {count(value.count - mostShown, "more path")}</p>}
    </div>
  );
}

function Which({ isAll, setAll }: { readonly isAll: boolean; readonly setAll: (isAll: boolean) => void }): JSX.Element {
  return (
    <div class="tabs" role="group" aria-label="Runs">
      {[false, true].map((one) => (
        <button
          key={String(one)}
          type="button"
          aria-pressed={isAll === one}
          onClick={() => {
            setAll(one);
          }}
        >
          {one ? "all runs" : "last run"}
        </button>
      ))}
    </div>
  );
}

type Kind = "undo" | "redo";

interface TurningProps {
  readonly api: Api;
  readonly id: string;
  readonly after: number | undefined;
  readonly runs: number;
  readonly value: Changes;
  readonly look: () => void;
}

/** The buttons. Each shows what it will do before it does it. */
function Turning({ api, id, after, runs, value, look }: TurningProps): JSX.Element | null {
  const { problem, isBusy, start } = useTask();
  const [plan, setPlan] = useState<{ readonly kind: Kind; readonly will: TurnedBack }>();
  const [done, setDone] = useState<{ readonly kind: Kind; readonly was: TurnedBack }>();
  const { isAtWork, undone } = value;
  const ask = (kind: Kind): void => {
    setDone(undefined);
    start(async () => {
      setPlan({ kind, will: await api.turnBack(id, kind, { ...(kind === "undo" && { after }), dryRun: true }) });
    });
  };
  const turn = ({ kind, will }: { readonly kind: Kind; readonly will: TurnedBack }): void => {
    setPlan(undefined);
    start(async () => {
      try {
        const terms = { ...(kind === "undo" && { after }), plan: will.plan };
        setDone({ kind, was: await api.turnBack(id, kind, terms) });
      } finally {
        look();
      }
    });
  };
  const undo = after === undefined && runs > 1 ? "Undo all runs" : "Undo this run";
  const isOff = isBusy || isAtWork || plan !== undefined;
  return (
    <section class="turning" aria-label="Undo">
      <div class="actions">
        {value.count > 0 && (
          <button
            type="button"
            disabled={isOff}
            onClick={() => {
              ask("undo");
            }}
          >
            {undo}
          </button>
        )}
        {undone.length > 0 && (
          <button
            type="button"
            disabled={isOff}
            onClick={() => {
              ask("redo");
            }}
          >
            Redo
          </button>
        )}
        {isAtWork && <span class="dim">A run is at work. It can be taken back when it has ended.</span>}
      </div>
      {plan !== undefined && (
        <PlanView
          {...plan}
          cancel={() => {
            setPlan(undefined);
          }}
          go={() => {
            turn(plan);
          }}
        />
      )}
      {problem !== "" && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {plan === undefined && done !== undefined && (
        <div role="status">
          <p class={done.was.conflicts.length === 0 ? "good" : "wait"}>
            {done.kind === "undo" ? "Taken back" : "Made again"}: {count(done.was.changed.length, "path")}
          </p>
          <Left turned={done.was} />
        </div>
      )}
      {plan === undefined && undone.length > 0 && <Paths label="Taken back, and can be made again" paths={undone} />}
    </section>
  );
}

interface PlanProps {
  readonly kind: Kind;
  readonly will: TurnedBack;
  readonly cancel: () => void;
  readonly go: () => void;
}

/** The paths that will be written, and the paths that will stay. Nothing is written yet. */
function PlanView({ kind, will, cancel, go }: PlanProps): JSX.Element {
  const { length } = will.changed;
  const verb = kind === "undo" ? "restored" : "made again";
  return (
    <div class="plan">
      {length === 0 ? <p>Nothing can be {verb}.</p> : <Paths label={`Will be ${verb}`} paths={will.changed} />}
      <Left turned={will} />
      <div class="actions">
        {length > 0 && (
          <button class="primary" type="button" onClick={go}>
            {kind === "undo" ? "Restore" : "Make again"} {count(length, "path")}
          </button>
        )}
        <button type="button" onClick={cancel}>
          {length === 0 ? "Close" : "Cancel"}
        </button>
      </div>
    </div>
  );
}

/** The paths and commands that stay as they are, with the reason. */
function Left({ turned: { conflicts, unseen } }: { readonly turned: TurnedBack }): JSX.Element | null {
  const lines = leftWords({ conflicts: conflicts.slice(0, mostShown), unseen });
  if (lines.length === 0) return null;
  return (
    <div class="listed">
      <p class="text-label">
        {conflicts.length === 0 ? "Not known" : `Stays as it is: ${count(conflicts.length, "path")}`}
      </p>
      <ul class="paths">
        {lines.map(({ name, why }) => (
          <li key={name}>
            <span class="path">{name}</span>: <span class="wait">{why}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Paths({ label, paths }: { readonly label: string; readonly paths: readonly string[] }): JSX.Element {
  return (
    <div class="listed">
      <p class="text-label">{`${label}: ${count(paths.length, "path")}`}</p>
      <ul class="paths">
        {paths.slice(0, mostShown).map((path) => (
          <li key={path} class="path">
            {visible(path)}
          </li>
        ))}
      </ul>
      {paths.length > mostShown && <p class="dim">… and {count(paths.length - mostShown, "more path")}</p>}
    </div>
  );
}

interface PathDiffProps {
  readonly api: Api;
  readonly id: string;
  readonly path: string;
  readonly after: number | undefined;
  readonly stand: string;
  /** True if it is open at first. */
  readonly isFirst: boolean;
}

/** A path, with its diff once it is open. */
function PathDiff({ isFirst, ...shown }: PathDiffProps): JSX.Element {
  const [isOpen, setOpen] = useState(isFirst);
  return (
    <details
      class="changed-path"
      open={isOpen}
      onToggle={(event) => {
        setOpen(event.currentTarget.open);
      }}
    >
      <summary class="path">{visible(shown.path)}</summary>
      {isOpen && <LoadedDiff {...shown} />}
    </details>
  );
}

function LoadedDiff({ api, id, path, after, stand }: Omit<PathDiffProps, "isFirst">): JSX.Element {
  const { problem, value } = useLoaded(() => api.changes(id, { after, path }), [id, path, after, stand].join(" "));
  if (problem !== "") return <p class="bad">{problem}</p>;
  if (value?.diff === undefined) return <p class="dim">Loading …</p>;
  const body = diffBody(value.diff, path);
  return (
    <>
      {body.isText ? (
        <Change label={`Diff of ${visible(path)}`} text={body.text} isLabelSeen={false} />
      ) : (
        <p class="dim">{visible(body.text)}</p>
      )}
      {value.isCut === true && <p class="dim">The diff goes on: lastcall diff {id} has all of it.</p>}
    </>
  );
}
