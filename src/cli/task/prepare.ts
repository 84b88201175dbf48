// Prepares the common needs of a task and a conversation from the settings: model, secrets, instructions, limits.

import { resolve } from "node:path";
import { redactor, type Model } from "../../core/index.js";
import type { AgentNeeds } from "./make-agent.js";
import type { Rights, Settings } from "../args/args.js";
import type { EventLog } from "../show/event-log.js";
import { joinLimits, withPrices } from "../args/limits.js";
import type { Person } from "../person/person.js";
import { telemetryFor, type Telemetry } from "./telemetry.js";
import { secretsIn, type Surface, type Surroundings } from "../person/surface.js";

/** The prepared parts. */
export interface Prepared {
  /** The needs of the agent; the caller adds the approver. */
  readonly needs: Omit<AgentNeeds, "approver">;
  /** Makes another model of the same server. @throws LastcallError `configuration` if the name can't be used. */
  readonly modelNamed: (name: string) => Model;
  /** The event log; undefined for none. The caller closes it. */
  readonly events: EventLog | undefined;
  /** The telemetry; undefined for none. The caller closes it. */
  readonly telemetry: Telemetry | undefined;
}

/** The person to ask, and the surface to print to. */
interface Contact {
  readonly person: Person | undefined;
  readonly surface: Pick<Surface, "say" | "style">;
}

/**
 * Prepares a task or a conversation.
 * @throws LastcallError `configuration` or `authentication` if a file, a module, the model or its key can't be used.
 */
export async function prepare(settings: Settings, around: Surroundings, contact: Contact): Promise<Prepared> {
  const { surface } = contact;
  const { env } = around;
  const [{ loadModules }, { workplaceFor }, { modelFor }, { storeFolder }] = await Promise.all([
    import("../modules/modules.js"),
    import("./workplace-for.js"),
    import("./model-for.js"),
    import("../sessions/sessions.js"),
  ]);
  const workdir = resolve(settings.workdir);
  const guarded = [
    storeFolder(settings.sessions, env),
    ...[settings.config, settings.log].flatMap((path) => (path === undefined ? [] : resolve(path))),
  ];
  const modules = await loadModules(settings);
  const place = once((rights: Rights) => workplaceFor({ ...settings, rights }, { root: workdir, guarded, modules }));
  const { definition } = await place(settings.rights);
  const { model, modelNamed, apiKey, window } = await modelFor(settings, definition, { around, ...contact });
  const secrets = secretsIn(env, apiKey);
  const events = settings.log === undefined ? undefined : await eventsTo(settings.log, secrets, surface);
  try {
    const guidance = await guidanceFor(settings, surface);
    const { given } = settings;
    const limits = joinLimits(
      { given, limits: await withPrices(settings.limits, settings.prices) },
      definition?.limits,
    );
    const telemetry = await telemetryFor(env, surface.say);
    const found = { workdir, model, guidance, limits, window, secrets, guarded, modules: modules.files };
    const needs = { settings, ...found, workplaceFor: place, telemetry: telemetry?.hook };
    return { needs, modelNamed, events, telemetry };
  } catch (thrown) {
    events?.close();
    throw thrown;
  }
}

/** Keeps what a function made, so that it makes one thing for each argument. */
function once<Key extends object, Made>(make: (key: Key) => Made): (key: Key) => Made {
  const made = new WeakMap<Key, Made>();
  return (key) => {
    const known = made.get(key) ?? make(key);
    made.set(key, known);
    return known;
  };
}

/** Opens the event log. */
async function eventsTo(path: string, secrets: readonly string[], { say }: Pick<Surface, "say">): Promise<EventLog> {
  const { openEventLog } = await import("../show/event-log.js");
  return openEventLog(path, { secrets: redactor({ values: secrets }), say });
}

/** The instructions from files. The person is told which files are used. */
async function guidanceFor(
  { workdir, instructions: named, noAgentsMd, quiet }: Settings,
  { say, style }: Pick<Surface, "say" | "style">,
): Promise<string> {
  const { findInstructions } = await import("./instructions.js");
  const { prompt, used, problems } = await findInstructions({ workdir, named, usesFolder: !noAgentsMd });
  if (!quiet)
    used.forEach((line) => {
      say(style.dim(line));
    });
  problems.forEach(say);
  return prompt;
}
