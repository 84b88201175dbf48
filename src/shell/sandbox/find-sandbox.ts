// Finds the sandbox that works on this system.

import { LastcallError, type OpenableWall } from "../../core/index.js";
import { explain } from "../../core/internal.js";
import type { Shell } from "../port/shell.js";
import { MovedMeanwhile } from "../process/report.js";
import { bubblewrap, bubblewrapForTrial } from "./bubblewrap.js";
import { landlock } from "./landlock.js";
import { readSandboxOptions, type SandboxOptions } from "./sandbox-options.js";
import { sandboxExec } from "./sandbox-exec.js";

/** A sandbox, or the reason in words why there is none. */
export type Finding = { readonly ok: true; readonly shell: Shell } | { readonly ok: false; readonly reason: string };

/**
 * Tries which sandbox works here: bubblewrap, then Landlock; `sandbox-exec` on macOS. The first sandbox that runs a command is found,
 * and `shell.walls` says what it keeps. Landlock has fewer walls than the other sandboxes, so a gate asks about commands all the same.
 * Containers and hardened systems may forbid all sandboxes; the reason says what each lacked.
 * @throws LastcallError `configuration` if the root can't be used.
 */
export async function findSandbox(options: SandboxOptions): Promise<Finding> {
  const { root: folder } = readSandboxOptions("findSandbox", options);
  const reasons: string[] = [];
  for (const candidate of candidates()) {
    const found = await attempt(candidate, options, folder);
    if (found.ok) return found;
    reasons.push(found.reason);
  }
  return { ok: false, reason: reasons.join(" ") };
}

type Maker = (options: SandboxOptions) => Shell;

/** A sandbox that may work here. */
interface Candidate {
  readonly name: string;
  readonly make: Maker;
  /** Makes the sandbox in which the trial runs. */
  readonly makeForTrial: Maker;
}

function candidates(): readonly Candidate[] {
  if (process.platform === "darwin") return [{ name: "sandbox-exec", make: sandboxExec, makeForTrial: sandboxExec }];
  return [
    { name: "bubblewrap", make: bubblewrap, makeForTrial: bubblewrapForTrial },
    { name: "Landlock", make: landlock, makeForTrial: landlock },
  ];
}

/**
 * The command of a trial makes no file. With this wall open no shell sets protected files aside afterwards: new protected files were made
 * by other programs meanwhile, a clone or another session, and keep their names.
 */
const makesNothing: readonly OpenableWall[] = ["protected"];

async function attempt(
  { name, make, makeForTrial }: Candidate,
  options: SandboxOptions,
  folder: string,
): Promise<Finding> {
  try {
    const shell = makeForTrial(options);
    const environment = { PATH: process.env["PATH"] ?? "" };
    const terms = { command: "true", folder, environment, seconds: 10, opens: makesNothing, onOutput: () => undefined };
    const ending = await shell.run(terms, new AbortController().signal);
    if (ending.how === "exited" && ending.code === 0) return { ok: true, shell: make(options) };
    return { ok: false, reason: `${name} can't run anything here.` };
  } catch (thrown) {
    // Another command moves files of the workspace all the time. The sandbox itself works.
    if (thrown instanceof MovedMeanwhile) return { ok: true, shell: make(options) };
    if (thrown instanceof LastcallError) return { ok: false, reason: thrown.message };
    return { ok: false, reason: `${name} can't make a sandbox here: ${explain(thrown)}.` };
  }
}
