// Prepares the common needs of a task and a conversation from the settings: model, secrets, instructions, limits.

import { resolve } from "node:path";
import { redactor, type Model } from "../../core/index.js";
import type { AgentNeeds } from "./make-agent.js";
import type { Settings } from "../args/args.js";
import type { Strictness } from "../show/ending.js";
import type { EventLog } from "../show/event-log.js";
import { withPrices } from "../args/limits.js";
import { confirm, type Person } from "../person/person.js";
import { secretsIn, type Surface, type Surroundings } from "../person/surface.js";

/** The prepared parts. */
export interface Prepared {
  /** The needs of the agent; the caller adds the approver. */
  readonly needs: Omit<AgentNeeds, "approver"> & Strictness;
  /** Makes another model of the same server. @throws LastcallError `configuration` if the name can't be used. */
  readonly modelNamed: (name: string) => Model;
  /** The event log; undefined for none. The caller closes it. */
  readonly events: EventLog | undefined;
}

/** The person to ask, and the surface to print to. */
interface Contact {
  readonly person: Person | undefined;
  readonly surface: Pick<Surface, "say" | "style">;
}

/**
 * Prepares a task or a conversation.
 * @throws LastcallError `configuration` or `authentication` if a file, the model or its key can't be used.
 */
export async function prepare(
  settings: Settings,
  { env, signal }: Surroundings,
  { person, surface }: Contact,
): Promise<Prepared> {
  const [{ findModels }, { storeFolder }] = await Promise.all([
    import("./models.js"),
    import("../sessions/sessions.js"),
  ]);
  const { modelNamed, apiKey, window } = await findModels(settings, {
    env,
    say: surface.say,
    confirm: person && ((question) => confirm(person, question, signal)),
  });
  const { checks: until, protect, attempts, onEdit, rights, notes, log, requireVerified } = settings;
  const secrets = secretsIn(env, apiKey);
  const events = log === undefined ? undefined : await eventsTo(log, secrets, surface);
  try {
    const guidance = await guidanceFor(settings, surface);
    const limits = await withPrices(settings.limits, settings.prices);
    const guarded = [
      storeFolder(settings.sessions, env),
      ...[settings.config, log].flatMap((path) => (path === undefined ? [] : resolve(path))),
    ];
    const made = { workdir: resolve(settings.workdir), model: modelNamed(undefined), guidance, secrets, guarded };
    const given = { until, protect, attempts, onEdit, rights, notes, window, limits, interactive: !settings.noInput };
    return { needs: { ...made, ...given, requireVerified }, modelNamed, events };
  } catch (thrown) {
    events?.close();
    throw thrown;
  }
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
