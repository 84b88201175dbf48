// Starts a task: prepares its needs, and runs it.

import { LastcallError } from "../../core/index.js";
import { leavesMore, type Settings } from "../args/args.js";
import { approverAt } from "../person/approver.js";
import { parker } from "../person/parked.js";
import { notesFrom, sessionFor } from "../sessions/on-sessions.js";
import { linkFolder } from "../sessions/sessions.js";
import { studioLink } from "../sessions/studio-link.js";
import { printed, typed } from "../args/options.js";
import type { Order } from "../args/order.js";
import { attachFile } from "../person/attach-file.js";
import { completeWords } from "./material.js";
import { prepare } from "./prepare.js";
import { personIn, surfaceOf, type Surroundings } from "../person/surface.js";
import { runTask } from "./run-task.js";

/**
 * Starts a new task, or resumes one. Returns the exit code.
 * @throws LastcallError `configuration` for `--ask` without a terminal, or for a file that can't be attached.
 */
export async function startTask(
  settings: Settings,
  around: Surroundings,
  order: Extract<Order, { readonly do: "run" | "resume" }>,
): Promise<number> {
  const given = order.do === "run" ? order.task : order.answer;
  // A job waits for no person. A terminal that the words are read from has ended when the agent would ask there.
  const isJob = order.do === "run" && order.job !== undefined;
  const isAlone = settings.noInput || isJob || given?.namesInput === true;
  const person = isAlone ? undefined : personIn(around);
  if (settings.rights.mode === "ask-all" && person === undefined && !settings.park) {
    throw new LastcallError(
      "configuration",
      "--ask needs a terminal to ask at, and there is none. Use --park or --yes, or leave it out.",
    );
  }
  const printsEvents = settings.log === printed;
  if (printsEvents && settings.json)
    throw new LastcallError(
      "configuration",
      "--log - and --json both print to standard output. Leave one out: the last line of --log - has the outcome.",
    );
  const surface = await surfaceOf(settings, around);
  const note = (line: string): void => {
    if (!settings.quiet) surface.say(surface.style.dim(line));
  };
  if (order.do === "resume") note(`goes on with ${typed(settings.kept) || "no options"}`);
  const outputs = leavesMore(settings)
    ? await (await import("../outputs/outputs.js")).outputsFor(settings, around, surface)
    : undefined;
  const attached = await Promise.all(settings.attach.map((path) => attachFile(path, "--attach")));
  for (const { line } of attached) note(line);
  const { needs, events, close } = await prepare(settings, around, {
    person,
    surface,
    print: (line) => void around.stdout.write(`${line}\n`),
  });
  try {
    const what = order.do === "run" ? "task" : "answer";
    const use = { what, secrets: needs.secrets, note, warn: surface.say } as const;
    const words = given && (await completeWords(given, around, use));
    if (given !== undefined && words === undefined) return 130;
    const start = await sessionFor(settings, around, { order, words });
    const code = await runTask({
      leave: outputs?.({ ...start, ...needs }),
      ...surface,
      ...needs,
      ...start,
      ...(printsEvents && { answer: () => undefined }),
      attachments: attached.map(({ file }) => file),
      events,
      notesFrom: await notesFrom(settings, around),
      person,
      approver: person ? approverAt(person, { ...surface, chosen: needs.chosen }) : settings.park ? parker : undefined,
    });
    const link = start.session && (await studioLink(linkFolder(settings, around.env), start.session.id));
    if (link !== undefined) note(link);
    return code;
  } finally {
    await close();
  }
}
