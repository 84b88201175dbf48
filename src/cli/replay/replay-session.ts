// lastcall replay: whether the agent of now would have gone the way of a stored session.

import { cp, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { LastcallError, type Session } from "../../core/index.js";
import { replayLines, replaySession, type ReplayOptions } from "../../testing/index.js";
import type { Settings } from "../args/args.js";
import { surfaceOf, type Surface, type Surroundings } from "../person/surface.js";
import { visible } from "../display/visible.js";
import { agentOfNow, readSession, type AgentOfNow } from "./agent-of-now.js";

/** The exit code of a replay that departs. */
export const departs = 2;

/**
 * Replays a session, and prints the report. Returns the exit code: 0, or 2 if the replay departs.
 * @throws LastcallError `configuration` if the session or the agent can't be used, or a live call would reach beyond the copy.
 */
export async function runReplay(settings: Settings, around: Surroundings, id: string): Promise<number> {
  const surface = await surfaceOf(settings, around);
  const { session, workdir: then } = await readSession(settings, around, id);
  const { live, read } = settings;
  const workdir = resolve(settings.workdir);
  const given = { session, around, surface, folders: [then, workdir].filter((path) => path !== undefined) };
  if (!live) return report(settings, { ...given, tools: read ? "read" : "recorded" });
  const copy = await realpath(await mkdtemp(join(tmpdir(), "lastcall-replay-")));
  try {
    await cp(workdir, copy, { recursive: true, verbatimSymlinks: true });
    if (!settings.quiet) surface.say(visible(`The calls run in a copy of ${workdir} as it is now.`));
    return await report({ ...settings, workdir: copy }, { ...given, folders: [...given.folders, copy], tools: "live" });
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

/** A session to replay, and the means. */
interface Given {
  readonly session: Session;
  readonly around: Surroundings;
  readonly surface: Surface;
  readonly tools: NonNullable<ReplayOptions["tools"]>;
  /** The paths of the folder, then and now. */
  readonly folders: readonly string[];
}

async function report(settings: Settings, { session, around, surface, tools, folders }: Given): Promise<number> {
  const now = await agentOfNow(settings, { session, around, surface });
  try {
    if (tools === "live") await expectHarmless(now, session);
    const real = await Promise.all(folders.map((path) => realpath(path).catch(() => path)));
    const { agent, context } = now.made;
    const replayed = await replaySession(session, { agent, tools, context, folders: [...folders, ...real] });
    if (surface.json) surface.answer(JSON.stringify(replayed, null, 2));
    else surface.answer(visible(replayLines(replayed).join("\n"), { multiline: true }));
    return replayed.identical ? 0 : departs;
  } finally {
    await now.close();
  }
}

/** @throws LastcallError `configuration` if a recorded call would change something outside of the copy, or a command has no walls. */
async function expectHarmless({ made, needs }: AgentOfNow, { id, records }: Session): Promise<void> {
  const { own, shell } = await needs.workplaceFor(needs.settings.rights);
  const called = new Set(records.flatMap((record) => (record.type === "intent" ? [record.callId] : [])));
  const names = new Set(
    records.flatMap((record) =>
      record.type === "result" && called.has(record.result.callId) ? [record.result.name] : [],
    ),
  );
  const remedy = "leave --live out, or give --read";
  const beyond = made.tools.find(({ name }) => names.has(name) && !own.some((tool) => tool.name === name));
  if (beyond !== undefined)
    throw wrong(`The session ${id} called ${beyond.name}, which may reach beyond a copy of the folder: ${remedy}.`);
  if ((names.has("run_command") || made.checks.length > 0) && !shell.walls.includes("files"))
    throw wrong(`There is no sandbox, so commands could change more than a copy of the folder: ${remedy}.`);
}

function wrong(message: string): LastcallError {
  return new LastcallError("configuration", visible(message));
}
