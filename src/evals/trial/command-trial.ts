// Runs a command as the agent of a trial: any program that works in a folder.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { explain, milliseconds } from "../../core/internal.js";
import type { PlannedTrial } from "../plan/trial-list.js";
import type { CommandVariant } from "../plan/variant.js";
import { layOutNew } from "../plan/workspace-source.js";
import type { Attempt, Workshop } from "./trial-tools.js";

/** The end of a command. */
export interface CommandEnd {
  /** `exit 0`, `exit 3`, `timeout`, or `void` if it could not be started. */
  readonly ending: string;
  readonly why: string;
  readonly duration: number;
}

/** The time that a command has, in milliseconds. */
const usualTimeout = 1_800_000;
/** Characters kept of the end of its output. */
const kept = 2_000;

/**
 * Runs the command on new files. It has the environment of this process, since its own keys are there. A command that was interrupted
 * begins anew: it has no journal.
 * @throws the signal's reason if the evaluation is suspended.
 */
export async function runCommand(
  shop: Workshop,
  { task }: PlannedTrial,
  { attempt, variant }: { readonly attempt: Attempt; readonly variant: CommandVariant },
): Promise<CommandEnd> {
  const root = join(shop.work, attempt.id);
  await layOutNew(task.workspace, root, shop.base);
  const [program = "", ...args] = variant.command.map((word) => word.replaceAll("{task}", () => task.input));
  const startedAt = performance.now();
  const child = spawn(program, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"], detached: true });
  let output = "";
  const keep = (chunk: Buffer): void => {
    output = (output + chunk.toString()).slice(-kept);
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  const late = { is: false };
  const end = (): void => {
    // The group may have ended already.
    if (child.pid !== undefined) tryKill(child.pid);
  };
  const timer = setTimeout(
    () => {
      late.is = true;
      end();
    },
    milliseconds("timeout", variant.timeout ?? usualTimeout),
  );
  shop.suspend.addEventListener("abort", end, { once: true });
  try {
    const [code] = (await once(child, "close")) as [number | null];
    shop.suspend.throwIfAborted();
    const ending = late.is ? "timeout" : `exit ${String(code ?? "by a signal")}`;
    return { ending, why: output.trim(), duration: Math.round(performance.now() - startedAt) };
  } catch (thrown) {
    shop.suspend.throwIfAborted();
    return { ending: "void", why: `${program} could not be started: ${explain(thrown)}`, duration: 0 };
  } finally {
    clearTimeout(timer);
    shop.suspend.removeEventListener("abort", end);
  }
}

function tryKill(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The group has ended.
  }
}
