// lastcall --rounds: the agent of the command, in rounds.

import { rounds } from "../../evals/index.js";
import { giveUp, taskCompletion } from "../../tools/index.js";
import { aboutFor } from "../sessions/on-sessions.js";
import { storeFor } from "../sessions/sessions.js";
import { watch } from "../show/watch.js";
import { makeAgent } from "../task/make-agent.js";
import { prepare } from "../task/prepare.js";
import type { ReadyTries, TriesNeeds } from "./ready-tries.js";

/**
 * Makes the rounds ready.
 * @throws LastcallError `configuration` or `authentication` as `prepare` does.
 */
export async function runRounds({ settings, around, surface, id, task }: TriesNeeds): Promise<ReadyTries> {
  const print = (line: string): void => void around.stdout.write(`${line}\n`);
  const { needs, events, close } = await prepare(settings, around, { person: undefined, surface, print });
  const { onEvent, hooks } = watch({ ...surface, log: surface.log === "verbose" ? "verbose" : "quiet", events });
  const made = await makeAgent({ ...needs, approver: undefined }, { endings: [taskCompletion(), giveUp()], hooks });
  if (!settings.quiet) for (const line of made.notices) surface.say(surface.style.dim(line));
  const { changes } = needs;
  const running = rounds(made.agent, task, {
    store: await storeFor(settings, around.env),
    id,
    most: settings.rounds,
    diff: (sessions) =>
      sessions
        .map((session) => changes?.diff(session) ?? "")
        .filter((diff) => diff !== "")
        .join("\n"),
    context: made.context,
    about: await aboutFor(settings, around),
    signal: around.signal,
  });
  return {
    running,
    take({ event }) {
      onEvent(event);
    },
    speech: made.speech,
    remarks: made.remarks,
    close,
  };
}
