// A session beside its replay, from the file of the replay.

import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { diff } from "../data/diff.js";
import type { Api } from "../data/server-api.js";
import { readReplay, type Departure, type ReplayFile } from "../data/replay-file.js";
import { placeWords, replayRows, type ReplayLine } from "../data/replay-rows.js";
import { count, firstLine, visible } from "../data/shown-words.js";
import { hrefOf } from "../parts/studio-place.js";
import { Change, Text } from "../parts/text.js";
import { useShown } from "../parts/use-shown.js";
import { useTask } from "../parts/use-task.js";
import { VirtualList } from "../parts/virtual-list.js";
import { Head, Sides } from "./compare-view.js";

interface ReplayProps {
  readonly api: Api;
  readonly id: string;
}

/** The replays that were opened in this page, by session. */
const opened = new Map<string, ReplayFile>();

/** The replay of a session. Without a file, the view asks for it. */
export function ReplayView({ api, id }: ReplayProps): JSX.Element {
  const [file, setFile] = useState(opened.get(id));
  const open = (read: ReplayFile): void => {
    opened.set(id, read);
    setFile(read);
  };
  return (
    <article class="session replay" aria-label="Replay">
      <header class="session-head">
        <a class="back" href={hrefOf({ view: "session", id })} aria-label="Back to the session">
          ←
        </a>
        <h1>{file === undefined ? "Replay" : titleOf(file)}</h1>
        {file !== undefined && <FileField id={id} label="Another file" open={open} />}
      </header>
      {file === undefined ? <Asked id={id} open={open} /> : <Replayed api={api} id={id} file={file} />}
    </article>
  );
}

function titleOf({ departures: [first] }: ReplayFile): string {
  return first === undefined ? "The replay goes the same way" : `The replay departs at ${placeWords(first.at)}`;
}

interface FileProps {
  readonly id: string;
  readonly label: string;
  readonly open: (file: ReplayFile) => void;
}

/** A field for the file. It stays in this page: nothing is sent. */
function FileField({ id, label, open }: FileProps): JSX.Element {
  const { problem, start } = useTask();
  return (
    <div class="actions">
      <label class="file">
        {label}
        <input
          class="unseen"
          type="file"
          accept="application/json,.json"
          onChange={({ currentTarget }) => {
            const [chosen] = currentTarget.files ?? [];
            if (chosen !== undefined)
              start(async () => {
                open(readReplay(await chosen.text(), id));
              });
            currentTarget.value = "";
          }}
        />
      </label>
      {problem !== "" && (
        <span class="problem" role="alert">
          {visible(problem)}
        </span>
      )}
    </div>
  );
}

function Asked({ id, open }: Pick<FileProps, "id" | "open">): JSX.Element {
  return (
    <section class="replay-asked" aria-label="The file of a replay">
      <p>
        A replay runs this session again with the agent of now, and asks no model. This line writes it to a file, which
        is shown here beside the session:
      </p>
      <pre tabIndex={0} aria-label="Command">{`lastcall replay ${visible(id)} --json > replay.json`}</pre>
      <FileField id={id} label="Open the file" open={open} />
    </section>
  );
}

function Replayed({ api, id, file }: ReplayProps & { readonly file: ReplayFile }): JSX.Element {
  const [original] = useShown(api, [id]);
  const [shown, setShown] = useState<ReadonlySet<Departure>>(new Set());
  const [chosen, setChosen] = useState<number>();
  const { timeline, isWhole } = original;
  const lines = useMemo(
    () => (isWhole ? replayRows(timeline, file, shown) : []),
    [timeline, timeline.last, isWhole, file, shown],
  );
  const selected = chosen ?? lines.findIndex(({ kind }) => kind === "departs");
  const line = lines[selected];
  return (
    <>
      <Ends file={file} />
      <div class="compare-heads">
        <Head id={id} name="The session" iterations={timeline.iterations} />
        <Head name="The replay" iterations={file.timeline.iterations} />
      </div>
      {original.problem !== "" && (
        <p class="problem" role="alert">
          {original.problem}
        </p>
      )}
      <VirtualList
        label="The session and its replay"
        count={lines.length}
        height={30}
        selected={selected}
        sticky={false}
        onSelect={setChosen}
        row={(at) => <Line line={lines[at]} />}
      />
      {line !== undefined && line.kind !== "same" && (
        <div class="replay-detail" key={selected}>
          {line.kind === "departs" && line.departures.map((one) => <Departed key={one.at} departure={one} />)}
          {line.kind !== "departs" && <Following line={line} shown={shown} setShown={setShown} />}
        </div>
      )}
    </>
  );
}

/** The ends of both, and what limits the replay. */
function Ends({ file: { end, unsaid, remarks } }: { readonly file: ReplayFile }): JSX.Element {
  const [was, is] = [firstLine(end.was, 200), firstLine(end.is, 200)];
  return (
    <div class="replay-ends">
      <p>{end.was === end.is ? `It ends as it did: ${was}` : `The session ended: ${was}. The replay ends: ${is}.`}</p>
      {unsaid > 0 && (
        <p>{unsaid === 1 ? "One recorded reply was" : `${String(unsaid)} recorded replies were`} not asked for.</p>
      )}
      {remarks.map((remark) => (
        <p key={remark}>{visible(remark)}</p>
      ))}
    </div>
  );
}

function Line({ line }: { readonly line: ReplayLine | undefined }): JSX.Element | null {
  if (line === undefined) return null;
  if (line.kind !== "fold") return <Sides {...line} mark={line.kind} />;
  return (
    <div class="row row-fold">
      <span class="row-number">{line.isOpen ? "▾" : "▸"}</span>
      <span class="row-text">
        {count(line.count, "row")} {line.count === 1 ? "follows" : "follow"} from {placeWords(line.cause.at)}
      </span>
    </div>
  );
}

interface FollowingProps {
  readonly line: ReplayLine;
  readonly shown: ReadonlySet<Departure>;
  readonly setShown: (shown: ReadonlySet<Departure>) => void;
}

/** The cause of rows that follow from a departure, and a button that folds or unfolds them. */
function Following({ line, shown, setShown }: FollowingProps): JSX.Element | null {
  const cause = line.kind === "fold" ? line.cause : line.departures[0];
  if (cause === undefined) return null;
  const isOpen = shown.has(cause);
  return (
    <div class="actions">
      <span class="dim">It differs because of {placeWords(cause.at)}.</span>
      <button
        type="button"
        onClick={() => {
          setShown(new Set(isOpen ? [...shown].filter((one) => one !== cause) : [...shown, cause]));
        }}
      >
        {isOpen ? "Fold" : "Show"} all that follows from it
      </button>
    </div>
  );
}

/** The differences of a departure, each with both texts. */
function Departed({ departure: { at, differences } }: { readonly departure: Departure }): JSX.Element {
  return (
    <section aria-label={`Departure at ${placeWords(at)}`}>
      {differences.map(({ part, name, was, is }, index) => (
        <div class="difference" key={index}>
          <h2>{visible(part === name ? part : `${part} ${name}`)}</h2>
          {was !== undefined && is !== undefined && `${was}${is}`.includes("\n") ? (
            <Change label="Was − and is +" text={changeOf(was, is)} />
          ) : (
            <>
              <Side label="Was" text={was} tone="bad" />
              <Side label="Is" text={is} tone="good" />
            </>
          )}
        </div>
      ))}
    </section>
  );
}

/** Both texts as the lines of one diff. */
function changeOf(was: string, is: string): string {
  const marks = { first: "- ", second: "+ ", both: "  " } as const;
  return diff(was.split("\n"), is.split("\n"), (line) => line)
    .map(({ side, item }) => `${marks[side]}${item}`)
    .join("\n");
}

interface SideProps {
  readonly label: string;
  readonly text: string | undefined;
  readonly tone: "bad" | "good";
}

function Side({ label, text, tone }: SideProps): JSX.Element {
  return text === undefined ? (
    <p class="dim">{label === "Was" ? "It was not there." : "It is gone."}</p>
  ) : (
    <Text label={label} text={text} tone={tone} />
  );
}
