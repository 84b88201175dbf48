// Starts rounds or rivals at one task, or goes on with them, and tells how they end.

import type { TriesOutcome } from "../../evals/index.js";
import type { Settings } from "../args/args.js";
import { printed } from "../args/options.js";
import type { Order } from "../args/order.js";
import { secretsIn, surfaceOf, type Surface, type Surroundings } from "../person/surface.js";
import { findId, newId, storeFor, triesOf } from "../sessions/sessions.js";
import { visible } from "../display/visible.js";
import { completeWords } from "../task/material.js";
import type { ReadyTries } from "./ready-tries.js";
import { runRivals } from "./run-rivals.js";
import { runRounds } from "./run-rounds.js";
import { answerOf, drained, endLine, startLine, triesCode, triesJson, type TryWord } from "./try-lines.js";

/** Starts the tries of a task, or goes on with the tries of a session. Nobody is asked. Returns the exit code. */
export async function startTries(
  given: Settings,
  around: Surroundings,
  order: Extract<Order, { readonly do: "run" | "resume" }>,
): Promise<number> {
  const word: TryWord = given.rounds === undefined ? "rival" : "round";
  const settings: Settings = { ...given, noInput: true, notes: given.notes || word === "round" };
  const surface = await surfaceOf(settings, around);
  const isQuiet = settings.quiet;
  const { say, style } = surface;
  const note = (line: string): void => {
    if (!isQuiet) say(style.dim(line));
  };
  const use = { what: "task", secrets: secretsIn(around.env, undefined), note, warn: say } as const;
  const words = order.do === "run" ? await completeWords(order.task, around, use) : undefined;
  if (order.do === "run" && words === undefined) return 130;
  const id = order.do === "run" ? newId() : triesOf(await findId(await storeFor(settings, around.env), order.id));
  const task = words && words.words + words.material;
  const needs = { settings, around, surface, id, task };
  const ready = await (word === "round" ? runRounds(needs) : runRivals(needs));
  try {
    const begun = new Map<number, number>();
    const of = settings.rounds ?? settings.bestOf ?? 1;
    const end = await drained(ready.running, (event) => {
      if (event.type === "try-event") ready.take(event);
      else if (event.type === "try-start") {
        begun.set(event.number, performance.now());
        note(startLine(word, { ...event, of }));
      } else if (!isQuiet)
        say(endLine(word, event.tried, performance.now() - (begun.get(event.tried.number) ?? performance.now())));
    });
    report(end, ready, surface, settings);
    if (end.status !== "completed") say(`To go on: lastcall resume ${id}`);
    return triesCode(end, settings);
  } finally {
    await ready.close();
  }
}

function report(
  end: TriesOutcome,
  { speech, remarks }: ReadyTries,
  { json, answer, say }: Surface,
  { log }: Settings,
): void {
  const text = answerOf(end, speech);
  if (json) answer(triesJson(end));
  else if (text !== undefined && log !== printed) answer(text);
  if (end.status === "stopped") say(visible(`Not done: ${end.message}.`));
  if (end.status === "failed") say(visible(end.fault.message, { multiline: true }));
  if (end.status === "aborted") say("interrupted");
  remarks().forEach(say);
}
