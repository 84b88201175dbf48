// The inspector: everything about the selected row.

import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import type { Api } from "../data/server-api.js";
import type { CallView, CheckView, EventRow, IterationRow, Row } from "../data/row.js";
import type { Timeline } from "../data/timeline.js";
import { cost, duration, pretty, tokens, withoutOutputs } from "../data/shown-words.js";
import { hrefOf } from "../parts/studio-place.js";
import { PromptView } from "./prompt-view.js";
import { Receipts } from "./receipts-view.js";
import { Change, Text } from "../parts/text.js";
import { useLoaded, useTask } from "../parts/use-task.js";

interface InspectorProps {
  readonly api: Api;
  readonly id: string;
  readonly row: Row;
  readonly timeline: Timeline;
  readonly readOnly: boolean;
  readonly onClose: () => void;
}

/** The views of an iteration. */
const views = ["reply", "prompt", "difference", "record"] as const;

/** The inspector of a row. Escape closes it. */
export function Inspector(props: InspectorProps): JSX.Element {
  const { api, id, row, timeline, readOnly, onClose } = props;
  const [view, setView] = useState<(typeof views)[number]>("reply");
  const before = timeline.iterations.findLast(({ seq }) => seq < row.seq);
  const shown = row.kind === "iteration" ? views : (["reply", "record"] as const);
  const name = row.kind === "iteration" ? `Iteration ${String(row.iteration)}` : row.label;
  return (
    <aside
      class="inspector"
      aria-label={name}
      onKeyDown={(event) => {
        if (event.key === "Escape") onClose();
      }}
    >
      <header class="inspector-head">
        <h2>{name}</h2>
        <div class="tabs" role="tablist" aria-label={`Views of ${name}`}>
          {shown.map((one) => (
            <button
              key={one}
              type="button"
              role="tab"
              aria-selected={view === one}
              onClick={() => {
                setView(one);
              }}
            >
              {one === "reply" && row.kind === "event" ? "event" : one}
            </button>
          ))}
        </div>
        <button class="close" type="button" aria-label="Close" onClick={onClose}>
          ×
        </button>
      </header>
      <div class="inspector-body">
        {view === "reply" && row.kind === "iteration" && <Reply {...{ api, id, row, readOnly }} />}
        {view === "reply" && row.kind === "event" && <Happened {...{ api, id, row, timeline }} />}
        {view === "prompt" && <PromptView api={api} id={id} seq={row.seq} />}
        {view === "difference" && <PromptView api={api} id={id} seq={row.seq} before={before?.seq} />}
        {view === "record" && <RecordView api={api} id={id} seq={row.seq} />}
      </div>
    </aside>
  );
}

interface ReplyProps extends Pick<InspectorProps, "api" | "id" | "readOnly"> {
  readonly row: IterationRow;
}

function Reply({ api, id, row, readOnly }: ReplyProps): JSX.Element {
  const { usage, asked, at, model, text, calls, checks, ended } = row;
  const price = cost(row.cost);
  return (
    <>
      <dl class="facts">
        <Fact name="prompt">
          {tokens(usage.inputTokens)} tokens, {tokens(usage.cachedInputTokens)} of them cached
        </Fact>
        <Fact name="reply">
          {tokens(usage.outputTokens)} tokens, {tokens(usage.reasoningTokens)} of them reasoning
        </Fact>
        {asked !== undefined && <Fact name="latency">{duration(at - asked)}</Fact>}
        {ended !== undefined && <Fact name="calls took">{duration(ended - at)}</Fact>}
        {price !== "" && <Fact name="cost">{price}</Fact>}
        {model !== undefined && <Fact name="model">{model}</Fact>}
      </dl>
      {!readOnly && <Fork api={api} id={id} row={row} />}
      {text !== "" && <Text label="Words" text={text} whole={() => wholeReply(api, id, row.seq)} />}
      {calls.map((call) => (
        <Called key={call.id} {...{ api, id, call }} outputs={checks.map(({ output }) => output)} />
      ))}
      {checks.map((check) => (
        <Checked key={check.seq} {...{ api, id, check }} />
      ))}
    </>
  );
}

async function wholeReply(api: Api, id: string, seq: number): Promise<string> {
  const record = await api.record(id, seq);
  return record.type === "reply" ? record.reply.text : "";
}

interface CalledProps extends Pick<InspectorProps, "api" | "id"> {
  readonly call: CallView;
  /** The outputs of the checks of the iteration, which are shown below. */
  readonly outputs: readonly string[];
}

function Called({ api, id, call, outputs }: CalledProps): JSX.Element {
  const { name, result, decision, child, isClaim } = call;
  const wholeResult = async (): Promise<string> => {
    const record = await api.record(id, result?.seq ?? 0);
    return record.type === "result" ? record.result.text : "";
  };
  return (
    <section class="call">
      <h3 class="call-name">
        {name}
        {result?.failure !== undefined && <span class="chip chip-bad">{result.failure}</span>}
        {isClaim === true && <span class="chip chip-good">accepted</span>}
        {result === undefined && isClaim !== true && <span class="chip chip-open">no result yet</span>}
      </h3>
      {decision !== undefined && (
        <p class={decision.allowed ? "dim" : "bad"}>
          {decision.allowed ? "allowed" : "refused"}: {decision.reason}
        </p>
      )}
      {child !== undefined && (
        <a href={hrefOf({ view: "session", id: child })}>The session of the agent that it runs</a>
      )}
      {call.change !== undefined && <Change label="Change" text={call.change} />}
      <Text label="Arguments" text={pretty(call.arguments)} />
      {result !== undefined && (
        <Text
          label="Result"
          text={withoutOutputs(result.text, outputs)}
          whole={wholeResult}
          tone={result.ok ? undefined : "bad"}
        />
      )}
      {result?.shown !== undefined && <Text label="Shown to the model" text={withoutOutputs(result.shown, outputs)} />}
    </section>
  );
}

interface CheckedProps extends Pick<InspectorProps, "api" | "id"> {
  readonly check: CheckView;
}

function Checked({ api, id, check }: CheckedProps): JSX.Element {
  const { seq, passed, output, duration: took, exitCode, when } = check;
  const whole = async (): Promise<string> => {
    const record = await api.record(id, seq);
    return record.type === "check" ? record.output : "";
  };
  const code = exitCode === undefined ? "" : `, exit code ${String(exitCode)}`;
  return (
    <section class="call">
      <h3 class="call-name">
        <span class={passed ? "chip chip-good" : "chip chip-bad"}>{passed ? "passed" : "failed"}</span> {check.check}
      </h3>
      <p class="dim">
        at each {when}, {duration(took)}
        {code}
      </p>
      <Text label="Output" text={output} whole={whole} tone={passed ? undefined : "bad"} />
    </section>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Goes back to the request of an iteration: a copy of the session up to it, which runs again from there. */
function Fork({ api, id, row }: Pick<ReplyProps, "api" | "id" | "row">): JSX.Element {
  const { problem, isBusy, start } = useTask();
  const fork = async (): Promise<void> => {
    const copy = await api.fork(id, row.seq);
    await api.resume(copy);
    location.hash = hrefOf({ view: "compare", id, with: copy });
  };
  return (
    <p class="actions">
      <button
        type="button"
        disabled={isBusy}
        onClick={() => {
          start(fork);
        }}
      >
        Fork here and run again
      </button>
      {problem !== "" && <span class="problem">{problem}</span>}
    </p>
  );
}

interface HappenedProps extends Pick<InspectorProps, "api" | "id" | "timeline"> {
  readonly row: EventRow;
}

function Happened({ api, id, row, timeline }: HappenedProps): JSX.Element {
  return (
    <>
      <dl class="facts">
        <Fact name="time">{new Date(row.at).toLocaleString()}</Fact>
        <Fact name="record">{row.seq}</Fact>
      </dl>
      {row.text !== "" && <Text label="Words" text={row.text} />}
      {row.type === "claim" && <Receipts {...{ api, id, seq: row.seq, records: timeline.records }} />}
    </>
  );
}

function RecordView({ api, id, seq }: { readonly api: Api; readonly id: string; readonly seq: number }): JSX.Element {
  const { problem, value } = useLoaded(() => api.record(id, seq), `${id} ${String(seq)}`);
  if (problem !== "") return <p class="problem">{problem}</p>;
  return value === undefined ? (
    <p class="dim">Loading …</p>
  ) : (
    <Text label={`Record ${String(seq)}`} text={JSON.stringify(value, null, 2)} />
  );
}
