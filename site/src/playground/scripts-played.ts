// The scripted models of the reader's code, as they are played in the worker: slowly, from where the journal stands, or by a real model.
//
// A worker that was killed takes the place in its script with it. So each reply is stored with the name of its script as its `model`, and a
// new worker counts them in the journal.

import { LastcallError, type Model, type Session } from "lastcall";
import type { Script, ScriptedModel, ScriptedModelOptions, Seen, Step } from "lastcall/testing";
import type { Prompt } from "./messages.js";

/** How scripts are played. */
export interface Playing {
  readonly scriptedModel: (script: Script, options?: ScriptedModelOptions) => ScriptedModel;
  /** The number of replies of each script that the journal has. */
  readonly said: ReadonlyMap<string, number>;
  /** Milliseconds before each reply. */
  readonly pace: number;
  /** Answers in place of every script. */
  readonly own?: Model | undefined;
  /** Hears each request, before it is answered. */
  readonly onPrompt: (prompt: Prompt) => void;
}

/** The replies of each script in a journal, and in the journals below it. */
export function repliesIn(session: Session, said = new Map<string, number>()): ReadonlyMap<string, number> {
  for (const record of session.records) {
    const model = record.type === "reply" ? record.reply.model : undefined;
    if (model !== undefined) said.set(model, (said.get(model) ?? 0) + 1);
  }
  for (const child of Object.values(session.children ?? {})) repliesIn(child, said);
  return said;
}

/** Makes `scriptedModel` for the reader's code. */
export function played({ scriptedModel, said, pace, own, onPrompt }: Playing): Playing["scriptedModel"] {
  let made = 0;
  return (script, options) => {
    made += 1;
    const name = `script ${String(made)}`;
    const scripted = scriptedModel(from(script, said.get(name) ?? 0), options);
    const model = own ?? scripted;
    const respond: Model["respond"] = async function* (request, signal) {
      const { key, system, messages, tools } = request;
      onPrompt({ key, system, messages: [...messages], tools });
      if (own !== undefined) return yield* own.respond(request, signal);
      await pause(pace, signal);
      return { ...(yield* scripted.respond(request, signal)), model: name };
    };
    return Object.defineProperties({ ...model, respond } as unknown as ScriptedModel, {
      requests: { get: () => scripted.requests },
      unsaid: { get: () => scripted.unsaid },
    });
  };
}

/** The script without the replies that were said. The number of a request counts from the beginning of the session. */
function from(script: Script, said: number): Script {
  if (said === 0) return script;
  return (seen) => {
    const now: Seen = { ...seen, number: seen.number + said };
    const step: Step | undefined = typeof script === "function" ? script(now) : script[now.number - 1];
    if (step !== undefined) return typeof step === "function" ? step(now) : step;
    const words = `The script has ${String(script.length)} replies and was asked for number ${String(now.number)}.`;
    throw new LastcallError("script", words);
  };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal.addEventListener("abort", stop, { once: true });
  });
}
