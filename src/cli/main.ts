// The command: settings in, exit code out. It wires the parts together and does nothing itself.

import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { asFault, LastcallError, redactor } from "../core/index.js";
import { readArgs, type Settings } from "./args.js";
import { faultCode } from "./ending.js";
import type { EventLog } from "./event-log.js";
import { help } from "./help.js";
import { withPrices } from "./limits.js";
import { typed, type Values } from "./options.js";
import type { Order } from "./order.js";
import { confirm } from "./person.js";
import { personIn, secretsIn, surfaceOf, type Surface, type Surroundings } from "./surface.js";
import { visible } from "./visible.js";

/** Runs the command. */
export async function main(argv: readonly string[], around: Surroundings): Promise<number> {
  try {
    const settings = readArgs(argv);
    const { order } = settings;
    if (order.do === "run") return await obey(readArgs(argv, { config: await configFor(settings, around) }), around);
    if (order.do !== "resume") return await obey(settings, around);
    const { keptFor } = await import("./on-sessions.js");
    const kept = await keptFor(settings, order.id, around);
    const config = await configFor(readArgs(argv, { kept }), around);
    return await obey(readArgs(argv, { kept, config }), around);
  } catch (thrown) {
    const fault = asFault(thrown);
    around.stderr.write(`lastcall: ${visible(fault.message, { multiline: true })}\n`);
    return faultCode(fault);
  }
}

/** What config files say. */
async function configFor(settings: Settings, around: Surroundings): Promise<Values> {
  const { env, signal } = around;
  const { workdir, config: named, input } = settings;
  const person = input ? personIn(around) : undefined;
  const { readConfig } = await import("./config.js");
  return readConfig({
    workdir,
    named,
    env,
    say: (line) => around.stderr.write(`${line}\n`),
    confirm: person && ((question) => confirm(person, question, signal)),
  });
}

async function obey(settings: Settings, around: Surroundings): Promise<number> {
  const { order } = settings;
  switch (order.do) {
    case "help":
      around.stdout.write(help());
      return 0;
    case "version":
      around.stdout.write(`${await version()}\n`);
      return 0;
    case "demo":
      return (await import("./run-demo.js")).runDemo(settings, around);
    case "run":
    case "resume":
      return runTask(settings, around, order);
    case "list":
    case "show":
    case "fork":
    case "prune":
      return (await import("./on-sessions.js")).tellOf(order, settings, around);
  }
}

async function runTask(
  settings: Settings,
  around: Surroundings,
  order: Extract<Order, { readonly do: "run" | "resume" }>,
): Promise<number> {
  const { workdir, rights, input } = settings;
  const { env, signal } = around;
  const person = input ? personIn(around) : undefined;
  if (rights.mode === "ask-all" && person === undefined) {
    throw new LastcallError(
      "configuration",
      "--ask needs a terminal to ask at, and there is none. Use --yes, or leave it out.",
    );
  }
  const { findModel } = await import("./find-model.js");
  const surface = surfaceOf(settings, around);
  if (order.do === "resume" && settings.log !== "quiet")
    surface.say(surface.style.dim(`goes on with ${typed(settings.kept) || "no options"}`));
  const found = await findModel(settings, {
    env,
    say: surface.say,
    confirm: person && ((question) => confirm(person, question, signal)),
  });
  const [{ openai }, { work }, { notesFrom, sessionFor }, { storeFolder }] = await Promise.all([
    import("../model/index.js"),
    import("./work.js"),
    import("./on-sessions.js"),
    import("./sessions.js"),
  ]);
  const secrets = secretsIn(env, found.apiKey);
  const events = settings.events === undefined ? undefined : await eventsTo(settings.events, secrets, surface);
  try {
    const guidance = await guidanceFor(settings, surface);
    return await work({
      ...surface,
      events,
      ...(await sessionFor(settings, around, order)),
      workdir: resolve(workdir),
      model: openai({ ...found, ...(settings.forcing !== undefined && { forcing: settings.forcing }) }),
      guidance,
      rights: settings.rights,
      secrets,
      until: settings.until,
      protect: settings.protect,
      attempts: settings.attempts,
      onEdit: settings.onEdit,
      limits: await withPrices(settings.limits, settings.prices),
      notes: settings.notes,
      notesFrom: await notesFrom(settings, around),
      window: settings.window,
      person,
      approver: person && (await import("./approver.js")).approverAt(person, surface),
      guarded: [
        storeFolder(settings.sessions, env),
        ...[settings.config, settings.events].flatMap((path) => (path === undefined ? [] : resolve(path))),
      ],
      interactive: input,
    });
  } finally {
    events?.close();
  }
}

/** The file that events are appended to, opened before anything happens. */
async function eventsTo(path: string, secrets: readonly string[], { say }: Surface): Promise<EventLog> {
  const { openEventLog } = await import("./event-log.js");
  return openEventLog(path, { secrets: redactor({ values: secrets }), say });
}

/** What files tell the model, and the person which ones. */
async function guidanceFor(
  { workdir, instructions: named, agentsMd, log }: Settings,
  { say, style }: Surface,
): Promise<string> {
  const { findInstructions } = await import("./instructions.js");
  const { prompt, used, problems } = await findInstructions({ workdir, named, usesFolder: agentsMd });
  if (log !== "quiet")
    used.forEach((line) => {
      say(style.dim(line));
    });
  problems.forEach(say);
  return prompt;
}

async function version(): Promise<string> {
  const text = await readFile(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { readonly version: string }).version;
}
