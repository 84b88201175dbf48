// The bar below a session: the question or the call that waits, or a field for words.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { quorumWords, raiseLimit, statedChange, valueWords } from "../../core/internal.js";
import type { SessionSummary } from "../../server/index.js";
import type { Api } from "../data/server-api.js";
import { visible } from "../data/shown-words.js";
import { ReplyForm } from "../parts/reply-form.js";
import { Change, Text } from "../parts/text.js";
import { useTask } from "../parts/use-task.js";

interface WaitingProps {
  readonly api: Api;
  readonly id: string;
  readonly summary: SessionSummary | undefined;
  readonly readOnly: boolean;
}

/** The bar. In a server that only shows, it says what waits and takes nothing. */
export function WaitingBar({ api, id, summary, readOnly }: WaitingProps): JSX.Element | null {
  const waiting = summary?.waiting;
  if (summary === undefined) return null;
  if (waiting === undefined) return readOnly ? null : <Words api={api} id={id} status={summary.status} />;
  if (waiting.approval !== undefined)
    return <Approval {...{ api, id, readOnly, call: waiting }} key={waiting.approval.digest} />;
  const send = (input: unknown): Promise<void> => api.send(id, input, waiting.id);
  return (
    <section class="waiting" aria-label="Question" key={waiting.id}>
      <p class="question">{visible(valueWords(waiting.value))}</p>
      <Choices value={waiting.value} send={send} readOnly={readOnly} />
      {!readOnly && <ReplyForm schema={waiting.replySchema} send={send} />}
    </section>
  );
}

interface ChoicesProps {
  readonly value: unknown;
  readonly send: (input: unknown) => Promise<void>;
  readonly readOnly: boolean;
}

/** The answers that the question suggests. They are no buttons if nobody can answer here. */
function Choices({ value, send, readOnly }: ChoicesProps): JSX.Element | null {
  const { start, isBusy } = useTask();
  const { suggestions } = (typeof value === "object" && value !== null ? value : {}) as {
    readonly suggestions?: unknown;
  };
  if (!Array.isArray(suggestions)) return null;
  const texts = suggestions.filter((one): one is string => typeof one === "string");
  if (readOnly)
    return (
      <p class="choices">
        {texts.map((text) => (
          <span key={text} class="chip">
            {visible(text)}
          </span>
        ))}
      </p>
    );
  return (
    <p class="choices">
      {texts.map((text) => (
        <button
          key={text}
          type="button"
          disabled={isBusy}
          onClick={() => {
            start(() => send(text));
          }}
        >
          {visible(text)}
        </button>
      ))}
    </p>
  );
}

interface ApprovalProps {
  readonly api: Api;
  readonly id: string;
  readonly readOnly: boolean;
  readonly call: Extract<NonNullable<SessionSummary["waiting"]>, { readonly approval: object }>;
}

/** A call that waits for a yes or no. The answer names the digest of the call that is shown, so it counts for no other. */
function Approval({ api, id, readOnly, call }: ApprovalProps): JSX.Element {
  const { problem, isBusy, start } = useTask();
  const [reason, setReason] = useState("");
  const { why, digest, quorum, preview = statedChange(call.by, call.input)?.join("\n") } = call.approval;
  const answer = (allowed: boolean): void => {
    start(() => api.approve(id, { callId: call.id, digest, allowed, ...(reason !== "" && { reason }) }));
  };
  const isAtLimit = call.by === raiseLimit;
  return (
    <section class="waiting" aria-label="Approval">
      {isAtLimit ? (
        <p class="question">{visible(why)}</p>
      ) : (
        <p class="question">
          <strong>{visible(call.by)}</strong> needs an approval: {visible(why)}
        </p>
      )}
      {quorum !== undefined && <p class="dim">{visible(quorumWords(quorum))}</p>}
      {!isAtLimit && (
        <div class="waiting-texts">
          {preview === undefined ? (
            <Text label="Input" text={JSON.stringify(call.input, null, 2)} />
          ) : (
            <Change label="The call would do this" text={preview} />
          )}
        </div>
      )}
      {!readOnly && (
        <div class="actions">
          <button
            class="primary"
            type="button"
            disabled={isBusy}
            onClick={() => {
              answer(true);
            }}
          >
            Approve
          </button>
          <button
            type="button"
            disabled={isBusy}
            onClick={() => {
              answer(false);
            }}
          >
            Refuse
          </button>
          <input
            class="field"
            aria-label="Reason"
            placeholder="Reason (optional)"
            value={reason}
            onInput={(event) => {
              setReason(event.currentTarget.value);
            }}
          />
          <span class="dim">digest {digest.slice(0, 12)}</span>
        </div>
      )}
      {problem !== "" && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </section>
  );
}

interface WordsProps {
  readonly api: Api;
  readonly id: string;
  readonly status: SessionSummary["status"];
}

/** A field for words: they steer a run that is at work, and begin the next run of any other session. */
function Words({ api, id, status }: WordsProps): JSX.Element | null {
  if (status === "damaged") return null;
  return (
    <section class="waiting" aria-label="Words for the agent">
      <ReplyForm
        schema={undefined}
        placeholder={status === "open" ? "Steer: the agent reads it before its next step" : "Go on with these words"}
        send={(input) => api.send(id, input)}
      />
    </section>
  );
}
