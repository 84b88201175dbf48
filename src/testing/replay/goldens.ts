// Golden journals: a folder of kept sessions, each of which the agent of now has to go the same way.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { LastcallError, type Session } from "../../core/index.js";
import { explain } from "../../core/internal.js";
import { replaySession, type Replayed, type ReplayOptions } from "./replay.js";
import { replayLines } from "./replay-lines.js";

/**
 * Replays each session of a folder with the agent: the files `*.json`, as `lastcall show ID --json` prints them, or `outcome.session` as
 * JSON. Returns the names of the files.
 * @throws Error if a replay departs. Its message has the file and the departures. LastcallError `configuration` if the folder has no such
 * file, or a file is no session.
 */
export async function checkGoldens(folder: string, options: ReplayOptions): Promise<readonly string[]> {
  const refuse = (message: string, cause?: unknown): LastcallError =>
    new LastcallError("configuration", message, cause === undefined ? {} : { cause });
  const files = await readdir(folder).catch((thrown: unknown) => {
    throw refuse(`The folder of golden journals can't be read: ${explain(thrown)}.`, thrown);
  });
  const names = files.filter((name) => name.endsWith(".json")).sort();
  if (names.length === 0)
    throw refuse(`${folder} has no golden journal: lastcall show ID --json > ${join(folder, "NAME.json")}`);
  const departed: string[] = [];
  for (const name of names) {
    const replayed = await replayFile(join(folder, name), options);
    if (!replayed.identical) departed.push([`${name}:`, ...replayLines(replayed)].join("\n"));
  }
  if (departed.length === 0) return names;
  throw new Error(
    `${String(departed.length)} of ${String(names.length)} golden journals depart.\n${departed.join("\n")}`,
  );
}

async function replayFile(file: string, options: ReplayOptions): Promise<Replayed> {
  let session: Session;
  try {
    session = JSON.parse(await readFile(file, "utf8")) as Session;
  } catch (thrown) {
    throw new LastcallError("configuration", `${file} is no session: ${explain(thrown)}.`, { cause: thrown });
  }
  return replaySession(session, options);
}
