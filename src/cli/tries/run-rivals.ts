// lastcall --best-of: several agents of the command side by side, each in a folder of its own.

import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { command } from "../../checks/index.js";
import type { Event } from "../../core/index.js";
import { rivals, type EvaluatedAgent } from "../../evals/index.js";
import { giveUp, taskCompletion, type Shell } from "../../tools/index.js";
import { speech } from "../display/said.js";
import { aboutFor } from "../sessions/on-sessions.js";
import { changesFor } from "../sessions/session-changes.js";
import { storeAddress, storeFolder, storeFor } from "../sessions/sessions.js";
import { watch } from "../show/watch.js";
import { makeAgent, type MadeAgent } from "../task/make-agent.js";
import { prepare, type Prepared } from "../task/prepare.js";
import type { ReadyTries, TriesNeeds } from "./ready-tries.js";

/** A rival that was made. */
interface MadeRival extends Pick<Prepared, "close"> {
  readonly made: MadeAgent;
  readonly shell: Shell;
  readonly onEvent: (event: Event) => void;
}

/** Makes the rivals ready. Each is prepared in its own folder, once it is there. */
export async function runRivals({ settings, around, surface, id, task }: TriesNeeds): Promise<ReadyTries> {
  const rival = new Map<string, MadeRival>();
  const byNumber = new Map<number, MadeRival>();
  const workdir = resolve(settings.workdir);
  const make = async (root: string, number: number): Promise<EvaluatedAgent> => {
    const print = (line: string): void => void around.stdout.write(`${line}\n`);
    // Each rival would tell what a run tells once.
    const quiet = { ...surface, say: number === 1 ? surface.say : () => undefined };
    const own = { ...settings, workdir: root };
    const { needs, events, close } = await prepare(own, around, { person: undefined, surface: quiet, print });
    const { onEvent, hooks } = watch({ ...surface, log: "quiet", events });
    const ends = { endings: [taskCompletion(), giveUp()], hooks };
    const made = await makeAgent({ ...needs, approver: undefined }, ends);
    if (!settings.quiet && number === 1) for (const line of made.notices) surface.say(surface.style.dim(line));
    const { shell } = await needs.workplaceFor(settings.rights);
    const one = { made, shell, onEvent, close };
    rival.set(root, one);
    byNumber.set(number, one);
    return made.agent;
  };
  const running = rivals(make, task, {
    store: await storeFor(settings, around.env),
    id,
    root: workdir,
    folder: placeOf(settings, around.env),
    most: settings.bestOf,
    ...(settings.by !== undefined && {
      by: (root, signal) => ratingOf(settings.by ?? "", { root, shell: rival.get(root)?.shell, signal }),
    }),
    ...(settings.protect.length > 0 && { protect: settings.protect }),
    changes: changesFor(workdir, settings, { env: around.env, say: surface.say }),
    about: await aboutFor(settings, around),
    signal: around.signal,
  });
  const all = (): readonly MadeRival[] => [...byNumber.values()];
  return {
    running,
    take: ({ number, event }) => byNumber.get(number)?.onEvent(event),
    speech: (by, value) => (all()[0]?.made.speech ?? speech([taskCompletion()]))(by, value),
    remarks: () => [...new Set(all().flatMap(({ made }) => made.remarks()))],
    async close() {
      await Promise.all(all().map(({ close }) => close()));
    },
  };
}

/** The folder for the rivals of the sessions in this place. Nothing in it is of use for long. */
function placeOf(settings: TriesNeeds["settings"], env: Readonly<Record<string, string | undefined>>): string {
  const cache = env["XDG_CACHE_HOME"] ?? "";
  const sessions = storeAddress(settings, env) ?? storeFolder(settings.sessions, env);
  const name = createHash("sha256").update(sessions).digest("hex").slice(0, 12);
  return join(cache === "" ? join(homedir(), ".cache") : cache, "lastcall", "rivals", name);
}

/** The milliseconds that the command of `--by` has. */
const ratingTimeout = 20 * 60_000;

/** The number in the last line that the command prints, or 0 without one. Undefined if its exit code is not 0. */
async function ratingOf(
  line: string,
  { root, shell, signal }: { readonly root: string; readonly shell: Shell | undefined; readonly signal: AbortSignal },
): Promise<number | undefined> {
  const check = command(line, { cwd: root, shell, timeout: ratingTimeout, watch: [] });
  const { passed, output } = await check.verify({ key: "by", signal, when: "iteration", records: [] });
  const last = output.trim().split("\n").at(-1)?.trim() ?? "";
  return passed ? (/^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i.test(last) ? Number(last) : 0) : undefined;
}
