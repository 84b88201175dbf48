// The outcome of a run as the typed union that a program gets, and the form that answers it if it waits.

import type { Event, Input, JsonObject } from "lastcall";
import type { Action } from "./messages.js";
import { button, el, written } from "./elements.js";

/** The outcome of any agent, without its session. */
export type ShownOutcome = Extract<Event, { readonly type: "run-end" }>["outcome"];

/** Answers a session that waits. */
export type Answer = (action: Extract<Action, { readonly type: "answer" }>) => void;

const tones: Readonly<Record<string, string>> = { completed: "good", waiting: "wait" };

/** The outcome, field by field. */
export function outcomeView(outcome: ShownOutcome, onAnswer: Answer): HTMLElement {
  const rows = el("dl", "pg-fields");
  for (const [name, value] of fieldsOf(outcome)) {
    rows.append(el("dt", "", name), el("dd", "", el("code", "", written(value, 56))));
  }
  const element = el("section", `pg-outcome pg-${tones[outcome.status] ?? "bad"}`, el("h3", "", "Outcome"), rows);
  element.setAttribute("aria-label", "Outcome");
  if (outcome.status === "waiting") element.append(formOf(outcome, onAnswer));
  return element;
}

function fieldsOf(outcome: ShownOutcome): readonly (readonly [string, unknown])[] {
  const { status, iterations } = outcome;
  const end = [["iterations", iterations]] as const;
  switch (outcome.status) {
    case "completed": {
      const { by, value, verified, speaker } = outcome;
      const spoken = speaker === undefined ? [] : ([["speaker", speaker]] as const);
      return [["status", status], ["by", by], ["value", value], ["verified", verified], ...spoken, ...end];
    }
    case "waiting":
      if (outcome.approval !== undefined) {
        const { why, preview } = outcome.approval;
        const terms = { why, ...(preview !== undefined && { preview }) };
        return [
          ["status", status],
          ["by", outcome.by],
          ["input", outcome.input],
          ["approval", terms],
        ];
      }
      return [
        ["status", status],
        ["by", outcome.by],
        ["value", outcome.value],
      ];
    case "stopped":
      return [["status", status], ["reason", outcome.reason], ["message", outcome.message], ...end];
    case "failed":
      return [
        ["status", status],
        ["fault.code", outcome.fault.code],
        ["message", outcome.message],
      ];
    case "aborted":
      return [
        ["status", status],
        ["message", outcome.message],
      ];
  }
}

type Waiting = Extract<ShownOutcome, { readonly status: "waiting" }>;

function formOf(outcome: Waiting, onAnswer: Answer): HTMLElement {
  const send = (answer: Input): void => {
    onAnswer({ type: "answer", answers: outcome.id, answer });
  };
  if (outcome.approval !== undefined || outcome.approves !== undefined) return approvalForm(outcome, send);
  const suggestions = (outcome.value as { readonly suggestions?: readonly string[] } | null)?.suggestions ?? [];
  const field = el("input", "pg-field");
  field.required = true;
  field.setAttribute("aria-label", outcome.replySchema === undefined ? "Your answer" : "Your answer, as JSON");
  const submit = el("button", "pg-button pg-primary", "Answer");
  const form = el(
    "form",
    "pg-answer",
    ...suggestions.map((one) =>
      button("pg-button", one, () => {
        send(one);
      }),
    ),
    field,
    submit,
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(outcome.replySchema === undefined ? field.value : objectIn(field.value));
  });
  return form;
}

function approvalForm(outcome: Waiting, send: (answer: Input) => void): HTMLElement {
  const digest = outcome.approval?.digest;
  const allow = (allowed: boolean): void => {
    send({ allowed, ...(digest !== undefined && { digest }), ...(!allowed && { reason: "A person said no." }) });
  };
  return el(
    "div",
    "pg-answer",
    button("pg-button pg-primary", "Approve", () => {
      allow(true);
    }),
    button("pg-button", "Refuse", () => {
      allow(false);
    }),
  );
}

/** The object that the text writes; a text that writes none is sent as it is, and the schema refuses it. */
function objectIn(text: string): Input {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as JsonObject) : text;
  } catch {
    return text;
  }
}
