// The parts of a message: words, calls, approvals, questions, and how a run ended.

import { useState } from "react";

/** One part. Buttons are shown in the last message alone: what was asked before was answered in words. */
export function Part({ part, chat, isLast }) {
  if (part.type === "text") return <p>{part.text}</p>;
  if (part.type === "reasoning")
    return (
      <details>
        <summary>Thoughts</summary>
        {part.text}
      </details>
    );
  if (part.type === "data-check")
    return (
      <p className="note">
        {part.data.passed ? "✓" : "✗"} {part.data.check}
      </p>
    );
  if (part.type === "data-outcome")
    return (
      <p className="note">
        The run {part.data.status}: {part.data.message}
      </p>
    );
  if (part.type !== "dynamic-tool") return null;
  if (part.toolName === "ask_question") return <Question part={part} chat={chat} isLast={isLast} />;
  return <Call part={part} chat={chat} isLast={isLast} />;
}

function Call({ part, chat, isLast }) {
  const { toolName, state, input, output, errorText, approval } = part;
  const answer = (approved) => chat.addToolApprovalResponse({ id: approval.id, approved });
  return (
    <section className={`call ${state}`}>
      <h2>
        {toolName.replaceAll("_", " ")} <small>{marks[state]}</small>
      </h2>
      <code>{approval?.descriptor?.preview ?? JSON.stringify(input)}</code>
      {state === "output-available" && <p>{typeof output === "string" ? output : JSON.stringify(output)}</p>}
      {state === "output-error" && <p>{errorText}</p>}
      {state === "approval-requested" && isLast && (
        <footer>
          <span>{approval.descriptor?.why}</span>
          <button onClick={() => answer(true)}>Approve</button>
          <button className="quiet" onClick={() => answer(false)}>
            Refuse
          </button>
        </footer>
      )}
    </section>
  );
}

const marks = {
  "input-streaming": "…",
  "input-available": "at work",
  "approval-requested": "waits for you",
  "approval-responded": "at work",
  "output-available": "done",
  "output-error": "failed",
  "output-denied": "refused",
};

function Question({ part, chat, isLast }) {
  const [text, setText] = useState("");
  const { toolCallId, toolName: tool, state, input, output } = part;
  const answer = (given) => chat.addToolOutput({ tool, toolCallId, output: given });
  return (
    <section className="call">
      <p>{input?.question}</p>
      {state === "output-available" && <p className="note">{String(output)}</p>}
      {state === "input-available" && isLast && (
        <footer>
          {input.suggestions?.map((suggestion) => (
            <button key={suggestion} className="quiet" onClick={() => answer(suggestion)}>
              {suggestion}
            </button>
          ))}
          <form onSubmit={(event) => (event.preventDefault(), text.trim() !== "" && answer(text))}>
            <input
              aria-label="Answer"
              placeholder="Another answer"
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          </form>
        </footer>
      )}
    </section>
  );
}
