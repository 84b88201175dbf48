// The transcript: keeps every record, and as the prompt shows all of it but the failed streaks that were recovered from.

import {
  describeFailure,
  type JournalRecord,
  type Memory,
  type Message,
  type PromptRewrite,
  type Session,
} from "../core/index.js";

/** Opens a session's transcript. The session given is not changed: appending goes to a copy of its records. */
export function transcript(session: Session): Memory {
  const records: JournalRecord[] = [];
  const messages: Message[] = [];
  /** Where in `messages` the open iteration starts, and where the failed streak before it does. */
  let iteration = 0;
  let streak: number | undefined;
  let rewritten: PromptRewrite["reason"] | undefined;
  /** How many of the messages a request has had: those before the last reply, and those that were recalled. */
  let shown = 0;

  /** What the harness said between two iterations: it stays, whatever it stands between. */
  const notices = new Set<Message>();

  /** Takes a failed streak out of the prompt: `messages` from where it starts up to `end`, notices left. */
  function forget(end: number, reason: PromptRewrite["reason"]): void {
    if (streak === undefined) return;
    messages.splice(streak, end - streak, ...messages.slice(streak, end).filter((message) => notices.has(message)));
    if (shown > streak) rewritten = reason;
    streak = undefined;
  }

  function show(record: JournalRecord): void {
    switch (record.type) {
      case "input":
        forget(messages.length, "input");
        if (record.text === "") return;
        if (record.answers === undefined) messages.push({ role: "user", text: record.text });
        else messages.push({ role: "tool", callId: record.answers, text: record.text });
        return;
      case "reply":
        iteration = messages.length;
        shown = messages.length;
        rewritten = undefined;
        messages.push({ role: "assistant", reply: record.reply });
        return;
      case "result":
        messages.push({ role: "tool", callId: record.result.callId, text: record.result.text });
        return;
      case "claim":
        if (record.ending !== "waiting") messages.push({ role: "tool", callId: record.callId, text: "Accepted." });
        return;
      case "error-context":
        messages.push({ role: "user", text: describeFailure(record.failure) });
        return;
      case "steer":
        messages.push({ role: "user", text: record.text });
        return;
      case "notice": {
        const message: Message = { role: "user", text: record.text };
        notices.add(message);
        messages.push(message);
        return;
      }
      case "iteration":
        if (record.ephemeral) streak ??= iteration;
        else forget(iteration, "recovered");
        return;
      case "decision":
      case "intent":
      case "resume":
      case "baseline":
      case "check":
      case "expiry":
      case "spend":
      case "outcome":
        return;
    }
  }

  function append(record: JournalRecord): void {
    records.push(record);
    show(record);
  }

  session.records.forEach(append);
  return {
    records,
    append,
    async *recall() {
      if (rewritten !== undefined) yield { type: "prompt-rewrite", reason: rewritten };
      rewritten = undefined;
      shown = messages.length;
      return messages;
    },
  };
}
